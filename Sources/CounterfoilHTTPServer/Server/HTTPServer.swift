// SPDX-License-Identifier: Apache-2.0

internal import CounterfoilCore
public import CounterfoilHTTP
internal import Dispatch
internal import Synchronization

/// An HTTP/1.1 server.
///
/// Handlers start on the thread of the connection and suspend it only if they really wait. A started
/// server keeps itself alive until it is stopped.
public final class HTTPServer: Sendable {
    private enum State {
        case ready
        case running(LibraryDaemons, Listener, Metronome)
        case stopped
    }

    private let core: ServerCore
    private let state = Mutex(State.ready)

    /// - Parameters:
    ///   - configuration: Where to listen, and the limits.
    ///   - handler: What answers requests that pass the guards.
    public init(configuration: HTTPServerConfiguration, handler: any HTTPHandler) {
        core = ServerCore(configuration: configuration, handler: handler)
    }

    /// Starts to listen.
    ///
    /// - Returns: The port, which the system chose if the configuration says 0.
    public func start() throws(HTTPServerError) -> UInt16 {
        try state.withLock { state throws(HTTPServerError) in
            guard case .ready = state else {
                throw HTTPServerError(
                    code: .alreadyStarted, message: "the server was started before")
            }
            let configuration = core.configuration
            MicroHTTPD.allowDescriptors(
                configuration.maximumConnectionCount + Limits.closingConnectionCount
                    + Limits.otherDescriptorCount)
            let socket = try MicroHTTPD.listen(configuration.address, port: configuration.port)
            let daemons: LibraryDaemons
            do throws(HTTPServerError) {
                daemons = try MicroHTTPD.start(core)
            } catch {
                MicroHTTPD.close(socket)
                throw error
            }
            let sweeps: Metronome
            do throws(SystemThread.Refusal) {
                sweeps = try startSweeps(waking: daemons.waker)
            } catch {
                daemons.stop()
                MicroHTTPD.close(socket)
                throw HTTPServerError(code: .system, message: error.details)
            }
            let listener = Listener(socket: socket, core: core, daemons: daemons)
            state = .running(daemons, listener, sweeps)
            return listener.port
        }
    }

    /// Stops to listen, lets running requests finish, and closes all connections.
    ///
    /// Requests that are still running after `gracePeriod` are answered with 503 and their handlers
    /// cancelled; their effects are not undone. A second call returns at once.
    public func stop(gracePeriod: Duration) async {
        let running = state.withLock { state in
            defer { state = .stopped }
            return state
        }
        guard case .running(let daemons, let listener, let sweeps) = running else { return }
        await listener.stop()
        await core.drain(gracePeriod: gracePeriod)
        await withCheckedContinuation { continuation in
            // Joins the library's threads, so it must not hold one of the cooperative pool.
            DispatchQueue.global().async {
                daemons.stop()
                continuation.resume()
            }
        }
        // Not before: a thread may have to be woken to see that it shall end.
        await sweeps.stop()
    }

    private func startSweeps(waking waker: Waker) throws(SystemThread.Refusal) -> Metronome {
        try Metronome(every: core.configuration.sweepInterval) { [core] in
            core.sweep()
            waker.wake()
        }
    }
}
