// SPDX-License-Identifier: Apache-2.0
public import CounterfoilCore

/// Why a `.storekit` file cannot be used; every fault is named, not the first only.
public struct StoreKitFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A fault and the line that it stands on.
    public struct Fault: Hashable, Sendable, CustomStringConvertible {
        /// Counted from 1.
        public let line: Int

        /// The path of the key, for example `products[2].displayPrice`, and what is wrong with it.
        public let finding: DocumentFinding

        /// Line, path and problem.
        public var description: String { "line \(line): \(finding)" }
    }

    /// In the order of the file, as far as it was read.
    public let faults: [Fault]

    /// One line for each fault.
    public var description: String {
        faults.map(\.description).joined(separator: "\n")
    }
}
