// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine
import CounterfoilHTTPServer

extension ServerConfiguration {
    /// Reads a configuration file; JSON5 is allowed.
    ///
    /// - Parameter name: The file's name for messages.
    /// - Throws: ``ConfigurationError`` that names file, line and key path of every fault.
    package init(reading bytes: [UInt8], name: String) throws(ConfigurationError) {
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(
                parsing: bytes, dialect: .json5,
                limits: JSONLimits(maximumByteCount: Limits.configurationByteCount))
        } catch {
            throw ConfigurationError("\(name):\(error.line): \(error.message)")
        }
        let findings = DocumentFindings()
        let configuration = ConfigurationReader(findings: findings).read(document.value)
        guard findings.isEmpty, let configuration else {
            let lines = findings.all.map { "\(name):\(document.line(at: $0.path)): \($0)" }
            throw ConfigurationError(lines.joined(separator: "\n"))
        }
        self = configuration
    }
}

private struct ConfigurationReader {
    let findings: DocumentFindings

    func read(_ value: JSONValue) -> ServerConfiguration? {
        var reader = ObjectReader(value, findings: findings)
        let listen = listen(reader.value("listen") ?? [:], path: reader.path("listen"))
        let database = DatabaseConfiguration(
            reader.value("database") ?? [:], path: reader.path("database"), findings: findings)
        var limits = ObjectReader(
            reader.value("limits") ?? [:], path: reader.path("limits"), findings: findings)
        let bodyByteCount = limits.integer(
            "body_bytes", in: Limits.bodyByteCountRange, isRequired: false)
        let connectionCount = limits.integer(
            "connections", in: Limits.connectionCountRange, isRequired: false)
        let connectionCountPerAddress = limits.integer(
            "connections_per_address", in: Limits.connectionCountRange, isRequired: false)
        limits.finish()
        let webhooks = WebhookRules(
            reader.value("webhooks") ?? [:], path: reader.path("webhooks"), findings: findings)
        let rateLimits = RateLimits(
            reader.value("rate_limits") ?? [:], path: reader.path("rate_limits"),
            findings: findings)
        let elements = reader.elements("apps", maximum: Limits.appCount)
        let apps = elements.compactMap { app($0.value, path: $0.path) }
        reader.finish()
        if elements.isEmpty { reader.report("apps", "names no app") }
        reportRepeatedApps(apps, reader)
        guard let listen, let database else { return nil }
        return ServerConfiguration(
            listen: listen, database: database,
            maximumBodyByteCount: Int(bodyByteCount ?? Limits.defaultBodyByteCount),
            maximumConnectionCount: Int(connectionCount ?? Limits.defaultConnectionCount),
            maximumConnectionCountPerAddress: connectionCountPerAddress.map { Int($0) },
            webhooks: webhooks, rateLimits: rateLimits, apps: apps)
    }

    private func listen(_ value: JSONValue, path: String) -> ServerConfiguration.Listen? {
        var reader = ObjectReader(value, path: path, findings: findings)
        let address = reader.string("address", maximum: Limits.addressByteCount, isRequired: false)
        let port = reader.integer("port", in: 0...65_535, isRequired: false)
        let proxies = reader.elements(
            "trusted_proxies", maximum: Limits.trustedProxyCount, isRequired: false
        ).compactMap { element -> String? in
            let address = element.value.string.flatMap { Network.isAddress($0) ? $0 : nil }
            if address == nil { findings.report(element.path, "is no address in numbers") }
            return address
        }
        reader.finish()
        if let address, !HTTPServerConfiguration.isAddress(address) {
            reader.report("address", "is neither an IPv4 nor an IPv6 address in numbers")
        }
        return ServerConfiguration.Listen(
            address: address ?? "127.0.0.1", port: UInt16(port ?? 8480),
            trustedProxies: TrustedProxies(addresses: Set(proxies)))
    }

    private func reportRepeatedApps(_ apps: [AppConfiguration], _ reader: ObjectReader) {
        for (position, app) in apps.enumerated() {
            let earlier = apps[..<position]
            if earlier.contains(where: { $0.id == app.id }) {
                reader.report("apps", "names the app \"\(app.id)\" a second time")
            }
        }
    }

    // MARK: Apps

