// SPDX-License-Identifier: Apache-2.0

/// The App Store of one country.
public struct Storefront: Hashable, Sendable {
    /// The three letters of ISO 3166-1.
    public let country: String

    /// Apple's number, as text.
    public let id: String

    /// The ISO 4217 code that prices are in.
    public let currency: String

    /// Makes a storefront that is not in the table.
    public init(country: String, id: String, currency: String) {
        self.country = country
        self.id = id
        self.currency = currency
    }

    /// The storefront with these three letters, or nil where the table has none.
    public init?(country: String) {
        guard let row = Self.table[country] else { return nil }
        self.init(country: country, id: row.id, currency: row.currency)
    }

    /// The storefront with these three letters.
    ///
    /// - Throws: `storefront.unknown`.
    public static func named(_ country: String) throws(StoreError) -> Storefront {
        guard let storefront = Storefront(country: country) else {
            throw StoreError(
                .storefrontUnknown, "there is no storefront \(country)", allowed: countries)
        }
        return storefront
    }

    /// The United States, which everything defaults to.
    public static let unitedStates = Storefront(country: "USA", id: "143441", currency: "USD")

    /// The three letters of every storefront in the table.
    public static var countries: [String] { table.keys.sorted() }

    private static let table: [String: (id: String, currency: String)] = [
        "USA": ("143441", "USD"), "FRA": ("143442", "EUR"), "DEU": ("143443", "EUR"),
        "GBR": ("143444", "GBP"), "AUT": ("143445", "EUR"), "BEL": ("143446", "EUR"),
        "FIN": ("143447", "EUR"), "GRC": ("143448", "EUR"), "IRL": ("143449", "EUR"),
        "ITA": ("143450", "EUR"), "LUX": ("143451", "EUR"), "NLD": ("143452", "EUR"),
        "PRT": ("143453", "EUR"), "ESP": ("143454", "EUR"), "CAN": ("143455", "CAD"),
        "SWE": ("143456", "SEK"), "NOR": ("143457", "NOK"), "DNK": ("143458", "DKK"),
        "CHE": ("143459", "CHF"), "AUS": ("143460", "AUD"), "NZL": ("143461", "NZD"),
        "JPN": ("143462", "JPY"), "HKG": ("143463", "HKD"), "SGP": ("143464", "SGD"),
        "CHN": ("143465", "CNY"), "KOR": ("143466", "KRW"), "IND": ("143467", "INR"),
        "MEX": ("143468", "MXN"), "RUS": ("143469", "RUB"), "TWN": ("143470", "TWD"),
        "VNM": ("143471", "VND"), "ZAF": ("143472", "ZAR"), "MYS": ("143473", "MYR"),
        "PHL": ("143474", "PHP"), "THA": ("143475", "THB"), "IDN": ("143476", "IDR"),
        "PAK": ("143477", "PKR"), "POL": ("143478", "PLN"), "SAU": ("143479", "SAR"),
        "TUR": ("143480", "TRY"), "ARE": ("143481", "AED"), "HUN": ("143482", "HUF"),
        "CHL": ("143483", "CLP"), "ROU": ("143487", "RON"), "CZE": ("143489", "CZK"),
        "ISR": ("143491", "ILS"), "UKR": ("143492", "USD"), "COL": ("143501", "COP"),
        "BRA": ("143503", "BRL"), "ARG": ("143505", "USD"), "PER": ("143507", "PEN"),
        "EGY": ("143516", "EGP"), "KAZ": ("143517", "KZT"),
    ]
}
