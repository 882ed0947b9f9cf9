// SPDX-License-Identifier: Apache-2.0

/// A way to a connection: calls go in, and are answered.
protocol Lane: Sendable {
    /// Takes a call; it is answered in any case, if only with `busy` or `closed`.
    func submit(_ call: PendingCall)

    /// Finishes the calls that were taken, refuses later ones, and lets go of the file.
    func close() async
}
