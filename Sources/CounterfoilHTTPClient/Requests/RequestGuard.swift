// SPDX-License-Identifier: Apache-2.0

internal import CounterfoilHTTP

/// What a request must fulfil before it comes near the library, which would send line breaks, guess
/// schemes and take fields that contradict the body.
enum RequestGuard {
    /// Fields that say how a message is framed, or whom the connection leads to.
    private static let transportFields: Set<String> = [
        "connection", "content-length", "expect", "host", "keep-alive", "proxy-connection", "te",
        "trailer", "transfer-encoding", "upgrade",
    ]

    static func check(_ request: OutgoingRequest) throws(HTTPTransportError) {
        try check(method: request.method)
        try check(url: request.url)
        var byteCount = 0
        for field in request.headers.fields {
            try check(field: field)
            byteCount += field.name.utf8.count + field.value.utf8.count
        }
        guard byteCount <= Limits.requestHeaderByteCount else {
            throw invalid("the header has more than \(Limits.requestHeaderByteCount) bytes")
        }
        guard request.method != .head || request.body.isEmpty else {
            throw invalid("a HEAD request has no body")
        }
    }

    static func check(field: HTTPHeaders.Field) throws(HTTPTransportError) {
        guard isToken(field.name) else { throw invalid("a header field's name is no token") }
        guard !transportFields.contains(field.name.lowercased()) else {
            throw invalid("the header field \(field.name) belongs to the transport")
        }
        guard field.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            throw invalid("the header field \(field.name) holds a control character")
        }
    }

    private static func check(method: HTTPMethod) throws(HTTPTransportError) {
        let name = method.rawValue
        guard isToken(name), name.utf8.count <= Limits.methodByteCount, name != "CONNECT" else {
            throw invalid("the method is not one that can be sent")
        }
    }

    private static func check(url: String) throws(HTTPTransportError) {
        let scheme = url.prefix { $0 != ":" }.lowercased()
        guard ["http", "https"].contains(scheme), url.dropFirst(scheme.count).hasPrefix("://")
        else { throw invalid("the address is neither http:// nor https://") }
        guard url.utf8.count <= Limits.urlByteCount else {
            throw invalid("the address has more than \(Limits.urlByteCount) bytes")
        }
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw invalid("the address holds a character that must be encoded")
        }
    }

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default:
                    "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    private static func invalid(_ message: String) -> HTTPTransportError {
        HTTPTransportError(.requestInvalid, message)
    }
}