    private func app(_ value: JSONValue, path: String) -> AppConfiguration? {
        var reader = ObjectReader(value, path: path, findings: findings)
        let id = reader.identifier("id", AppKind.self)
        if let id, !AppConfiguration.isID(id) { reader.report("id", AppConfiguration.idRule) }
        let bundleID = reader.identifier("bundle_id", BundleKind.self)
        let store = store(&reader)
        let catalogue = reader.string("catalogue", maximum: Limits.pathByteCount)
        let deliverFrom = deliverFrom(&reader)
        let sandbox = sandbox(reader.value("sandbox") ?? [:], path: reader.path("sandbox"))
        let refunds = RefundPolicy(
            reader.value("refunds") ?? [:], path: reader.path("refunds"), findings: findings)
        let orders = OrderPolicy(
            reader.value("orders") ?? [:], path: reader.path("orders"), findings: findings)
        let wallet = WalletPolicy(
            reader.value("wallet") ?? [:], path: reader.path("wallet"), findings: findings)
        let clientKeys = ClientKeyConfiguration(
            reader.value("client_keys") ?? [:], path: reader.path("client_keys"),
            findings: findings)
        let denied = reader.elements(
            "denied_leaf_serials", maximum: Limits.deniedLeafCount, isRequired: false
        ).compactMap { serialNumber($0.value, path: $0.path) }
        let ownership = OwnershipPolicy(
            reader.value("ownership") ?? [:], path: reader.path("ownership"), findings: findings)
        reader.finish()
        guard let id, let bundleID, let store, let catalogue, let deliverFrom, let sandbox else {
            return nil
        }
        return AppConfiguration(
            id: id, bundleID: bundleID, store: store, cataloguePath: catalogue,
            deliverFrom: deliverFrom, sandbox: sandbox, refunds: refunds, orders: orders,
            wallet: wallet, clientKeys: clientKeys,
            deniedLeafSerialNumbers: denied, ownership: ownership)
    }

    /// An app is simulated from birth or never: the two ways of being one share no key.
    private func store(_ reader: inout ObjectReader) -> AppConfiguration.Store? {
        let isSimulated = reader.bool("simulated", isRequired: false) ?? false
        let number = reader.integer("app_apple_id", in: 1...Int64.max, isRequired: !isSimulated)
        let roots = reader.elements(
            "roots", maximum: Limits.rootFileCount, isRequired: isSimulated)
        guard isSimulated else {
            if !roots.isEmpty {
                reader.report(
                    "roots", "is for simulated apps; a real one trusts Apple's roots only")
            }
            return number.map { .apple(appAppleID: $0) }
        }
        if number != nil { reader.report("app_apple_id", "is Apple's, and this app is simulated") }
        let files = roots.compactMap { path(of: $0.value, at: $0.path) }
        if files.isEmpty {
            reader.report("roots", "names no file with the simulated store's roots")
        }
        return .simulated(rootFiles: files)
    }

    private func path(of value: JSONValue, at path: String) -> String? {
        guard let text = value.string, !text.isEmpty, text.utf8.count <= Limits.pathByteCount else {
            findings.report(path, "is no path of a file")
            return nil
        }
        return text
    }

    private func deliverFrom(
        _ reader: inout ObjectReader
    ) -> [AppStoreEnvironment: Instant]? {
        let entries = reader.entries("deliver_from")
        var result: [AppStoreEnvironment: Instant] = [:]
        for entry in entries {
            let environment = AppStoreEnvironment(rawValue: entry.key)
            guard environment == .production || environment == .sandbox else {
                findings.report(entry.path, "is no environment; expected Production or Sandbox")
                continue
            }
            guard let instant = entry.value.string.flatMap({ Instant(rfc3339: $0) }) else {
                findings.report(entry.path, "is no time such as 2026-01-31T00:00:00Z")
                continue
            }
            result[environment] = instant
        }
        if entries.isEmpty { reader.report("deliver_from", "names no environment") }
        return result.isEmpty ? nil : result
    }

    private enum SandboxChoice: String, CaseIterable {
        case isolate, reject
        case allowListed = "allow_listed"
    }

    private func sandbox(_ value: JSONValue, path: String) -> SandboxPolicy? {
        var reader = ObjectReader(value, path: path, findings: findings)
        let choice = reader.choice("policy", SandboxChoice.self, isRequired: false) ?? .isolate
        let elements = reader.elements(
            "customers", maximum: Limits.allowListedCount, isRequired: choice == .allowListed)
        reader.finish()
        switch choice {
        case .isolate: return .isolate
        case .reject: return .reject
        case .allowListed:
            let customers = elements.compactMap { element -> CustomerID? in
                let id = element.value.string.flatMap { try? CustomerID($0) }
                if id == nil { findings.report(element.path, "is no customer id") }
                return id
            }
            return .allowListed(Set(customers))
        }
    }

    private func serialNumber(_ value: JSONValue, path: String) -> [UInt8]? {
        guard let text = value.string, let bytes = Hexadecimal.bytes(of: text), !bytes.isEmpty
        else {
            findings.report(path, "is no serial number in hexadecimal digits")
            return nil
        }
        return bytes
    }
}
