// SPDX-License-Identifier: Apache-2.0

/// Real waiting, for answers that shall come late and scenarios that shall be patient.
enum Pause {
    /// Returns after the duration, or earlier when the task is cancelled.
    @Sendable static func real(_ duration: Duration) async {
        try? await Task.sleep(for: duration)
    }
}
