// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import Synchronization

/// The policies that an engine goes by now.
final class PolicyTable: Sendable {
    private let policies: Mutex<[AppID: AppPolicy]>

    init(_ policies: [AppPolicy]) {
        self.policies = Mutex(
            Dictionary(policies.map { ($0.app, $0) }) { first, _ in first })
    }

    var all: [AppID: AppPolicy] { policies.withLock { $0 } }

    /// Puts a catalogue in the place of an app's; false if it has this content already, or if there is
    /// no such app.
    func replaceCatalogue(of app: AppID, by catalogue: Catalogue) -> Bool {
        policies.withLock { policies in
            guard var policy = policies[app], policy.catalogue.version != catalogue.version else {
                return false
            }
            policy.catalogue = catalogue
            policies[app] = policy
            return true
        }
    }
}

extension Engine {
    /// Goes by another catalogue of an app from now on, and owes the work that it allows: what is
    /// parked for lack of a product is settled by jobs. What was granted before stays as it was.
    ///
    /// If it throws, the new catalogue counts and the work may not be owed; calling again completes it.
    ///
    /// - Returns: False if the catalogue was that one already.
    package func replaceCatalogue(of app: AppID, by catalogue: Catalogue) async throws -> Bool {
        let isNew = policyTable.replaceCatalogue(of: app, by: catalogue)
        // Also where nothing is new: the call that replaced it may have failed behind that.
        try await reconsiderParked()
        jobSignal()
        return isNew
    }

    /// What was settled by a catalogue that was replaced meanwhile may have been parked behind the back of
    /// whoever looked for parked purchases after the replacement.
    func reconsiderParked(ifChangedSince policy: AppPolicy) async throws {
        guard policies[policy.app]?.catalogue.version != policy.catalogue.version else { return }
        try await reconsiderParked()
        jobSignal()
    }
}
