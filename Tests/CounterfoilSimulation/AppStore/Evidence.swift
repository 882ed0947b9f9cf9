// SPDX-License-Identifier: Apache-2.0
import CounterfoilCrypto
import CounterfoilReferenceModel

/// Something to hand in: the text, and what the model knows about it.
struct Evidence {
    let text: String
    let digest: [UInt8]
    let meaning: ReferenceModel.Evidence

    init(_ text: String, digest: [UInt8], meaning: ReferenceModel.Evidence) {
        self.text = text
        self.digest = digest
        self.meaning = meaning
    }

    init(text: String, meaning: ReferenceModel.Evidence) {
        self.init(text, digest: Digest.sha256(text.utf8), meaning: meaning)
    }
}
