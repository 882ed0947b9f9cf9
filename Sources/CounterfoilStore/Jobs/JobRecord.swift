// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore

/// A piece of work that is owed until it is done.
package struct JobRecord: Hashable, Sendable {
    /// Names the work, so that asking for it twice is asking once.
    package let key: String
    package let kind: String
    package let app: AppID

    /// What the kind needs to know; its form is the kind's own.
    package var payload: String

    /// How often it was begun since it last went well; a worker that died counts too.
    package var tries: Int64
    package let createdAt: Instant

    package init(
        key: String, kind: String, app: AppID, payload: String, tries: Int64, createdAt: Instant
    ) {
        self.key = key
        self.kind = kind
        self.app = app
        self.payload = payload
        self.tries = tries
        self.createdAt = createdAt
    }
}

/// A job in the hands of one worker, until it is given back or the lease runs out.
package struct JobClaim: Hashable, Sendable {
    package var job: JobRecord

    /// Grows with each claim. Whatever the worker changes about the job it changes under its own
    /// number only, so one that was too slow has no effect any more.
    package let fence: Int64

    /// How often the job had been asked for when it was claimed; if it was asked for again
    /// meanwhile, it is not done when this run is.
    package let requests: Int64

    package init(job: JobRecord, fence: Int64, requests: Int64) {
        self.job = job
        self.fence = fence
        self.requests = requests
    }
}
