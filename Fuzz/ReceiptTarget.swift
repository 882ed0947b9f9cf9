// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
import CounterfoilTrust

private let verifier = EvidenceVerifier(trusting: .apple)
private let now = Instant(secondsSinceEpoch: 1_796_000_000)

/// Reads a container and whatever payload it holds, as inspection and as verification do.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzReceipt(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
    if let container = attempt({ try SignedCMS(bytes[...]) }) {
        _ = attempt { try container.certificates().map { CertificatePath.Step($0) } }
        readPayload(Array(container.content))
    }
    readPayload(bytes)
    if let verified = attempt({ try verifier.verify(text: bytes, at: now) }) {
        // Only the seeds are signed, and not by Apple.
        preconditionFailure("trusted: \(verified)")
    }
    return 0
}

private func readPayload(_ payload: [UInt8]) {
    guard let receipt = attempt({ try AppReceipt(payload: payload) }) else { return }
    _ = receipt.environment
    for attribute in receipt.attributes { _ = attribute.value }
    for purchase in receipt.purchases {
        _ = purchase.type
        for attribute in purchase.attributes { _ = attribute.value }
    }
}
