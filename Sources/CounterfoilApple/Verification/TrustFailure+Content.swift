// SPDX-License-Identifier: Apache-2.0

internal import CounterfoilCore
public import CounterfoilTrust

extension TrustFailure {
    /// A text that is no evidence.
    public init(_ error: EvidenceTextError) {
        self.init(
            .malformed, check: error.check, expected: error.expected, actual: error.actual)
    }

    /// Signed JSON with a value that cannot be what its field says.
    public init(_ error: PayloadError) {
        self.init(
            .malformedPayload, check: "payload.field",
            expected: error.path.isEmpty ? error.expected : "\(error.expected) in \(error.path)",
            actual: error.actual)
    }

    /// Bytes that begin as a transaction receipt and are none.
    public static let noTransactionReceipt = TrustFailure(
        .malformed, check: "transaction-receipt.structure",
        expected: "a dictionary with a purchase inside", actual: "something else")

    /// A receipt whose content cannot be read.
    public init(_ error: ReceiptPayloadError) {
        self.init(
            .malformedPayload, check: "receipt.payload",
            expected: "\(error.expected) in \(error.place)", actual: error.actual)
    }
}

extension AppReceipt {
    /// As ``init(payload:)``, with the failure of a judgement.
    init(judging payload: ArraySlice<UInt8>) throws(TrustFailure) {
        do {
            try self.init(payload: payload)
        } catch {
            throw TrustFailure(error)
        }
    }
}

extension SignedContent {
    /// As ``init(fields:)``, with the failure of a judgement.
    init(judging fields: JSONObject) throws(TrustFailure) {
        do {
            try self.init(fields: fields)
        } catch {
            throw TrustFailure(error)
        }
    }
}
