// SPDX-License-Identifier: Apache-2.0

import CounterfoilSimulator

extension InputFile {
    /// Xcode's configuration in a file.
    static func storeKitFile(_ name: String) throws(InputError) -> StoreKitFile {
        let bytes = try bytes(of: name)
        do {
            return try StoreKitFile(parsing: bytes)
        } catch {
            throw InputError(name: name, problem: "is no StoreKit configuration:\n\(error)")
        }
    }
}
