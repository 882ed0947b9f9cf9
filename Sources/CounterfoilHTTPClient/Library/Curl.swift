// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import CounterfoilCore
internal import CounterfoilHTTP
internal import Glibc

/// What the library must be told once for the process and for its thread.
///
/// This file holds all calls of libcurl. What rests on knowledge of its inside was seen in 7.88.
enum Curl {
    /// The result of the library's own set-up, which happens once.
    fileprivate static let globalResult = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    /// TLS may write to a connection that the other end closed; the thread must not die of it.
    static func blockPipeSignal() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    fileprivate static func milliseconds(_ duration: Duration) -> Int {
        // Rounded up, so that nobody wakes before the time; zero would mean "without end" or spin.
        Int(min(max(duration.wholeMilliseconds, 0), Int64(Int32.max) - 1)) + 1
    }

    fileprivate static func failure(_ code: CURLMcode) -> HTTPTransportError? {
        guard code != CURLM_OK else { return nil }
        return HTTPTransportError(
            .system, "the HTTP library failed",
            details: curl_multi_strerror(code).map { String(cString: $0) })
    }
}

/// The set of running transfers and kept connections.
///
/// `@unchecked Sendable`: the driver's thread alone uses it, but for ``wakeUp()``, which libcurl
/// allows from any thread; the inbox calls that under its lock and no more once the driver has told
/// it of the end, which the driver does before ``close()``.
final class CurlMulti: @unchecked Sendable {
    private var pointer: UnsafeMutableRawPointer?

    init(_ configuration: HTTPClientConfiguration) throws(HTTPTransportError) {
        guard Curl.globalResult == CURLE_OK, let pointer = curl_multi_init() else {
            throw HTTPTransportError(.system, "the HTTP library could not be set up")
        }
        self.pointer = pointer
        // Only idle connections are limited here; the driver counts those in use. With
        // CURLMOPT_MAX_HOST_CONNECTIONS some waiting transfers were forgotten until their connect
        // timeout (seen in 7.88).
        let idle = counterfoil_limit(
            pointer, CURLMOPT_MAXCONNECTS, max(1, configuration.maximumRunningCount))
        if let failure = Curl.failure(idle) { throw failure }
    }

    deinit {
        close()
    }

    func close() {
        if let pointer { curl_multi_cleanup(pointer) }
        pointer = nil
    }

    func wakeUp() {
        curl_multi_wakeup(pointer)
    }

    func add(_ handle: CurlHandle) throws(HTTPTransportError) {
        if let failure = Curl.failure(curl_multi_add_handle(pointer, handle.key)) { throw failure }
    }

    func remove(_ handle: CurlHandle) {
        curl_multi_remove_handle(pointer, handle.key)
    }

    /// Does what can be done without waiting.
    func perform() -> HTTPTransportError? {
        var count: Int32 = 0
        return Curl.failure(curl_multi_perform(pointer, &count))
    }

    /// Waits until there is something to do, somebody wakes it, or the time is over.
    func poll(_ timeout: Duration) -> HTTPTransportError? {
        Curl.failure(
            curl_multi_poll(pointer, nil, 0, Int32(Curl.milliseconds(timeout)), nil))
    }

    func nextFinished() -> (CurlHandle.Key, CurlResult)? {
        var result = CURLE_OK
        guard let key = counterfoil_next_finished(pointer, &result) else { return nil }
        return (key, CurlResult(code: result))
    }
}

/// One of the library's handles, for one transfer at a time.
final class CurlHandle {
    typealias Key = UnsafeMutableRawPointer

    let key: Key
    private let errorBuffer: UnsafeMutablePointer<CChar>
    private var fields: UnsafeMutablePointer<curl_slist>?
    private var knownHosts: UnsafeMutablePointer<curl_slist>?

    init() throws(HTTPTransportError) {
        guard let key = curl_easy_init() else {
            throw HTTPTransportError(.system, "the HTTP library has no memory")
        }
        self.key = key
        errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_easy_cleanup(key)
        curl_slist_free_all(fields)
        curl_slist_free_all(knownHosts)
        errorBuffer.deallocate()
    }

    /// The status of the answer.
    var status: Int { counterfoil_status(key) }

    /// The library's own words on what failed.
    var errorText: String? {
        errorBuffer.pointee == 0 ? nil : String(cString: errorBuffer)
    }

