// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// One client's connection: what it is doing, and until when it may.
///
/// Phase and deadline share one atomic word. The connection's own thread moves it from phase to
/// phase; whoever finds the deadline passed *condemns* it, and then no other phase follows. So a
/// connection is never cut off in a phase that it has just left.
final class Connection: Sendable {
    enum Phase: UInt64 {
        /// Between two requests.
        case idle

        /// The first line of a request has arrived.
        case head

        /// The head was accepted; the body is on its way.
        case body

        /// The handler has the request.
        case handling

        /// The answer is being sent.
        case answering

        /// A refusal was sent; what still arrives is thrown away.
        case discarding

        /// To be closed.
        case condemned

        /// Whether nothing happens until the client sends more.
        var awaitsBytes: Bool { self == .idle || self == .head || self == .body }
    }

    /// The socket; valid until the library says that the connection is closed.
    let socket: Int32

    /// The library's handle; may be asked about only on `thread`.
    let handle: LibraryConnection

    /// The thread that serves the connection for all its life.
    let thread: ServingThread

    let origin: Origin

    var remoteAddress: String { origin.address }

    /// The request that the connection is busy with.
    let exchange = Mutex<Exchange?>(nil)

    private let word: Atomic<UInt64>

    /// Phase and deadline at the sweep that found the other end gone; 0 if none did.
    private let wordWhenAbandoned = Atomic<UInt64>(0)

    init(
        socket: Int32, handle: LibraryConnection, thread: ServingThread, origin: Origin,
        deadline: UInt64
    ) {
        self.socket = socket
        self.handle = handle
        self.thread = thread
        self.origin = origin
        word = Atomic(Self.pack(.idle, deadline))
    }

    var phase: Phase { Self.phase(of: word.load(ordering: .acquiring)) }

    /// When the phase will have lasted too long.
    var deadline: UInt64 { word.load(ordering: .acquiring) >> 3 }

    /// Goes on to a phase that may last until `deadline`; false if the connection is condemned.
    func enter(_ phase: Phase, until deadline: UInt64) -> Bool {
        change { $0 == .condemned ? nil : Self.pack(phase, deadline) } != nil
    }

    /// Condemns the connection if its phase lasted too long, and returns that phase.
    ///
    /// A connection whose request is with the handler is left alone: an answer will come.
    func condemn(ifOverdueAt now: UInt64) -> Phase? {
        let current = word.load(ordering: .acquiring)
        let phase = Self.phase(of: current)
        guard phase != .condemned, phase != .handling, current >> 3 < now else { return nil }
        let (exchanged, _) = word.compareExchange(
            expected: current, desired: Self.pack(.condemned, 0), ordering: .acquiringAndReleasing)
        return exchanged ? phase : nil
    }

    /// Condemns the connection if the other end has gone for a whole sweep in which nothing happened,
    /// and says so.
    ///
    /// Twice, because the library may just be reading what was sent before.
    func condemnIfStillAbandoned() -> Bool {
        let current = word.load(ordering: .acquiring)
        guard wordWhenAbandoned.exchange(current, ordering: .relaxed) == current,
            Self.phase(of: current).awaitsBytes
        else { return false }
        let (exchanged, _) = word.compareExchange(
            expected: current, desired: Self.pack(.condemned, 0), ordering: .acquiringAndReleasing)
        return exchanged
    }

    /// Condemns the connection if it is in that phase.
    func condemn(in phase: Phase) -> Bool {
        change { $0 == phase ? Self.pack(.condemned, 0) : nil } != nil
    }

    /// Condemns the connection unless an answer is being made or sent, and returns the phase it was
    /// in; nil if it was left alone.
    func condemnUnlessAnswerable() -> Phase? {
        var former: Phase?
        _ = change { phase in
            former = phase == .handling || phase == .answering ? nil : phase
            return former == nil ? nil : Self.pack(.condemned, 0)
        }
        return former
    }

    /// Whether the handler has had the request for too long.
    func isHandlerOverdue(at now: UInt64) -> Bool {
        let current = word.load(ordering: .acquiring)
        return Self.phase(of: current) == .handling && current >> 3 < now
    }

    private func change(_ next: (Phase) -> UInt64?) -> UInt64? {
        var current = word.load(ordering: .acquiring)
        while true {
            guard let desired = next(Self.phase(of: current)) else { return nil }
            let (exchanged, original) = word.compareExchange(
                expected: current, desired: desired, ordering: .acquiringAndReleasing)
            if exchanged { return desired }
            current = original
        }
    }

    private static func pack(_ phase: Phase, _ deadline: UInt64) -> UInt64 {
        deadline << 3 | phase.rawValue
    }

    private static func phase(of word: UInt64) -> Phase {
        Phase(rawValue: word & 7) ?? .condemned
    }
}
