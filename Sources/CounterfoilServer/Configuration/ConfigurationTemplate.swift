// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore

/// The files that a new installation starts with; they work as they are.
package struct ConfigurationTemplate: Sendable {
    /// Whose purchases the first app takes.
    package enum Store: Sendable {
        /// Apple's; the number is the app's Apple ID.
        case apple(appAppleID: Int64)

        /// A simulated store's, whose roots stand in these files.
        case simulated(rootFiles: [String])
    }

    /// The names that the configuration itself mentions.
    package static let catalogueName = "catalog.json"
    package static let databaseFolder = "var"

    private let app: AppID
    private let bundleID: BundleID
    private let store: Store
    private let deliverFrom: Instant

    /// - Parameter deliverFrom: Purchases before it are taken to be delivered already.
    package init(app: AppID, bundleID: BundleID, store: Store, deliverFrom: Instant) {
        self.app = app
        self.bundleID = bundleID
        self.store = store
        self.deliverFrom = deliverFrom
    }

    /// The text of `counterfoil.json`.
    package var configuration: String {
        """
        // The configuration of Counterfoil: JSON with comments. Paths are relative to this file.
        // A mistake stops the start and is named with its line.
        {
          // Where the HTTP interface listens: an IPv4 or IPv6 address in numbers. Keep it on
          // loopback or a private network, with a proxy in front that speaks TLS.
          "listen": { "address": "127.0.0.1", "port": 8480 },

          // One file; its folder must exist. Back it up with a copy made by SQLite, not with cp.
          // Several servers share "postgres://user@host/name?sslmode=verify-full" instead.
          "database": { "sqlite": "\(Self.databaseFolder)/counterfoil.db" },

          // The largest request body. Receipts with thousands of purchases have about 1 MB.
          // "limits": { "body_bytes": 8388608 },

          // Webhooks go to encrypted hosts of the public internet. A receiver in your own network has
          // to be named: its address or range, and its host if it speaks plain HTTP.
          // "webhooks": { "allow_addresses": ["10.0.0.0/8"], "allow_http": ["game.internal"] },

          "apps": [
            {
              // Your own short name; it is part of every record, so choose it for good.
              "id": \(text(app.rawValue)),
              "bundle_id": \(text(bundleID.rawValue)),

        \(storeText)

              // What each product is worth.
              "catalogue": "\(Self.catalogueName)",

              // Purchases made before these moments were delivered by what ran before: they are
              // recorded and not delivered again. An environment that is missing is not served.
              "deliver_from": {
                "Production": "\(deliverFrom.rfc3339)",
                "Sandbox": "\(deliverFrom.rfc3339)",
              },

              // Sandbox purchases (TestFlight, App Review) cost nothing. "isolate" keeps them in
              // books of their own, "allow_listed" takes those of the "customers" listed here,
              // "reject" takes none.
              "sandbox": { "policy": "isolate" },

              // Orders that nobody has paid lapse after so many hours; a later payment revives them.
              // "token_scope" says whom an order's account token names: "order" or "customer".
              // "orders": { "token_scope": "order", "open_hours": 24, "pending_hours": 168 },

              // What becomes of a right when a second customer proves the same non-consumable: "keep"
              // leaves it with the first, "transfer" gives it to the last, "share" gives it to both.
              "ownership": { "non_consumable": "keep" },

              // Serial numbers of signing certificates that are refused although the store vouches
              // for them, in hexadecimal.
              // "denied_leaf_serials": [],
            },
          ],
        }

        """
    }

    private var storeText: String {
        switch store {
        case .apple(let appAppleID):
            """
                  // The app's Apple ID, from App Store Connect under App Information.
                  "app_apple_id": \(appAppleID),
            """
        case .simulated(let files):
            """
                  // A simulated app trusts these roots and never Apple's; it cannot become real.
                  "simulated": true,
                  "roots": [\(files.map(text).joined(separator: ", "))],
            """
        }
    }

    /// The text of `catalog.json`.
    package static let catalogue = """
        // What is sold, and what goods it is worth: JSON with comments. A grant keeps the goods of
        // the moment in which it was made; later changes here do not touch it.
        {
          // Countable goods. "held_by" says who keeps the balance: counterfoil or the game itself.
          "units": [
            { "id": "coins", "kind": "currency", "held_by": "counterfoil" },
            { "id": "potion", "kind": "item", "held_by": "game" },
          ],
          // Products by their ids in App Store Connect.
          "products": [
            {
              "id": "com.example.game.coins100",
              "type": "consumable",
              "goods": [{ "unit": "coins", "amount": 100, "bonus": 10 }],
            },
            {
              "id": "com.example.game.potions",
              "type": "consumable",
              "goods": [{ "unit": "potion", "amount": 5 }],
            },
            {
              "id": "com.example.game.premium",
              "type": "non_consumable",
              "goods": [{ "entitlement": "premium" }],
            },
            {
              "id": "com.example.game.pass30",
              "type": "non_renewing",
              "goods": [{ "entitlement": "pass", "duration": "P30D" }],
            },
          ],
        }

        """

    private func text(_ string: String) -> String {
        JSONValue.string(string).text
    }
}
