// SPDX-License-Identifier: Apache-2.0

/// What happened, as lines that are equal in every run of a seed.
final class Trace {
    private(set) var fingerprint = Fingerprint()
    private(set) var tail: [String] = []
    private let isKept: Bool

    /// Lines that a failure shows.
    private static let tailLength = 60

    /// - Parameter isKept: Whether to keep every line.
    init(isKept: Bool) {
        self.isKept = isKept
    }

    func add(_ line: String) {
        fingerprint.add(line.utf8)
        tail.append(line)
        if !isKept, tail.count > Self.tailLength * 2 { tail.removeFirst(Self.tailLength) }
    }

    var lastLines: [String] { isKept ? tail : tail.suffix(Self.tailLength) }
}
