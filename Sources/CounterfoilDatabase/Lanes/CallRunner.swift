// SPDX-License-Identifier: Apache-2.0

/// What runs the calls of one connection; used by one thread at a time.
package protocol CallRunner: AnyObject {
    /// Runs the calls in their order and answers every one of them.
    func run(_ calls: [PendingCall])

    /// Lets go of the connection.
    func close()
}
