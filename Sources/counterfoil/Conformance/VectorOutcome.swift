// SPDX-License-Identifier: Apache-2.0

/// How one vector came out.
struct VectorOutcome {
    let name: String
    let result: Result

    enum Result {
        case passed

        /// Where what was found differs from what was expected, one sentence each.
        case failed([String])

        /// A kind that a later version brings; its reason.
        case notYetJudged(String)
    }

    init(_ name: String, differences: [String]) {
        self.name = name
        result = differences.isEmpty ? .passed : .failed(differences)
    }

    init(_ name: String, notYetJudged reason: String) {
        self.name = name
        result = .notYetJudged(reason)
    }
}
