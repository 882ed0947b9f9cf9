// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore

/// Text encoding of certificates (RFC 7468).
package enum PEM {
    package static let certificateLabel = "CERTIFICATE"

    private static let charactersPerLine = 64

    /// The bytes in base64 between lines that name them.
    package static func text(_ bytes: [UInt8], label: String) -> String {
        var text = "-----BEGIN \(label)-----\n"
        var rest = Base64.encode(bytes, .standard)[...]
        while !rest.isEmpty {
            text += rest.prefix(charactersPerLine) + "\n"
            rest = rest.dropFirst(charactersPerLine)
        }
        return text + "-----END \(label)-----\n"
    }
    /// The bytes of the first block that is labelled so, or nil.
    package static func firstBlock(labelled label: String, in text: String) -> [UInt8]? {
        let lines = text.split(separator: "\n")
        guard let begin = lines.firstIndex(of: "-----BEGIN \(label)-----"),
            let end = lines[begin...].firstIndex(of: "-----END \(label)-----")
        else { return nil }
        return Base64.decode(lines[(begin + 1)..<end].joined().utf8, .standard)
    }
}
