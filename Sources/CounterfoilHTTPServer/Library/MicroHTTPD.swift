// SPDX-License-Identifier: Apache-2.0

internal import CMicroHTTPD
internal import CounterfoilHTTP
internal import Glibc

/// All calls of libmicrohttpd and the sockets below it.
///
/// Guards that rest on knowledge of the library's inside name the version they were read from.
enum MicroHTTPD {
    static func reason(_ status: Int) -> String {
        MHD_get_reason_phrase_for(UInt32(status)).map { String(cString: $0) } ?? "Unknown"
    }

    /// Sends what fits at once and ends the sending side; a client that did not read so far that
    /// nothing fits misses its answer.
    static func sendLast(_ bytes: [UInt8], to socket: Int32) {
        _ = bytes.withUnsafeBytes { counterfoil_send_all(socket, $0.baseAddress, $0.count) }
        counterfoil_stop_sending(socket)
    }

    /// Ends both directions; the library notices and closes.
    static func shutDown(_ socket: Int32) {
        counterfoil_shut_down(socket)
    }

    static var coreCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// Starts daemons that report to `core` and keep it alive until they are stopped.
    static func start(_ core: ServerCore) throws(HTTPServerError) -> LibraryDaemons {
        let configuration = core.configuration
        let count = max(1, configuration.threadCount ?? coreCount)
        // Our own limit is the exact one; connections need not spread evenly over the daemons.
        let limit = UInt32(
            clamping: configuration.maximumConnectionCount + Limits.closingConnectionCount)
        var daemons = LibraryDaemons(waker: try Waker(), pointers: [], threads: [])
        for _ in 0..<count {
            let thread = Unmanaged.passRetained(ServingThread(core: core))
            daemons.threads.append(thread)
            var callbacks = counterfoil_callbacks(
                closure: thread.toOpaque(), handle: handle, completed: completed,
                connection: connectionChanged, log: log, target: targetRead)
            let daemon = counterfoil_start(
                &callbacks, limit, Limits.connectionMemoryByteCount, daemons.waker.descriptor)
            guard let daemon else {
                daemons.stop()
                throw HTTPServerError(code: .system, message: "the system refused a thread")
            }
            daemons.pointers.append(daemon)
        }
        return daemons
    }

    /// Listens on an address, or on all of both kinds.
    static func listen(
        _ address: String?, port: UInt16
    ) throws(HTTPServerError) -> Int32 {
        guard let address else {
            do throws(HTTPServerError) {
                return try listen("::", port: port, isDual: true)
            } catch {
                // A machine without IPv6 still has IPv4.
                guard error.code == .addressUnavailable else { throw error }
                return try listen("0.0.0.0", port: port, isDual: false)
            }
        }
        return try listen(address, port: port, isDual: address == "::")
    }

    static func isAddress(_ text: String) -> Bool {
        counterfoil_is_address(text) == 1
    }

    private static func listen(
        _ address: String, port: UInt16, isDual: Bool
    ) throws(HTTPServerError) -> Int32 {
        let socket = counterfoil_listen(address, port, isDual ? 1 : 0, Limits.backlog)
        if socket >= 0 { return socket }
        let error = errno
        guard socket == -1 else {
            throw HTTPServerError(
                code: .addressInvalid,
                message: "\"\(address)\" is neither an IPv4 nor an IPv6 address in numbers")
        }
        let place = address.utf8.contains(UInt8(ascii: ":")) ? "[\(address)]" : address
        throw HTTPServerError(
            code: code(of: error), message: "\(place):\(port): \(String(cString: strerror(error)))")
    }

    static func port(of socket: Int32) -> UInt16 { counterfoil_port(socket) }

    /// Takes one waiting connection.
    static func accept(_ listener: Int32) -> AcceptResult {
        var address = sockaddr_storage()
        var size: socklen_t = 0
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { text in
            guard let room = text.baseAddress else { return .none }
            let half = text.count / 2
            let socket = counterfoil_accept(
                listener, &address, &size, room, room + half, socklen_t(half))
            if socket >= 0 {
                return .client(
                    Client(
                        socket: socket, address: address, addressSize: size,
                        origin: Origin(
                            address: String(cString: room), network: String(cString: room + half))))
            }
            switch errno {
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
            case ECONNABORTED, EINTR: return .again
            default: return .none
            }
        }
    }

    static func close(_ socket: Int32) { _ = Glibc.close(socket) }

    static func releaseFreeMemory() { counterfoil_release_free_memory() }

    /// For each socket whether all was read and the other end has closed its side.
    static func endedSockets(_ sockets: [Int32]) -> [Bool] {
        var polled = sockets.map {
            pollfd(fd: $0, events: Int16(counterfoil_poll_ended), revents: 0)
        }
        guard poll(&polled, nfds_t(polled.count), 0) > 0 else {
            return [Bool](repeating: false, count: sockets.count)
        }
        return polled.map { $0.revents != 0 && counterfoil_is_at_end($0.fd) != 0 }
    }

