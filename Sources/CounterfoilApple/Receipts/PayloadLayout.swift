// SPDX-License-Identifier: Apache-2.0

/// Where the attributes of a receipt lie, found in one pass that checks every purchase.
struct PayloadLayout {
    static let purchaseType: Int64 = 17

    /// The numbers that Apple gives out for the receipt itself, each once.
    private static let knownTypes: ClosedRange<Int64> = 0...25

    /// The SETs of the purchases in payload order.
    private(set) var purchases: [Range<Int>] = []

    /// The octets of each known attribute; an absent one has none.
    private var known = [Range<Int>](repeating: 0..<0, count: knownTypes.count)

    /// Nil where the encoding is not plain.
    init?(_ payload: [UInt8]) throws(ReceiptPayloadError) {
        let result = payload.withUnsafeBufferPointer { bytes in
            Result { () throws(ReceiptPayloadError) in try Self(scanning: bytes) }
        }
        guard let layout = try result.get() else { return nil }
        self = layout
    }

    private init?(scanning bytes: UnsafeBufferPointer<UInt8>) throws(ReceiptPayloadError) {
        guard var scanner = AttributeScanner(setIn: bytes.indices, of: bytes) else { return nil }
        var seen: UInt32 = 0
        while let found = scanner.next() {
            if found.type == Self.purchaseType {
                guard try take(found.octets, of: bytes) else { return nil }
            } else if Self.knownTypes.contains(found.type) {
                let bit: UInt32 = 1 &<< UInt32(found.type)
                guard seen & bit == 0 else {
                    throw ReceiptPlace(attribute: found.type)
                        .error(expected: "one attribute", actual: "two")
                }
                seen |= bit
                known[Int(found.type)] = found.octets
            }
        }
        if scanner.isUnusual { return nil }
    }

    private mutating func take(
        _ purchase: Range<Int>, of bytes: UnsafeBufferPointer<UInt8>
    ) throws(ReceiptPayloadError) -> Bool {
        guard purchases.count < Limits.purchaseCount else {
            throw ReceiptPlace().error(
                expected: "at most \(Limits.purchaseCount) purchases", actual: "more")
        }
        purchases.append(purchase)
        return try InAppPurchase.check(purchase, in: bytes, number: purchases.count)
    }

    /// Reads known attributes of the payload that was laid out.
    func reader(of payload: [UInt8]) -> Reader { Reader(payload: payload, known: known) }

    struct Reader {
        fileprivate let payload: [UInt8]
        fileprivate let known: [Range<Int>]

        /// The octets of an attribute; nil where it is missing or has none.
        func octets(_ type: Int) -> ArraySlice<UInt8>? {
            known[type].isEmpty ? nil : payload[known[type]]
        }

        /// The value of an attribute about identity, money or time.
        func strict<Value>(
            _ type: Int,
            _ read: (AttributeValues, Range<Int>, ReceiptPlace) throws(ReceiptPayloadError) ->
                Value?
        ) throws(ReceiptPayloadError) -> Value? {
            let place = ReceiptPlace(attribute: Int64(type))
            let result = payload.withUnsafeBufferPointer { bytes in
                Result { () throws(ReceiptPayloadError) in
                    try read(AttributeValues(bytes: bytes), known[type], place)
                }
            }
            return try result.get()
        }

        /// The value of an attribute that decides nothing.
        func lenient<Value>(
            _ type: Int, _ read: (AttributeValues, Range<Int>, ReceiptPlace) throws -> Value?
        ) -> Value? {
            payload.withUnsafeBufferPointer { bytes in
                AttributeValues(bytes: bytes)
                    .lenient { try read($0, known[type], ReceiptPlace()) }
            }
        }
    }
}
