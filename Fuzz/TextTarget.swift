// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore

/// Mends the text of evidence; what was mended is clean, and clean text is left alone.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzText(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
    compareBase64(bytes, .standard)
    compareBase64(bytes, .url)
    guard let evidence = attempt({ try Evidence(bytes) }) else { return 0 }
    guard evidence.kind == .appReceipt || evidence.kind == .transactionReceipt else {
        precondition(!evidence.bytes.isEmpty, "evidence of nothing")
        return 0
    }
    let clean = Base64.encode(evidence.bytes, .standard)
    let again = attempt { try Evidence(text: clean) }
    precondition(again?.bytes == evidence.bytes, "mending is not stable")
    precondition(again?.kind == evidence.kind, "mending changes the kind")
    precondition(again?.repairs.isEmpty == true, "clean text was mended")
    return 0
}

/// One text for each value, and one value for each text.
private func compareBase64(_ text: [UInt8], _ variant: Base64.Variant) {
    if let decoded = Base64.decode(text, variant) {
        precondition(
            Base64.encode(decoded, variant).utf8.elementsEqual(text), "two texts for one value")
    }
    precondition(
        Base64.decode(Base64.encode(text, variant).utf8, variant) == text, "lost in base64")
}
