// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
import CounterfoilCrypto
import CounterfoilSimulator
import Foundation

/// Writes beginnings for every target, made by the test authority: `seeds FOLDER`.
@main
struct Seeds {
    static func main() throws {
        let folder = URL(fileURLWithPath: CommandLine.arguments[1])
        let clock = FixedClock(Instant(secondsSinceEpoch: 1_796_000_000))
        let authority = try Authority(clock: clock, random: SystemRandom())
        let purchase = SimulatedPurchase(
            environment: .sandbox, bundleID: "com.example.counterfoil",
            transactionID: "2000000000000001", productID: "coins100", kind: .consumable,
            purchaseDate: clock.now)
        let material = HostileMaterial(
            authority: authority, clock: clock, random: SystemRandom(), purchase: purchase)
        let receipts = try material.receipts().map(\.evidence)
        let tokens = try material.signedData().map(\.evidence)
        let payloads = tokens.compactMap { token in
            token.split(separator: UInt8(ascii: ".")).dropFirst().first
                .flatMap { Base64.decode($0, .url) }
        }
        try write(receipts + authority.rootCertificates, to: folder, "ASN1")
        try write(receipts, to: folder, "Receipt")
        try write(tokens + payloads, to: folder, "Token")
        try write(payloads + documents.map { Array($0.utf8) }, to: folder, "JSON")
        let texts = receipts.map { Array(Base64.encode($0, .standard).utf8) }
        try write(texts + tokens + damaged(texts), to: folder, "Text")
    }

    private static let documents = [
        "{}", "[]", "null", "-1.5e+10", "\"\\u00e9\\ud83d\\ude00\"", "[true,false,{\"a\":[1]}]",
        "// note\n{a: 'b', c: [1, 0x1F,], /* d */ e: \"\\n\"}",
    ]

    /// The first texts as forms, mail programs and JSON writers damage them.
    private static func damaged(_ texts: [[UInt8]]) -> [[UInt8]] {
        texts.prefix(3).flatMap { text in
            let plain = String(decoding: text, as: UTF8.self)
            return [
                plain.replacingOccurrences(of: "+", with: " "),
                plain.replacingOccurrences(of: "/", with: "\\/"),
                plain.replacingOccurrences(of: "+", with: "%2B"),
                plain.replacingOccurrences(of: "=", with: ""),
                plain.replacingOccurrences(of: "+", with: "-")
                    .replacingOccurrences(of: "/", with: "_"),
                String(plain.prefix(64)) + "\r\n" + String(plain.dropFirst(64)),
            ].map { Array($0.utf8) }
        }
    }

    private static func write(_ seeds: [[UInt8]], to folder: URL, _ target: String) throws {
        let place = folder.appendingPathComponent(target)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        for (number, seed) in seeds.enumerated() {
            try Data(seed).write(to: place.appendingPathComponent("seed-\(number)"))
        }
    }
}
