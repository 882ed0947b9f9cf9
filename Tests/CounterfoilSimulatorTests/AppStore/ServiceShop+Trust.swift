// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilSimulator
import CounterfoilTestSupport
import CounterfoilTrust

extension ServiceShop {
    /// Believes the shared authority and nobody else.
    static func trust() throws -> TrustStore {
        TrustStore(
            anchors: try TestAuthority.shared.rootCertificates.map {
                try TrustAnchor(parsing: $0)
            })
    }
}
