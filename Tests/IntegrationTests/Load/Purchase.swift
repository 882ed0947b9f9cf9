// SPDX-License-Identifier: Apache-2.0

/// One purchase of the load, and what it is worth.
struct Purchase: Sendable {
    let app: String
    let environment: String
    let transactionID: String
    let customer: String
    let unit: String
    let amount: Int64
}
