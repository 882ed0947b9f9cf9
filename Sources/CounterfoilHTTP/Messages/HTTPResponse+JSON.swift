// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore

extension HTTPResponse {
    /// An answer with a JSON body.
    package static func json(_ value: JSONValue, status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: ["Content-Type": "application/json"], body: value.utf8)
    }
}
