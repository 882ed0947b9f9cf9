// SPDX-License-Identifier: Apache-2.0

/// A way to a connection: calls go in, and are answered.
package protocol Lane: Sendable {
    /// Takes a call; it is answered in any case, if only with `busy` or `closed`.
    func submit(_ call: PendingCall)

    /// Finishes the calls that were taken, refuses later ones, and lets go of the connection.
    func close() async
}
