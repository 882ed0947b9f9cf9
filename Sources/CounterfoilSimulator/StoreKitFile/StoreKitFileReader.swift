// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore

/// Reads a file key by key; goes on after a fault, so that all of them are named.
struct StoreKitFileReader {
    static let offerKeyName = "subscriptionOffersKeyPair"

    let faults = DocumentFindings()
    let notes = DocumentFindings()
    private(set) var version = StoreKitFile.Version(major: 0, minor: 0)
    private(set) var identifier: String?
    var settings = StoreKitFileSettings()
    private var products: [StoreProduct] = []
    private var groups: [SubscriptionGroup] = []

    /// Where each product and group stands, for faults that only the whole catalogue shows.
    private var paths: [String: String] = [:]

    mutating func read(_ value: JSONValue) {
        var reader = ObjectReader(value, findings: faults)
        guard value.object != nil else { return }
        readVersion(&reader)
        identifier = reader.string(
            "identifier", maximum: Limits.maximumNameLength, isRequired: false)
        for list in ["products", "nonRenewingSubscriptions"] {
            for element in elements(list, of: &reader) {
                add(oneTimeProduct(element.value, path: element.path, list: list), at: element.path)
            }
        }
        for element in elements("subscriptionGroups", of: &reader) {
            readGroup(element.value, path: element.path)
        }
        if let value = reader.value("settings") { readSettings(value, path: "settings") }
        if reader.value(Self.offerKeyName) != nil {
            notes.report(
                Self.offerKeyName, "is not used: offers are signed by the server's own key")
        }
        _ = reader.value("appPolicies")
        noteUnknownKeys(of: reader)
    }

    /// The catalogue, or nil after a fault.
    func catalog() -> StoreCatalog? {
        guard faults.isEmpty else { return nil }
        do throws(CatalogError) {
            return try StoreCatalog(products: products, groups: groups)
        } catch {
            faults.report(paths[error.subject] ?? "", error.message)
            return nil
        }
    }

    private mutating func readVersion(_ reader: inout ObjectReader) {
        guard let value = reader.member("version", "an object with major and minor", { $0 }) else {
            return
        }
        var parts = ObjectReader(value, path: "version", findings: faults)
        guard let major = parts.integer("major", in: 1...Int64(Int32.max)) else { return }
        let minor = parts.integer("minor", in: 0...Int64(Int32.max), isRequired: false) ?? 0
        version = StoreKitFile.Version(major: major, minor: minor)
        if major > StoreKitFile.newestMajorVersion {
            notes.report(
                "version.major",
                "is \(major); read as version \(StoreKitFile.newestMajorVersion), the newest known")
        }
        noteUnknownKeys(of: parts)
    }

    private mutating func readGroup(_ value: JSONValue, path: String) {
        var reader = ObjectReader(value, path: path, findings: faults)
        let id = reader.string("id", maximum: Limits.maximumNameLength)
        let name = reader.string("name", maximum: Limits.maximumTextByteCount, isRequired: false)
        let localizations = localizations(of: &reader)
        for element in elements("subscriptions", of: &reader) {
            add(
                subscription(element.value, path: element.path, group: id),
                at: element.path)
        }
        noteUnknownKeys(of: reader)
        guard let id else { return }
        groups.append(SubscriptionGroup(id: id, name: name ?? id, localizations: localizations))
        paths[id] = reader.path("id")
    }

    private mutating func add(_ product: StoreProduct?, at path: String) {
        guard let product else { return }
        let idPath = "\(path).productID"
        if let other = paths.updateValue(idPath, forKey: product.id) {
            faults.report(idPath, "is that of \(other) too; ids are unique in a file")
        }
        products.append(product)
    }

    /// A list that may be missing or null.
    func elements(
        _ key: String, of reader: inout ObjectReader
    ) -> [(path: String, value: JSONValue)] {
        reader.elements(key, maximum: Limits.maximumProducts, isRequired: false)
    }

    func localizations(of reader: inout ObjectReader) -> [StoreProduct.Localization] {
        elements("localizations", of: &reader).compactMap { element in
            var texts = ObjectReader(element.value, path: element.path, findings: faults)
            func text(_ key: String, isRequired: Bool = false) -> String? {
                texts.string(key, maximum: Limits.maximumTextByteCount, isRequired: isRequired)
            }
            let locale = text("locale", isRequired: true)
            let (name, description) = (text("displayName"), text("description"))
            noteUnknownKeys(of: texts)
            guard let locale else { return nil }
            return StoreProduct.Localization(
                locale: locale, displayName: name ?? "", text: description ?? "")
        }
    }

    /// Names keys that are kept and mean nothing here.
    func noteUnknownKeys(of reader: ObjectReader) {
        for key in reader.unknownKeys {
            notes.report(reader.path(key), "is unknown here and kept as it is")
        }
    }
}
