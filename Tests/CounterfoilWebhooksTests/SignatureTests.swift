// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilTestSupport
import Testing

@testable import CounterfoilWebhooks

/// A message and the signature that others computed for it.
struct SignatureVector: Sendable, CustomTestStringConvertible {
    let name: String
    let secret: String
    let id: String
    let seconds: Int64
    let body: String
    let signature: String

    var testDescription: String { name }

    static let all = [
        SignatureVector(
            name: "the constant of the reference libraries",
            secret: "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
            seconds: 1_614_265_330, body: #"{"test": 2432232314}"#,
            signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="),
        SignatureVector(
            name: "bytes that count", secret: counting, id: "evt_0001", seconds: 1_760_000_000,
            body: #"{"type":"purchase.fulfilled","seq":7}"#,
            signature: "v1,VWkcT93zds1zXq2cD7awMf2xP9+YBz6aH0IeJj91jSM="),
        SignatureVector(
            name: "a body beyond ASCII", secret: counting, id: "evt_0001", seconds: 1_760_000_000,
            body: #"{"type":"purchase.fulfilled","note":"金币 100"}"#,
            signature: "v1,VgGAS3DV47Kqm4q+/2gPoQWYjUUWHCf54CYzfOiZvwQ="),
    ]

    static let counting = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

    /// The request's fields as a receiver gets them.
    var fields: [(name: String, value: String)] {
        [
            ("Content-Type", "application/json"), ("Webhook-Id", id),
            ("WEBHOOK-TIMESTAMP", String(seconds)), ("webhook-signature", signature),
        ]
    }

    func verify(
        _ fields: [(name: String, value: String)]? = nil, body: String? = nil,
        secrets: [String]? = nil, after delay: Duration = .zero
    ) -> String {
        do throws(WebhookRefusal) {
            var known: [WebhookSecret] = []
            for secret in secrets ?? [secret] { known.append(try WebhookSecret(secret)) }
            let webhook = try WebhookVerifier(secrets: known).verify(
                fields ?? self.fields, body: Array((body ?? self.body).utf8),
                now: Instant(secondsSinceEpoch: seconds) + delay)
            return webhook.id
        } catch {
            return error.code.description
        }
    }
}

@Suite("Signatures of webhooks")
struct SignaturesOfWebhooks {
    @Test("A message gets the published signature", arguments: SignatureVector.all)
    func signs(_ vector: SignatureVector) throws {
        let signed = try WebhookSignature(
            of: vector.body.utf8, id: vector.id, at: Instant(secondsSinceEpoch: vector.seconds),
            with: [try WebhookSecret(vector.secret)])
        #expect(signed.signature == vector.signature)
        #expect(signed.timestamp == String(vector.seconds))
    }

    @Test("A published signature is believed", arguments: SignatureVector.all)
    func verifies(_ vector: SignatureVector) {
        #expect(vector.verify() == vector.id)
    }

    @Test("While a secret is changed both sign, and either receiver believes it")
    func rotation() throws {
        let vector = SignatureVector.all[1]
        let old = try WebhookSecret(vector.secret)
        let new = WebhookSecret(random: SeededRandom(seed: 7))
        let signed = try WebhookSignature(
            of: vector.body.utf8, id: vector.id, at: Instant(secondsSinceEpoch: vector.seconds),
            with: [new, old])
        #expect(signed.signature.split(separator: " ").count == 2)
        #expect(vector.verify(signed.fields, secrets: [new.text]) == vector.id)
        #expect(vector.verify(signed.fields, secrets: [old.text]) == vector.id)
        #expect(vector.verify(signed.fields, secrets: [new.text, old.text]) == vector.id)
        let third = WebhookSecret(random: SeededRandom(seed: 8)).text
        #expect(vector.verify(signed.fields, secrets: [third]) == "webhook.signature_wrong")
    }

