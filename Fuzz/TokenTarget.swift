// SPDX-License-Identifier: Apache-2.0

import CounterfoilApple
import CounterfoilCore
import CounterfoilTrust

private let verifier = EvidenceVerifier(trusting: .apple)
private let now = Instant(secondsSinceEpoch: 1_796_000_000)

/// Reads a compact JWS, and the same bytes as a payload.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzToken(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
    if let token = attempt({ try CompactJWS(bytes[...]) }) {
        _ = attempt { try token.header() }
        if let fields = attempt({ try token.payload() }) { readPayload(fields) }
    }
    if let fields = attempt({ try JSONValue(parsing: bytes).object }) ?? nil {
        readPayload(fields)
    }
    let evidence = attempt { try Evidence(bytes) }
    if let evidence, let verified = attempt({ try verifier.verify(evidence, at: now) }) {
        // Only the seeds are signed, and not by Apple.
        preconditionFailure("trusted: \(verified)")
    }
    return 0
}

private func readPayload(_ fields: JSONObject) {
    if let content = attempt({ try SignedContent(fields: fields) }) {
        precondition(content.fields == fields, "a payload lost fields")
        _ = content.signedDate
        _ = content.environment
    }
    // Whatever the kind, every reader must bear every object.
    _ = attempt { try JWSTransaction(fields: fields) }
    _ = attempt { try JWSRenewalInfo(fields: fields) }
    _ = attempt { try JWSNotification(fields: fields) }
    _ = attempt { try JWSAppTransaction(fields: fields) }
    _ = attempt { try JWSRealtimeRequest(fields: fields) }
}