    /// Forgets the transfer; what it was prepared with is free again.
    func reset() {
        curl_easy_reset(key)
        curl_slist_free_all(fields)
        curl_slist_free_all(knownHosts)
        (fields, knownHosts) = (nil, nil)
        errorBuffer.pointee = 0
    }

    /// Sets the handle up for a request; `answer` must stay alive until the handle is reset.
    func prepare(
        _ request: OutgoingRequest, for answer: AnswerReader,
        _ configuration: HTTPClientConfiguration
    ) throws(HTTPTransportError) {
        let codes =
            common(configuration) + authorities(configuration.authorities) + message(request)
            + hosts(configuration.knownHosts()) + callbacks(answer)
        if let code = codes.first(where: { $0 != CURLE_OK }) {
            reset()
            throw HTTPTransportError(
                .system, "the HTTP library refused a setting",
                details: curl_easy_strerror(code).map { String(cString: $0) })
        }
    }

    private func common(_ configuration: HTTPClientConfiguration) -> [CURLcode] {
        [
            counterfoil_set_error_buffer(key, errorBuffer),
            set(CURLOPT_NOSIGNAL, 1),
            // Without it, giving up on a host's name waits for the name server and stops every
            // other transfer (Curl_resolver_kill).
            set(CURLOPT_QUICK_EXIT, 1),
            set(CURLOPT_PROTOCOLS_STR, "http,https"),
            set(CURLOPT_FOLLOWLOCATION, 0),
            set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1),
            set(CURLOPT_PATH_AS_IS, 1),
            // An empty text is no proxy, whatever the environment says; nil would ask it.
            set(CURLOPT_PROXY, ""),
            set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1),
            set(CURLOPT_MAXAGE_CONN, Limits.idleConnectionSeconds),
            set(CURLOPT_CONNECTTIMEOUT_MS, Curl.milliseconds(configuration.connectTimeout)),
            set(CURLOPT_USERAGENT, configuration.userAgent),
            set(CURLOPT_SSL_VERIFYPEER, 1),
            set(CURLOPT_SSL_VERIFYHOST, 2),
            set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2),
        ]
    }

    private func authorities(_ authorities: HTTPClientConfiguration.Authorities) -> [CURLcode] {
        switch authorities {
        case .system: []
        // The folder of the system's authorities would count beside the file.
        case .file(let path): [set(CURLOPT_CAINFO, path), set(CURLOPT_CAPATH, nil)]
        case .pem(let text): [setAuthorities(Array(text.utf8)), set(CURLOPT_CAPATH, nil)]
        }
    }

    private func hosts(_ known: [String]) -> [CURLcode] {
        guard !known.isEmpty else { return [] }
        for host in known {
            guard let longer = curl_slist_append(knownHosts, host) else {
                return [CURLE_OUT_OF_MEMORY]
            }
            knownHosts = longer
        }
        return [counterfoil_set_known_hosts(key, knownHosts)]
    }

    private func message(_ request: OutgoingRequest) -> [CURLcode] {
        var codes = [set(CURLOPT_URL, request.url)]
        if request.method == .head {
            codes.append(set(CURLOPT_NOBODY, 1))
        } else {
            // A length of zero is sent where a body is usual.
            let isBodyUsual = [.post, .put, .patch].contains(request.method)
            if isBodyUsual || !request.body.isEmpty { codes.append(setBody(request.body)) }
            codes.append(set(CURLOPT_CUSTOMREQUEST, request.method.rawValue))
            // Lets an announced length be refused before the body comes; zero would mean no limit.
            let limit = curl_off_t(max(1, request.maximumAnswerByteCount))
            codes.append(counterfoil_set_size(key, CURLOPT_MAXFILESIZE_LARGE, limit))
        }
        for field in request.headers.fields {
            // Behind a colon, an empty value would take the field away.
            let isEmpty = field.value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
            codes.append(append(isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"))
        }
        // What the library would add to bodies of its own accord.
        codes.append(append("Expect:"))
        if request.headers["Content-Type"] == nil { codes.append(append("Content-Type:")) }
        codes.append(counterfoil_set_headers(key, fields))
        return codes
    }

    private func callbacks(_ answer: AnswerReader) -> [CURLcode] {
        var callbacks = counterfoil_transfer_callbacks(
            closure: Unmanaged.passUnretained(answer).toOpaque(),
            body: { bytes, size, count, closure in
                CurlHandle.reader(closure).takeBody(.init(start: bytes, count: size * count))
                    ? size * count : CurlHandle.stop
            },
            header: { bytes, size, count, closure in
                CurlHandle.reader(closure).takeHeaderLine(.init(start: bytes, count: size * count))
                    ? size * count : CurlHandle.stop
            },
            sending: { closure, _, _, _, _ in
                CurlHandle.reader(closure).allowSending()
                    ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
            },
            connecting: { closure, _, address in
                guard let address else { return -1 }
                return CurlHandle.reader(closure).allowConnecting(to: CurlHandle.bytes(of: address))
                    ? counterfoil_open_socket(address) : -1
            })
        return [counterfoil_set_callbacks(key, &callbacks)]
    }
}

extension CurlHandle {
    /// Another number of bytes than was handed over ends the transfer.
    fileprivate static let stop = Int.max

    fileprivate static func reader(_ closure: UnsafeMutableRawPointer?) -> AnswerReader {
        guard let closure else { preconditionFailure("every callback has its closure") }
        return Unmanaged<AnswerReader>.fromOpaque(closure).takeUnretainedValue()
    }

    /// The address in the library's form; empty where it is none of the Internet Protocol.
    fileprivate static func bytes(of address: UnsafePointer<curl_sockaddr>) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
            buffer.initialize(repeating: 0)
            count = counterfoil_address_bytes(address, buffer.baseAddress)
        }
    }

    private func set(_ option: CURLoption, _ value: Int) -> CURLcode {
        counterfoil_set_long(key, option, value)
    }

    private func set(_ option: CURLoption, _ value: String?) -> CURLcode {
        counterfoil_set_text(key, option, value)
    }

    private func setBody(_ body: [UInt8]) -> CURLcode {
        body.withUnsafeBytes { bytes in
            // An empty array may have no address, and without one the library asks for a callback.
            counterfoil_set_body(
                key, bytes.baseAddress ?? UnsafeRawPointer(errorBuffer), curl_off_t(bytes.count))
        }
    }

    private func setAuthorities(_ pem: [UInt8]) -> CURLcode {
        pem.withUnsafeBytes { counterfoil_set_authorities(key, $0.baseAddress, $0.count) }
    }

    private func append(_ field: String) -> CURLcode {
        guard let longer = curl_slist_append(fields, field) else { return CURLE_OUT_OF_MEMORY }
        fields = longer
        return CURLE_OK
    }
}

