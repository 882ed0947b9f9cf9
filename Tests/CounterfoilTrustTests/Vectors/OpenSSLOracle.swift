// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilSimulator
import CounterfoilTestSupport
import Foundation
import Testing

@testable import CounterfoilTrust

/// The same receipts judged by `openssl smime -verify`, which is `PKCS7_verify` in a separate program.
struct OpenSSLOracle {
    /// Where the two differ, and why ours is right.
    private static let allowedDisagreements: [String: String] = [
        "apple-sample-201010-mac": "OpenSSL does not ask for Apple's marker extensions",
        "synthetic-sandbox-2iap": "the intermediate lacks the marker extension",
        "synthetic-leaf-without-oid": "leaf and intermediate lack the marker extensions",
        "synthetic-expired-leaf-signed-before": "the intermediate lacks the marker extension",
        "synthetic-vpp": "the intermediate lacks the marker extension",
        "synthetic-production": "the intermediate lacks the marker extension",
        "synthetic-no-environment": "the intermediate lacks the marker extension",
        "mutated-trailing-zeros": "OpenSSL stops reading behind the container",
    ]

    private struct Answer {
        let accepts: Bool
        let content: [UInt8]
    }

    /// Asks the program; nil where it is not installed.
    private func ask(_ receipt: [UInt8], root: [UInt8], at date: Instant) throws -> Answer? {
        let folder = TemporaryFolder()
        let (input, output) = (folder.file("receipt.der"), folder.file("content"))
        let anchor = folder.file("root.pem")
        try Data(receipt).write(to: URL(fileURLWithPath: input))
        try Data(PEM.text(root, label: PEM.certificateLabel).utf8)
            .write(to: URL(fileURLWithPath: anchor))
        let (status, _) = try ChildProcess.run(
            "/usr/bin/env",
            [
                "openssl", "smime", "-verify", "-inform", "DER", "-in", input, "-CAfile",
                anchor, "-purpose", "any", "-binary", "-out", output, "-attime",
                String(date.millisecondsSinceEpoch / 1000),
            ])
        guard status != 127 else { return nil }
        let accepts = status == 0
        let content = accepts ? [UInt8](try Data(contentsOf: URL(fileURLWithPath: output))) : []
        return Answer(accepts: accepts, content: content)
    }

    private func root(of vector: ReceiptVector) throws -> [UInt8] {
        let file = vector.rootFile ?? "receipts/apple-root-ca.cert.b64"
        return try AnchorText.der(of: OutsideVectors.bytes(file))
    }

    @Test("OpenSSL comes to the same answer", arguments: ReceiptVector.all)
    func agreement(_ vector: ReceiptVector) throws {
        guard let date = vector.creationDate else {
            #expect(vector.verdict.hasPrefix("malformed"))
            return
        }
        guard let answer = try ask(vector.bytes, root: root(of: vector), at: date) else {
            print("OpenSSLOracle: skipped, the openssl program is absent")
            return
        }
        let isTrusted = vector.verdict == "trusted"
        if Self.allowedDisagreements[vector.name] != nil {
            #expect(answer.accepts && !isTrusted, "the list of disagreements is out of date")
            return
        }
        #expect(answer.accepts == isTrusted)
        guard answer.accepts else { return }
        let verified = try TrustVerifier(store: vector.store).verify(
            cms: vector.bytes[...], reading: creationDate)
        #expect(Array(verified.payload) == answer.content)
    }
}
