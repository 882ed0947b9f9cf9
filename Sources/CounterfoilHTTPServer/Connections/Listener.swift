// SPDX-License-Identifier: Apache-2.0

internal import CounterfoilCore
internal import Dispatch
internal import Synchronization

/// Takes connections and deals them out to the library's threads in turn.
///
/// `@unchecked Sendable`: `next` is used only on the queue.
final class Listener: @unchecked Sendable {
    let port: UInt16
    private let socket: Int32
    private let core: ServerCore
    private let daemons: LibraryDaemons
    private let queue = DispatchQueue(label: "counterfoil.listener")
    private let source: any DispatchSourceRead
    private var next = 0

    /// Takes over the listening socket.
    init(socket: Int32, core: ServerCore, daemons: LibraryDaemons) {
        self.socket = socket
        self.core = core
        self.daemons = daemons
        port = MicroHTTPD.port(of: socket)
        source = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
        source.setEventHandler { [weak self] in self?.acceptWaiting() }
        source.setCancelHandler { MicroHTTPD.close(socket) }
        source.resume()
    }

    /// Takes no further connection; those that wait are reset.
    ///
    /// When it returns, none is on its way to a daemon.
    func stop() async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.source.cancel()
                continuation.resume()
            }
        }
    }

    private func acceptWaiting() {
        while !source.isCancelled {
            switch MicroHTTPD.accept(socket) {
            case .client(let client): serve(client)
            case .again: continue
            case .none: return
            case .exhausted: return pause()
            }
        }
    }

    private func serve(_ client: Client) {
        if let refusal = core.admit(client) {
            core.refuse(client, refusal)
        } else {
            daemons.add(client, to: next)
            next = (next + 1) % daemons.count
        }
    }

    private func pause() {
        source.suspend()
        let milliseconds = Int(Limits.acceptPause.wholeMilliseconds)
        queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { self.source.resume() }
    }
}
