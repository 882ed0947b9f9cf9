// SPDX-License-Identifier: Apache-2.0

/// A place among elements that stand side by side.
///
/// It holds no reference to the bytes and is handed them at each step: a receipt has thousands of
/// elements, and counting references to its bytes would cost more than reading them.
struct ASN1Cursor: Sendable {
    // As in a header, the size limit keeps positions below 32 bits, and two registers hold all.
    private var nextPosition: UInt32
    private let endPosition: UInt32
    private var count: UInt32 = 0
    private let nesting: UInt8
    let rules: ASN1Rules

    init(_ range: Range<Int>, rules: ASN1Rules, depth: Int) {
        nextPosition = UInt32(range.lowerBound)
        endPosition = UInt32(range.upperBound)
        nesting = UInt8(depth)
        self.rules = rules
    }

    var position: Int { Int(nextPosition) }

    /// How many elements are around.
    var depth: Int { Int(nesting) }

    var isAtEnd: Bool { nextPosition == endPosition }

    var remainingByteCount: Int { Int(endPosition - nextPosition) }

    /// Takes the next element.
    @inline(__always)
    mutating func next(in bytes: Span<UInt8>) throws(ASN1Error) -> ASN1Header {
        count &+= 1
        guard count <= UInt32(Limits.maximumSiblingCount) else {
            throw ASN1Error(
                .count, "more than \(Limits.maximumSiblingCount) elements side by side",
                at: position)
        }
        let small = ASN1Header(
            smallAt: position, in: bytes, limit: Int(endPosition), rules: rules)
        let header = if let small { small } else { try any(in: bytes) }
        nextPosition = UInt32(truncatingIfNeeded: header.end)
        return header
    }

    @inline(never)
    private func any(in bytes: Span<UInt8>) throws(ASN1Error) -> ASN1Header {
        try ASN1Header(
            at: position, in: bytes, limit: Int(endPosition), rules: rules, depth: depth)
    }

    /// Takes the next element, which must have the tag.
    @inline(__always)
    mutating func next(
        _ tag: ASN1Tag, in bytes: Span<UInt8>
    ) throws(ASN1Error) -> ASN1Header {
        guard !isAtEnd else {
            throw ASN1Error(.unexpected, "end in place of \(tag)", at: position)
        }
        let header = try next(in: bytes)
        try header.require(tag)
        return header
    }

    /// Makes sure that nothing is left.
    func finish() throws(ASN1Error) {
        guard isAtEnd else {
            throw ASN1Error(
                .trailing, "\(remainingByteCount) bytes behind the last element", at: position)
        }
    }

    /// Goes to the front of the elements inside one of these.
    func inside(_ header: ASN1Header) throws(ASN1Error) -> ASN1Cursor {
        guard header.isConstructed else {
            throw ASN1Error(
                .unexpected, "\(header.tag) holds a value, not elements", at: header.start)
        }
        guard depth < Limits.maximumNestingDepth else {
            throw ASN1Error(
                .depth, "nested deeper than \(Limits.maximumNestingDepth)", at: header.start)
        }
        return ASN1Cursor(header.content, rules: rules, depth: depth + 1)
    }
}
