// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
package import CounterfoilEngine
import CounterfoilTrust

extension ServerConfiguration {
    /// The policies of all apps.
    ///
    /// - Throws: ``ConfigurationError`` with every fault of every file that they name.
    package func policies(
        reading read: (String) throws -> [UInt8]
    ) throws(ConfigurationError) -> [AppPolicy] {
        var policies: [AppPolicy] = []
        var faults: [String] = []
        for app in apps {
            do throws(ConfigurationError) {
                policies.append(try app.policy(reading: read))
            } catch {
                faults.append(error.description)
            }
        }
        guard faults.isEmpty else { throw ConfigurationError(faults.joined(separator: "\n")) }
        return policies
    }
}

extension ServerConfiguration {
    /// The catalogue in the file of an app as it stands now.
    ///
    /// - Throws: ``ConfigurationError`` with each of its faults.
    func catalogue(
        of app: AppID, reading read: (String) throws -> [UInt8]
    ) throws(ConfigurationError) -> Catalogue {
        guard let configuration = apps.first(where: { $0.id == app }) else {
            throw ConfigurationError("the app \"\(app)\" is not in the configuration")
        }
        return try configuration.catalogue(reading: read)
    }
}

extension AppConfiguration {
    /// The policy that the engine goes by.
    ///
    /// - Parameter read: Returns the bytes of a file that the configuration names.
    /// - Throws: ``ConfigurationError`` with the file and each of its faults.
    package func policy(
        reading read: (String) throws -> [UInt8]
    ) throws(ConfigurationError) -> AppPolicy {
        let store = try trustStore(reading: read)
            .denying(serialNumbers: deniedLeafSerialNumbers)
        return AppPolicy(
            app: id, bundleID: bundleID, isSimulated: isSimulated,
            catalogue: try catalogue(reading: read), sandbox: sandbox, deliverFrom: deliverFrom,
            orders: orders, verifier: EvidenceVerifier(trusting: store), wallet: wallet,
            refunds: refunds,
            clientKeys: ClientKeyPolicy(
                allowsAnonymousCustomers: clientKeys.allowsAnonymousCustomers),
            ownership: ownership)
    }

    private var isSimulated: Bool {
        if case .simulated = store { true } else { false }
    }

    fileprivate func catalogue(
        reading read: (String) throws -> [UInt8]
    ) throws(ConfigurationError) -> Catalogue {
        let bytes = try Self.bytes(of: cataloguePath, reading: read)
        do throws(CatalogueError) {
            return try Catalogue(reading: bytes)
        } catch {
            let lines = error.faults.map { "\(cataloguePath):\($0.line): \($0.finding)" }
            throw ConfigurationError(lines.joined(separator: "\n"))
        }
    }

    private func trustStore(
        reading read: (String) throws -> [UInt8]
    ) throws(ConfigurationError) -> TrustStore {
        guard case .simulated(let files) = store else { return .apple }
        var anchors: [TrustAnchor] = []
        for file in files {
            let bytes = try Self.bytes(of: file, reading: read)
            do throws(TrustFailure) {
                anchors += try TrustAnchor.all(in: bytes)
            } catch {
                throw ConfigurationError("\(file): \(error)")
            }
        }
        guard !anchors.contains(where: TrustStore.isOfApple) else {
            throw ConfigurationError(
                "\(id): \"roots\" holds a root of Apple's, which a simulated app never trusts")
        }
        return TrustStore(anchors: anchors)
    }

    private static func bytes(
        of file: String, reading read: (String) throws -> [UInt8]
    ) throws(ConfigurationError) -> [UInt8] {
        do {
            return try read(file)
        } catch {
            throw ConfigurationError("\(error)")
        }
    }
}
