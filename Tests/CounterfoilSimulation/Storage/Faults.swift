// SPDX-License-Identifier: Apache-2.0
import FaultyFiles

/// What befalls a write.
enum Fault: Hashable {
    case none
    case refused
    case runsTwice

    /// A statement fails, and with it the transaction.
    case failsAt(Int)

    /// It is committed, and the caller is told that nobody knows.
    case outcomeUnknown

    /// The process dies at a statement; if there are fewer, behind the commit.
    case crashesAt(Int)

    /// The n-th change of a file fails, or ends the machine.
    case disk(Int, FaultyDisk.Fault)

    var statements: Int? {
        switch self {
        case .failsAt(let count), .crashesAt(let count): count
        default: nil
        }
    }

    var isCrash: Bool {
        if case .crashesAt = self { true } else { false }
    }
}

/// Draws faults as long as there shall be some.
///
/// `@unchecked Sendable`: used on the scheduler's thread alone, as ``Scheduler`` proves.
final class Faults: @unchecked Sendable {
    private let scheduler: Scheduler
    var areOn = true

    init(_ scheduler: Scheduler) {
        self.scheduler = scheduler
    }

    func next() -> Fault {
        guard areOn else { return .none }
        switch scheduler.number(below: 100) {
        case 0..<3: return .refused
        case 3..<8: return .runsTwice
        case 8..<11: return .failsAt(scheduler.number(below: 40))
        case 11..<13: return .outcomeUnknown
        case 13..<15: return .crashesAt(scheduler.number(below: 60))
        case 15..<18:
            let fault = scheduler.pick(FaultyDisk.Fault.allCases) ?? .powerFails
            return .disk(1 + scheduler.number(below: 12), fault)
        default: return .none
        }
    }
}
