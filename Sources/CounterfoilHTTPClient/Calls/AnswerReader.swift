// SPDX-License-Identifier: Apache-2.0

internal import CounterfoilHTTP

/// Collects an answer from what the library hands over piece by piece, within the limits.
///
/// Each function says whether the library shall go on.
final class AnswerReader {
    private(set) var headers = HTTPHeaders()
    private(set) var body: [UInt8] = []

    /// Why the transfer was broken off here.
    private(set) var failure: (HTTPTransportError.Code, String)?

    /// Whether the library had a connection and began to send.
    private(set) var wasSent = false

    /// Whether an address of the host was one that the client does not connect to.
    private(set) var hasRefusedAddress = false

    private let maximumByteCount: Int
    private let mayRepeat: Bool
    private let addresses: AddressPolicy
    private var headerByteCount = 0

    /// Whether the empty line came; what follows the body then are trailers.
    private(set) var isHeadComplete = false

    init(of request: OutgoingRequest, within addresses: AddressPolicy) {
        self.addresses = addresses
        maximumByteCount = request.maximumAnswerByteCount
        // RFC 9110 § 9.2.2.
        let idempotent = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"]
        mayRepeat = idempotent.contains(request.method.rawValue)
    }

    /// Asked before each connection with the very address that it goes to, whatever a look-up of the
    /// name said earlier.
    func allowConnecting(to bytes: [UInt8]) -> Bool {
        if let address = IPAddress(bytes: bytes), addresses.admits(address) { return true }
        hasRefusedAddress = true
        return false
    }

    /// Asked before each sending; the library sends again when a kept connection was dead.
    func allowSending() -> Bool {
        if wasSent, !mayRepeat {
            failure = (.interrupted, "the connection ended before an answer came")
            return false
        }
        wasSent = true
        return true
    }

    /// Takes a line of a head or of trailers, with its line break.
    func takeHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
        headerByteCount += line.count
        guard headerByteCount <= Limits.answerHeaderByteCount else {
            failure = (
                .tooLarge, "the answer's head has more than \(Limits.answerHeaderByteCount) bytes"
            )
            return false
        }
        if line.starts(with: "HTTP/".utf8) {
            // The first head, or the next one after an interim answer. The library takes the line
            // of another version where it asked for this one.
            guard line.starts(with: "HTTP/1.".utf8) else {
                failure = (.protocolViolation, "the answer is not HTTP/1.1")
                return false
            }
            headers = HTTPHeaders()
            isHeadComplete = false
            return true
        }
        let text = Self.trim(line[...])
        guard !text.isEmpty else {
            isHeadComplete = true
            return true
        }
        guard !isHeadComplete else { return true }
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")),
            line.first.map(Self.isBlank) == false
        else {
            failure = (.protocolViolation, "the answer's head has a line that is no field")
            return false
        }
        headers.append(
            String(decoding: text[..<colon], as: UTF8.self),
            String(decoding: Self.trim(text[(colon + 1)...]), as: UTF8.self))
        return true
    }

    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= maximumByteCount - body.count else {
            failure = (.tooLarge, "the answer has more than \(maximumByteCount) bytes")
            return false
        }
        body.append(contentsOf: bytes)
        return true
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
            || byte == UInt8(ascii: "\n")
    }

    private static func trim(
        _ bytes: Slice<UnsafeRawBufferPointer>
    ) -> Slice<UnsafeRawBufferPointer> {
        var bytes = bytes
        while let first = bytes.first, isBlank(first) { bytes.removeFirst() }
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return bytes
    }
}
