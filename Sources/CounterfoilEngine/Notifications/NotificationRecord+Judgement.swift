// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
import CounterfoilStore

extension NotificationRecord {
    /// What is kept of a notification that proved itself.
    init(
        _ notification: VerifiedPayload<JWSNotification>, to app: AppID,
        settledAs outcome: SubmissionOutcome, receivedAt now: Instant
    ) {
        let payload = notification.payload
        let evidence = notification.evidenceSHA256
        let length = CounterfoilStore.Limits.appleText
        // One without an id, or with an id that is none, is told from others by its bytes.
        let uuid = payload.notificationUUID.flatMap { text in
            (1...length).contains(text.utf8.count) ? text.storable(byteCount: length) : nil
        }
        self.init(
            app: app, uuid: uuid ?? Hexadecimal.text(of: evidence),
            environment: payload.environment,
            type: (payload.notificationType?.rawValue ?? "").storable(byteCount: length),
            subtype: payload.subtype?.rawValue.storable(byteCount: length),
            transactionID: outcome.transactionID,
            signedAt: payload.signedDate ?? notification.effectiveDate, evidence: evidence,
            status: outcome.decision.status.rawValue, reason: outcome.decision.reason?.rawValue,
            receivedAt: now)
    }
}