    /// Raises the limit of open files so far as the system lets everybody; beyond it, connections
    /// wait in the system's queue.
    static func allowDescriptors(_ count: Int) {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
            limit.rlim_cur < rlim_t(count)
        else { return }
        limit.rlim_cur = min(limit.rlim_max, rlim_t(count))
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    private static func code(of error: Int32) -> HTTPServerError.Code {
        switch error {
        case EADDRINUSE: .addressInUse
        case EADDRNOTAVAIL, EAFNOSUPPORT: .addressUnavailable
        case EACCES, EPERM: .permissionDenied
        default: .system
        }
    }
}

/// What came of looking for a waiting connection.
enum AcceptResult {
    case client(Client)

    /// The one that waited went away; there may be others.
    case again

    /// The system has no room for a further one just now.
    case exhausted

    case none
}

/// A connection that nobody serves yet.
struct Client {
    let socket: Int32
    fileprivate let address: sockaddr_storage
    fileprivate let addressSize: socklen_t
    let origin: Origin
}

/// Wakes the daemons' threads.
///
/// When as many events came as a thread takes at once (128), it waits for a further one, without a
/// time limit, before it looks at any of them (`MHD_epoll`, 0.9.75). The further one is this: no
/// connection, but an event that the thread passes over.
final class Waker: Sendable {
    fileprivate let descriptor: Int32

    fileprivate init() throws(HTTPServerError) {
        descriptor = counterfoil_make_waker()
        guard descriptor >= 0 else {
            throw HTTPServerError(code: .system, message: "the system refused an event")
        }
    }

    deinit { MicroHTTPD.close(descriptor) }

    /// Lets each thread look at what it has.
    func wake() { counterfoil_wake(descriptor) }
}

/// The running daemons, one for each thread.
///
/// `@unchecked Sendable`: the library lets any thread hand over sockets, and ``HTTPServer`` stops
/// them once. They do not listen themselves: to stop the library's own listening under load is a
/// race that ends the process (`MHD_quiesce_daemon` with several threads, 0.9.75).
struct LibraryDaemons: @unchecked Sendable {
    let waker: Waker
    fileprivate var pointers: [OpaquePointer]
    fileprivate var threads: [Unmanaged<ServingThread>]

    var count: Int { pointers.count }

    /// Hands a connection to the daemon of that number; the library closes it in any case.
    func add(_ client: Client, to number: Int) {
        var address = client.address
        withUnsafePointer(to: &address) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = MHD_add_connection(
                    pointers[number], client.socket, address, client.addressSize)
            }
        }
    }

    /// Waits for the threads and closes everything; no connection may be suspended.
    func stop() {
        pointers.forEach { MHD_stop_daemon($0) }
        threads.forEach { $0.release() }
    }
}

/// A connection as the library knows it; `@unchecked Sendable`: ``resume()`` may be called on any
/// thread, everything else is called on the connection's own.
struct LibraryConnection: @unchecked Sendable {
    fileprivate let pointer: OpaquePointer

    var socket: Int32 { counterfoil_connection_socket(pointer) }

    /// The first Content-Length of a head, complete or not.
    var firstContentLength: String? {
        var value: UnsafePointer<CChar>?
        var count = 0
        let name = MHD_HTTP_HEADER_CONTENT_LENGTH
        guard
            MHD_lookup_connection_value_n(
                pointer, .HEADER_KIND, name, name.utf8.count, &value, &count) == .YES
        else { return nil }
        return String(decoding: UnsafeRawBufferPointer(start: value, count: count), as: UTF8.self)
    }

    func suspend() { MHD_suspend_connection(pointer) }

    func resume() { MHD_resume_connection(pointer) }

    /// Hands the answer over; false if the library does not take it.
    func queue(_ response: HTTPResponse, closes: Bool) -> Bool {
        let handle = response.body.withUnsafeBytes { body in
            MHD_create_response_from_buffer(
                body.count, UnsafeMutableRawPointer(mutating: body.baseAddress),
                .RESPMEM_MUST_COPY)
        }
        guard let handle else { return false }
        defer { MHD_destroy_response(handle) }
        for field in response.headers.fields {
            _ = MHD_add_response_header(handle, field.name, field.value)
        }
        if closes { _ = MHD_add_response_header(handle, "Connection", "close") }
        return MHD_queue_response(pointer, UInt32(clamping: response.status), handle) == .YES
    }
}

/// A request target with the address it was read at, for ``HeadLayout``.
struct LibraryTarget {
    let text: String
    let start: UInt
    let byteCount: Int

    /// The pairs of the query, as the library counts them.
    var pairCount: Int {
        text.utf8.contains(UInt8(ascii: "?")) ? text.utf8.count { $0 == UInt8(ascii: "&") } + 1 : 0
    }
}

