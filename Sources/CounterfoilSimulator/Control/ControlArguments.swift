// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore

/// The members of a control call.
///
/// A verb reads all of its members, then calls ``finish()``, which throws if any was missing, of the
/// wrong kind or unknown; only then it acts.
struct ControlArguments {
    private var reader: ObjectReader

    init(_ body: JSONValue) {
        reader = ObjectReader(body, findings: DocumentFindings())
    }

    mutating func text(_ name: String) -> String {
        reader.string(name, maximum: Limits.maximumNameLength) ?? ""
    }

    mutating func optionalText(_ name: String) -> String? {
        reader.string(name, maximum: Limits.maximumNameLength, isRequired: false)
    }

    mutating func flag(_ name: String, default value: Bool = false) -> Bool {
        reader.bool(name, isRequired: false) ?? value
    }

    mutating func optionalFlag(_ name: String) -> Bool? {
        reader.bool(name, isRequired: false)
    }

    mutating func integer(_ name: String, in range: ClosedRange<Int64>) -> Int64 {
        reader.integer(name, in: range) ?? range.lowerBound
    }

    mutating func optionalInteger(_ name: String, in range: ClosedRange<Int64>) -> Int64? {
        reader.integer(name, in: range, isRequired: false)
    }

    mutating func optionalInstant(_ name: String) -> Instant? {
        reader.instant(name, isRequired: false)
    }

    mutating func optionalUUID(_ name: String) -> UniqueID? {
        reader.member(name, "a UUID", isRequired: false) { $0.string.flatMap { UniqueID($0) } }
    }

    mutating func uuid(_ name: String) -> UniqueID? {
        reader.member(name, "a UUID") { $0.string.flatMap { UniqueID($0) } }
    }

    mutating func texts(_ name: String, isRequired: Bool = true) -> [String]? {
        reader.member(name, "a list of texts", isRequired: isRequired) { value in
            guard let list = value.array, list.count <= Limits.maximumFamilySize * 100 else {
                return nil
            }
            let texts = list.compactMap(\.string)
            return texts.count == list.count ? texts : nil
        }
    }

    mutating func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, _ type: Choice.Type
    ) -> Choice? where Choice.RawValue == String {
        reader.choice(name, type, isRequired: false)
    }

    mutating func requiredChoice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, _ type: Choice.Type
    ) -> Choice? where Choice.RawValue == String {
        reader.choice(name, type)
    }

    /// A length of time such as `P1D` or `PT90S`, counted in the calendar.
    mutating func period(_ name: String, isRequired: Bool = true) -> CalendarPeriod? {
        reader.member(name, "a duration such as P1D or PT90S", isRequired: isRequired) {
            $0.string.flatMap { CalendarPeriod(iso8601: $0) }
        }
    }

    /// A member that is an object, to be read in turn.
    mutating func object(_ name: String) -> JSONValue? {
        reader.member(name, "an object", isRequired: false) { $0.object.map { .object($0) } }
    }

    /// A reader for an object inside, whose faults count as this one's.
    func nested(_ value: JSONValue, _ name: String) -> ObjectReader {
        ObjectReader(value, path: name, findings: reader.findings)
    }

    func finish() throws(ControlError) {
        reader.finish()
        guard reader.findings.isEmpty else { throw .malformed(reader.findings.all) }
    }
}