/// How a transfer ended for the library.
struct CurlResult {
    /// The connection ended.
    static let interrupted = CurlResult(code: CURLE_PARTIAL_FILE)

    /// `CURLE_TOO_LARGE` of 8.6; earlier versions report a line that is too long for them (100 KB)
    /// as lack of memory, which Linux does not report.
    private static let lineTooLong = [CURLE_OUT_OF_MEMORY, CURLcode(100)]

    fileprivate let code: CURLcode

    /// The reason for programs and people; nil if the answer is complete.
    var failure: (HTTPTransportError.Code, String)? {
        switch code {
        case CURLE_OK:
            nil
        case CURLE_URL_MALFORMAT, CURLE_LOGIN_DENIED:
            (.requestInvalid, "the address cannot be used")
        case CURLE_COULDNT_RESOLVE_HOST:
            (.unresolved, "the host's name has no address")
        case CURLE_COULDNT_CONNECT:
            (.connect, "no connection to the host")
        case CURLE_OPERATION_TIMEDOUT:
            (.timeout, "no connection in time")
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CIPHER,
            CURLE_SSL_CERTPROBLEM, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            (.tls, "the host could not be verified, or no encryption was agreed on")
        case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_SEND_ERROR, CURLE_RECV_ERROR:
            (.interrupted, "the connection ended before the answer was complete")
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL:
            (.protocolViolation, "the answer is not HTTP/1.1")
        case CURLE_FILESIZE_EXCEEDED:
            (.tooLarge, "the answer is announced to be longer than its limit")
        case _ where Self.lineTooLong.contains(code):
            (.tooLarge, "a line of the answer's head is too long")
        default:
            (.system, "the HTTP library failed")
        }
    }
}
