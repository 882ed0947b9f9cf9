// SPDX-License-Identifier: Apache-2.0

/// That events are numbered as readers need it: each customer's sequence has no gap, and the order
/// of readers ascends in it.
struct EventAudit {
    private(set) var findings: [String] = []

    init(_ books: Books) {
        let numbers = books.events.compactMap(\.number)
        if Set(numbers).count != numbers.count { findings.append("two events have one number") }
        let streams = Dictionary(grouping: books.events.filter { $0.event.customer != nil }) {
            "\($0.environment) \($0.event.customer ?? "")"
        }
        for (stream, events) in streams {
            let inOrder = events.sorted { ($0.sequence ?? 0) < ($1.sequence ?? 0) }
            if inOrder.map(\.sequence) != (1...Int64(events.count)).map({ $0 }) {
                findings.append("the sequence of \(stream) has gaps: \(inOrder.map(\.sequence))")
            }
            let known = inOrder.map(\.number).prefix { $0 != nil }.compactMap(\.self)
            if known != known.sorted() || inOrder.compactMap(\.number).count != known.count {
                findings.append("readers see \(stream) out of order: \(inOrder.map(\.number))")
            }
        }
    }
}
