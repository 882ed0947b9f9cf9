// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
package import CounterfoilEngine

/// What the operator wrote into `counterfoil.json`. Paths are as written; they are relative to the
/// file's own folder.
package struct ServerConfiguration: Sendable {
    /// Where the server listens.
    package struct Listen: Hashable, Sendable {
        package var address: String

        /// 0 lets the system choose.
        package var port: UInt16

        /// The proxies that are believed when they say for whom they ask.
        package var trustedProxies = TrustedProxies.none
    }

    package var listen: Listen
    package var database: DatabaseConfiguration
    package var maximumBodyByteCount: Int
    package var maximumConnectionCount: Int

    /// Nil where one address may hold all of them.
    package var maximumConnectionCountPerAddress: Int?

    /// Where webhooks may be sent to.
    package var webhooks = WebhookRules()
    package var rateLimits = RateLimits.standard
    package var apps: [AppConfiguration]
}

extension ServerConfiguration {
    /// The configuration with every relative path put behind the folder that its file lies in.
    package func resolved(in folder: String) -> ServerConfiguration {
        func resolve(_ path: String) -> String {
            path.hasPrefix("/") || folder.isEmpty ? path : "\(folder)/\(path)"
        }
        var resolved = self
        resolved.database = database.resolved(resolve)
        for index in resolved.apps.indices {
            resolved.apps[index].cataloguePath = resolve(apps[index].cataloguePath)
            resolved.apps[index].clientKeys = apps[index].clientKeys.resolved(resolve)
            if case .simulated(let files) = apps[index].store {
                resolved.apps[index].store = .simulated(rootFiles: files.map(resolve))
            }
        }
        return resolved
    }
}

/// One app.
package struct AppConfiguration: Sendable {
    /// Whose signatures count.
    package enum Store: Hashable, Sendable {
        /// Apple's, under its own roots only.
        case apple(appAppleID: Int64)

        /// A simulated store's, under the roots in these files only.
        case simulated(rootFiles: [String])
    }

    package var id: AppID
    package var bundleID: BundleID
    package var store: Store
    package var cataloguePath: String
    package var deliverFrom: [AppStoreEnvironment: Instant]
    package var sandbox: SandboxPolicy
    package var refunds = RefundPolicy()
    package var orders: OrderPolicy
    package var wallet = WalletPolicy()
    package var clientKeys = ClientKeyConfiguration()

    /// Serial numbers of signing certificates that are refused although Apple vouches for them.
    package var deniedLeafSerialNumbers: [[UInt8]]
    package var ownership = OwnershipPolicy()
}

extension AppConfiguration {
    /// What an app may be called: its id stands in paths, labels, logs and keys of rows.
    package static let idRule = "takes letters, digits, dot, underscore and hyphen only"

    package static func isID(_ id: AppID) -> Bool {
        id.rawValue.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "-"):
                true
            default: false
            }
        }
    }
}

/// Why a configuration cannot be used; every fault is named.
package struct ConfigurationError: Error, Sendable, CustomStringConvertible {
    /// One fault a line, with file, line and key path.
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