extension MicroHTTPD {
    private static let connectionChanged: MHD_NotifyConnectionCallback = {
        closure, handle, context, code in
        guard let closure, let handle, let context else { return }
        let thread = Unmanaged<ServingThread>.fromOpaque(closure).takeUnretainedValue()
        if code == .CONNECTION_NOTIFY_STARTED {
            let connection = thread.core.connectionOpened(
                LibraryConnection(pointer: handle), on: thread)
            context.pointee = Unmanaged.passRetained(connection).toOpaque()
        } else if let opened = context.pointee {
            let connection = Unmanaged<Connection>.fromOpaque(opened)
            thread.core.connectionClosed(connection.takeUnretainedValue())
            connection.release()
            context.pointee = nil
        }
    }

    private static let targetRead:
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?
        ) -> UnsafeMutableRawPointer? = { closure, target, handle in
            guard let closure, let handle, let context = counterfoil_connection_context(handle)
            else { return nil }
            let core = Unmanaged<ServingThread>.fromOpaque(closure).takeUnretainedValue().core
            let connection = Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
            let text = target.map { String(cString: $0) } ?? ""
            let exchange = core.requestStarted(
                LibraryTarget(
                    text: text, start: UInt(bitPattern: target), byteCount: target.map(strlen) ?? 0),
                on: connection)
            return Unmanaged.passRetained(exchange).toOpaque()
        }

    private static let completed: MHD_RequestCompletedCallback = { closure, _, context, _ in
        guard let closure, let context, let started = context.pointee else { return }
        let core = Unmanaged<ServingThread>.fromOpaque(closure).takeUnretainedValue().core
        let exchange = Unmanaged<Exchange>.fromOpaque(started)
        core.requestEnded(exchange.takeUnretainedValue())
        exchange.release()
        context.pointee = nil
    }

    private static let handle: MHD_AccessHandlerCallback = {
        _, handle, _, method, version, data, size, context in
        guard let handle, let method, let version, let size, let started = context?.pointee else {
            return .NO
        }
        let exchange = Unmanaged<Exchange>.fromOpaque(started).takeUnretainedValue()
        let step: Exchange.Step
        if size.pointee > 0, let data {
            step = exchange.receive(UnsafeRawBufferPointer(start: data, count: size.pointee))
            size.pointee = 0
        } else if exchange.awaitsHead {
            step = exchange.begin(head(handle, method, version, exchange.target))
        } else {
            step = exchange.advance()
        }
        return step == .goOn ? .YES : .NO
    }

    private static let log: MHD_LogCallback = { closure, format, arguments in
        var message: UnsafePointer<CChar>?
        guard let closure, let format, let arguments,
            case let status = counterfoil_refused_status(format, arguments, &message), status != 0,
            let refusal = LibraryRefusal(status: status, message: message)
        else { return }
        let thread = Unmanaged<ServingThread>.fromOpaque(closure).takeUnretainedValue()
        thread.core.answerInPlace(of: refusal, on: thread)
    }

    private struct Collector {
        var head: RequestHead
        var layout: HeadLayout
    }

    private static let readsInPlace: Bool = {
        let parts = String(cString: MHD_get_version()).split(separator: ".").map { Int($0) ?? 0 }
        return parts.lexicographicallyPrecedes([0, 9, 77])
    }()

    private static func head(
        _ handle: OpaquePointer, _ method: UnsafePointer<CChar>, _ version: UnsafePointer<CChar>,
        _ target: LibraryTarget
    ) -> RequestHead {
        let (methodCount, versionCount) = (strlen(method), strlen(version))
        var collector = Collector(
            head: RequestHead(),
            layout: HeadLayout(version: UInt(bitPattern: version), byteCount: versionCount))
        collector.head.method = String(cString: method)
        collector.head.target = target.text
        collector.head.version = String(cString: version)
        _ = withUnsafeMutablePointer(to: &collector) { collector in
            MHD_get_connection_values_n(handle, .HEADER_KIND, addField, collector)
        }
        if readsInPlace {
            let start = UInt(bitPattern: method)
            collector.head.hasPlainRequestLine =
                start + UInt(methodCount) + 1 == target.start
                && target.start + UInt(target.byteCount) + 1 == UInt(bitPattern: version)
            collector.layout.finish(end: start + UInt(counterfoil_head_size(handle)))
            if collector.head.isWithinLimits, !collector.layout.isStrict {
                collector.head.hasPlainFields = false
            }
        }
        return collector.head
    }

    private static let addField: MHD_KeyValueIteratorN = {
        closure, _, name, nameCount, value, valueCount in
        guard let closure, let name else { return .NO }
        let collector = closure.assumingMemoryBound(to: Collector.self)
        collector.pointee.layout.add(
            name: UInt(bitPattern: name), value: UInt(bitPattern: value),
            valueByteCount: valueCount)
        let goesOn = collector.pointee.head.add(
            name: UnsafeRawBufferPointer(start: name, count: nameCount),
            value: UnsafeRawBufferPointer(start: value, count: valueCount))
        return goesOn ? .YES : .NO
    }
}
