// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore

/// One change that is to be told, before it has its place among the customer's events.
struct EventDraft {
    /// Derived from what changed, or drawn before the closure: a closure that runs again must make
    /// the same one.
    let id: UniqueID
    let type: EventType
    let app: AppID
    let environment: AppStoreEnvironment

    /// nil for the stream of the app itself, which has no sequence and no state.
    let customer: UniqueID?

    /// What happened, by the type's form (docs/http.md).
    let data: JSONValue
}