    @Test("Signatures of other versions stand beside ours and count for nothing")
    func versions() {
        let vector = SignatureVector.all[1]
        func with(_ signature: String) -> String {
            var fields = vector.fields
            fields[3].value = signature
            return vector.verify(fields)
        }
        let code = vector.signature.dropFirst(3)
        #expect(with("v1a,AAAA v2,\(code) \(vector.signature)") == vector.id)
        #expect(with("v1a,\(code)") == "webhook.signature_wrong")
        #expect(with("\(code)") == "webhook.signature_wrong")
        #expect(with("") == "webhook.signature_wrong")
        let many = Array(repeating: "v1,AAAA", count: 16).joined(separator: " ")
        #expect(with("\(many) \(vector.signature)") == "webhook.signature_wrong")
    }

    @Test(
        "Five minutes are tolerated to both sides, and not a second more",
        arguments: [
            (-301, "webhook.too_new"), (-300, "evt_0001"), (0, "evt_0001"), (300, "evt_0001"),
            (301, "webhook.too_old"), (600, "webhook.too_old"), (-600, "webhook.too_new"),
        ])
    func window(seconds: Int, result: String) {
        #expect(SignatureVector.all[1].verify(after: .seconds(seconds)) == result)
    }

    @Test("A changed body, id or time is not believed")
    func changed() {
        let vector = SignatureVector.all[1]
        #expect(vector.verify(body: vector.body + " ") == "webhook.signature_wrong")
        #expect(vector.verify(body: "") == "webhook.signature_wrong")
        for (index, value) in [(1, "evt_0002"), (2, "1760000001")] {
            var fields = vector.fields
            fields[index].value = value
            #expect(vector.verify(fields) == "webhook.signature_wrong")
        }
    }

    @Test("Each field is there once and can be read")
    func fields() {
        let vector = SignatureVector.all[1]
        for index in 1...3 {
            var fields = vector.fields
            fields.append(fields[index])
            #expect(vector.verify(fields) == "webhook.header_invalid")
            fields = vector.fields
            fields.remove(at: index)
            #expect(vector.verify(fields) == "webhook.header_missing")
        }
        let unreadable = [
            (1, "a.b"), (1, ""), (1, "a b"), (2, ""), (2, "+1760000000"), (2, "01760000000"),
            (2, "1760000000.0"), (2, "1760000000000000"), (2, "９"),
            (3, String(repeating: "v1,AAAA ", count: 600)),
        ]
        for (index, value) in unreadable {
            var fields = vector.fields
            fields[index].value = value
            #expect(vector.verify(fields) == "webhook.header_invalid", "\(value.prefix(40))")
        }
    }

    @Test("An id with a point is not signed, since it could be read in two ways")
    func ids() throws {
        let secret = try WebhookSecret(SignatureVector.counting)
        for id in ["a.b", "", "a b", "é", String(repeating: "a", count: 257)] {
            #expect(throws: WebhookRefusal.self) {
                try WebhookSignature(
                    of: [], id: id, at: Instant(secondsSinceEpoch: 1), with: [secret])
            }
        }
        #expect(throws: WebhookRefusal.self) {
            try WebhookSignature(of: [], id: "a", at: Instant(secondsSinceEpoch: 1), with: [])
        }
    }
}

@Suite("Secrets of webhooks")
struct SecretsOfWebhooks {
    @Test("A secret has 24 to 64 bytes in base64")
    func lengths() throws {
        for count in [0, 23, 65] {
            #expect(throws: WebhookRefusal.self) {
                try WebhookSecret(bytes: [UInt8](repeating: 1, count: count))
            }
        }
        for count in [24, 32, 64] {
            let secret = try WebhookSecret(bytes: [UInt8](repeating: 1, count: count))
            #expect(try WebhookSecret(secret.text) == secret)
        }
        for text in ["", "whsec_", "whsec_!!!!", "whpk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] {
            #expect(throws: WebhookRefusal.self) { try WebhookSecret(text) }
        }
    }

    @Test("Showing a value that holds a secret does not show the secret")
    func redaction() {
        struct Holder { let secret: WebhookSecret }
        let holder = Holder(secret: WebhookSecret(random: SeededRandom(seed: 1)))
        var dumped = ""
        dump(holder, to: &dumped)
        let shown = "\(holder) \(String(reflecting: holder)) \(dumped)"
        #expect(!shown.contains(holder.secret.text.dropFirst(6)))
        #expect(!shown.contains("bytes"))
    }
}
