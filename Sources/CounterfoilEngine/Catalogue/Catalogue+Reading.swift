// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilCrypto

/// Why a catalogue file cannot be used; every fault is named, not the first only.
package struct CatalogueError: Error, Sendable, CustomStringConvertible {
    /// A fault and the line that it stands on.
    package struct Fault: Hashable, Sendable {
        package let line: Int
        package let finding: DocumentFinding
    }

    package let faults: [Fault]

    package var description: String {
        faults.map { "line \($0.line): \($0.finding)" }.joined(separator: "\n")
    }
}

extension Catalogue {
    /// Reads a `catalog.json`; JSON5 is allowed.
    ///
    /// - Throws: ``CatalogueError`` with line and path of every fault. A catalogue with a fault is
    ///   refused whole: goods that are silently missing would park paid orders.
    package init(reading bytes: [UInt8]) throws(CatalogueError) {
        let limits = JSONLimits(maximumByteCount: Limits.catalogueByteCount)
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(parsing: bytes, dialect: .json5, limits: limits)
        } catch {
            let finding = DocumentFinding(path: "", problem: error.message)
            throw CatalogueError(faults: [.init(line: error.line, finding: finding)])
        }
        let findings = DocumentFindings()
        var reader = CatalogueReader(findings: findings)
        reader.read(document.value)
        guard findings.isEmpty else {
            throw CatalogueError(
                faults: findings.all.map { .init(line: document.line(at: $0.path), finding: $0) })
        }
        self.init(
            version: Hexadecimal.text(of: Digest.sha256(bytes).prefix(8)),
            units: reader.units, products: reader.products)
    }
}

/// Reads the parts in order, since goods name units.
private struct CatalogueReader {
    private let findings: DocumentFindings
    private(set) var units: [UnitID: CatalogueUnit] = [:]
    private(set) var products: [ProductID: CatalogueProduct] = [:]

    init(findings: DocumentFindings) {
        self.findings = findings
    }

    mutating func read(_ value: JSONValue) {
        var reader = ObjectReader(value, findings: findings)
        for element in reader.elements("units", maximum: Limits.unitCount, isRequired: false) {
            addUnit(element.value, path: element.path)
        }
        for element in reader.elements("products", maximum: Limits.productCount) {
            addProduct(element.value, path: element.path)
        }
        reader.finish()
    }

    private mutating func addUnit(_ value: JSONValue, path: String) {
        var reader = ObjectReader(value, path: path, findings: findings)
        let id = reader.identifier("id", UnitKind.self)
        let kind = reader.choice("kind", CatalogueUnit.Kind.self)
        let holder = reader.choice("held_by", CatalogueUnit.Holder.self)
        let maximum = reader.integer(
            "maximum_balance", in: 1...Limits.maximumBalance, isRequired: false)
        let lifetime = reader.member(
            "bonus_expires_after", "a duration such as P180D", isRequired: false
        ) { $0.string.flatMap { CalendarPeriod(iso8601: $0) } }
        if reader.value("paid_expires_after") != nil {
            reader.report(
                "paid_expires_after",
                "cannot be: what was bought never runs out (App Review Guidelines 3.1.1); "
                    + "only a bonus may, by bonus_expires_after")
        }
        if holder == .game, maximum != nil || lifetime != nil {
            reader.report("held_by", "is the game, which keeps limits and expiry itself")
        }
        reader.finish()
        guard let id, let kind, let holder else { return }
        let unit = CatalogueUnit(
            id: id, kind: kind, holder: holder, maximumBalance: maximum,
            bonusExpiresAfter: lifetime)
        if units.updateValue(unit, forKey: id) != nil {
            reader.report("id", "names the unit \"\(id)\" a second time")
        }
    }

    private mutating func addProduct(_ value: JSONValue, path: String) {
        var reader = ObjectReader(value, path: path, findings: findings)
        let id = reader.identifier("id", ProductKind.self)
        let type = reader.choice("type", SaleType.self)
        let group = reader.string("group", maximum: 128, isRequired: false)
        let level = reader.integer("level", in: 1...1000, isRequired: false)
        var prices: [String: Money] = [:]
        for entry in reader.entries("prices", isRequired: false) {
            prices[entry.key] = price(entry.value, path: entry.path)
        }
        let isActive = reader.bool("active", isRequired: false) ?? true
        let order = reader.integer("sort_order", in: Limits.sortOrders, isRequired: false) ?? 0
        let texts = reader.value("texts")
        let goods = reader.elements("goods", maximum: Limits.goodsPerProduct)
            .compactMap { self.goods($0.value, path: $0.path) }
        reader.finish()
        guard let id, let type else { return }
        let product = CatalogueProduct(
            id: id, type: type, group: group, level: level, prices: prices, isActive: isActive,
            sortOrder: order, texts: texts, goods: goods)
        if products.updateValue(product, forKey: id) != nil {
            reader.report("id", "names the product \"\(id)\" a second time")
        }
        reportRepeatedGoods(product, path: reader.path("goods"))
    }

    private func price(_ value: JSONValue, path: String) -> Money? {
        var reader = ObjectReader(value, path: path, findings: findings)
        let amount = reader.integer("amount_milli", in: 0...Int64.max)
        let currency = reader.member("currency", "three capital letters") { value in
            value.string.flatMap { $0.utf8.count == 3 && $0.utf8.allSatisfy(isCapital) ? $0 : nil }
        }
        reader.finish()
        guard let amount, let currency else { return nil }
        return Money(amountMilli: amount, currency: currency)
    }

    private func isCapital(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }

    private func goods(_ value: JSONValue, path: String) -> Goods? {
        var reader = ObjectReader(value, path: path, findings: findings)
        defer { reader.finish() }
        if value["entitlement"] != nil {
            guard let id = reader.identifier("entitlement", EntitlementKind.self) else {
                return nil
            }
            let duration = reader.member("duration", "a duration such as P30D", isRequired: false) {
                $0.string.flatMap { CalendarPeriod(iso8601: $0) }
            }
            return .entitlement(id, duration: duration)
        }
        let unit = reader.identifier("unit", UnitKind.self)
        let amount = reader.integer("amount", in: 0...Limits.goodsAmount)
        let bonus = reader.integer("bonus", in: 0...Limits.goodsAmount, isRequired: false) ?? 0
        guard let unit, let amount else { return nil }
        guard let known = units[unit] else {
            reader.report("unit", "names \"\(unit)\", which is not among the units")
            return nil
        }
        guard amount > 0 || bonus > 0 else {
            reader.report("amount", "is 0 and there is no bonus")
            return nil
        }
        return .unit(unit, amount: amount, bonus: bonus, holder: known.holder)
    }

    /// One unit twice in one product would make two transfers with one derived id.
    private func reportRepeatedGoods(_ product: CatalogueProduct, path: String) {
        var seen: Set<String> = []
        for goods in product.goods {
            let name =
                switch goods {
                case .unit(let unit, _, _, _): "unit \(unit)"
                case .entitlement(let entitlement, _): "entitlement \(entitlement)"
                }
            if !seen.insert(name).inserted { findings.report(path, "names the \(name) twice") }
        }
    }
}
