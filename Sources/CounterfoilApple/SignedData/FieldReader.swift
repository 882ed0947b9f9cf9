// SPDX-License-Identifier: Apache-2.0

internal import CounterfoilCore

/// Reads the fields of one JSON object, forgiving spellings and naming what it cannot forgive.
///
/// Apple's services have changed a field from number to string and back (field case 01), and Xcode
/// writes fractions of milliseconds. Absent and `null` are the same.
struct FieldReader {
    private let object: JSONObject
    private let path: String
    private let isLenient: Bool

    init(_ object: JSONObject, path: String = "", isLenient: Bool = false) {
        self.object = object
        self.path = path
        self.isLenient = isLenient
    }

    /// The same object for fields that decide nothing: a value of the wrong type reads as absent.
    var lenient: FieldReader { FieldReader(object, path: path, isLenient: true) }

    private func value(_ key: String) -> JSONValue? {
        guard let value = object[key], value != .null else { return nil }
        return value
    }

    private func refuse<Wanted>(
        _ key: String, _ value: JSONValue, expected: String
    ) throws(PayloadError) -> Wanted? {
        if isLenient { return nil }
        throw PayloadError(path: path + key, expected: expected, actual: Self.summary(of: value))
    }

    private static func summary(of value: JSONValue) -> String {
        switch value {
        case .string(let text) where text.utf8.count <= Limits.quotedByteCount: "\"\(text)\""
        case .number(let number) where number.text.utf8.count <= Limits.quotedByteCount: number.text
        case .bool(let bool): "\(bool)"
        default: value.kindName
        }
    }
}

extension FieldReader {
    /// A text; an integer becomes its digits without loss.
    func text(_ key: String) throws(PayloadError) -> String? {
        guard let value = value(key) else { return nil }
        switch value {
        case .string(let text): return text
        case .number(let number) where number.text.utf8.allSatisfy(isDigitOrSign):
            return number.text
        default: return try refuse(key, value, expected: "a string")
        }
    }

    /// A 64-bit integer, also from a string of digits.
    func integer(_ key: String) throws(PayloadError) -> Int64? {
        guard let value = value(key) else { return nil }
        switch value {
        case .number(let number) where number.int64 != nil: return number.int64
        case .string(let text) where text.utf8.allSatisfy(isDigitOrSign):
            if let integer = Int64(text) { return integer }
        default: break
        }
        return try refuse(key, value, expected: "an integer")
    }

    /// A moment from milliseconds; fractions of a millisecond are cut.
    func instant(_ key: String) throws(PayloadError) -> Instant? {
        guard let value = value(key) else { return nil }
        switch value {
        case .number(let number):
            if let milliseconds = number.truncated {
                return Instant(millisecondsSinceEpoch: milliseconds)
            }
        case .string(let text):
            let whole = text.prefix { $0 != "." }
            let fraction = text.dropFirst(whole.count + 1)
            if whole.utf8.allSatisfy(isDigitOrSign), fraction.utf8.allSatisfy(isDigit),
                let milliseconds = Int64(whole)
            {
                return Instant(millisecondsSinceEpoch: milliseconds)
            }
        default: break
        }
        return try refuse(key, value, expected: "milliseconds since 1970")
    }

    /// A truth value, also as the strings `true` and `false`, or as 1 and 0.
    func flag(_ key: String) throws(PayloadError) -> Bool? {
        guard let value = value(key) else { return nil }
        switch value {
        case .bool(let bool): return bool
        case .string("true"), .string("1"), .number(JSONNumber(1)): return true
        case .string("false"), .string("0"), .number(JSONNumber(0)): return false
        default: return try refuse(key, value, expected: "true or false")
        }
    }

    /// An identifier that fits its kind's limits; an empty text is absent.
    func identifier<Kind>(
        _ key: String, as kind: Kind.Type = Kind.self
    ) throws(PayloadError) -> Identifier<Kind>? {
        guard let text = try text(key), !text.isEmpty else { return nil }
        do {
            return try Identifier(text)
        } catch {
            if isLenient { return nil }
            throw PayloadError(
                path: path + key, expected: "an identifier", actual: "one that \(error.problem)")
        }
    }

    /// A UUID in either case; an empty text is absent.
    func uniqueID(_ key: String) throws(PayloadError) -> UniqueID? {
        guard let text = try text(key), !text.isEmpty else { return nil }
        if let id = UniqueID(text) { return id }
        return try refuse(key, .string(text), expected: "a UUID")
    }

    /// A value of an open list of names.
    func name<Value: OpenValue>(
        _ key: String
    ) throws(PayloadError) -> Value? where Value.RawValue == String {
        try text(key).map(Value.init(rawValue:))
    }

    /// A value of an open list of numbers.
    func code<Value: OpenValue>(
        _ key: String
    ) throws(PayloadError) -> Value? where Value.RawValue == Int64 {
        try integer(key).map(Value.init(rawValue:))
    }

    /// The store's environment.
    func environment(_ key: String) throws(PayloadError) -> AppStoreEnvironment? {
        try text(key).map(AppStoreEnvironment.init(rawValue:))
    }

    /// An amount in milli-units with its currency; nil where one of them is not told.
    func money(_ key: String, currency: String) throws(PayloadError) -> Money? {
        guard let amount = try integer(key), let code = try text(currency) else { return nil }
        return Money(amountMilli: amount, currency: code)
    }

    /// A list of texts.
    func texts(_ key: String) throws(PayloadError) -> [String]? {
        guard let value = value(key) else { return nil }
        guard case .array(let elements) = value else {
            return try refuse(key, value, expected: "a list of strings")
        }
        var texts: [String] = []
        for element in elements {
            guard let text = element.string else {
                return try refuse(key, element, expected: "a list of strings")
            }
            texts.append(text)
        }
        return texts
    }

    /// What an object inside this one holds.
    func object<Value>(
        _ key: String, _ read: (JSONObject, FieldReader) throws(PayloadError) -> Value
    ) throws(PayloadError) -> Value? {
        guard let value = value(key) else { return nil }
        guard let inner = value.object else { return try refuse(key, value, expected: "an object") }
        return try read(inner, FieldReader(inner, path: "\(path)\(key).", isLenient: isLenient))
    }

    /// What each object of a list holds.
    func objects<Value>(
        _ key: String, _ read: (JSONObject, FieldReader) throws(PayloadError) -> Value
    ) throws(PayloadError) -> [Value]? {
        guard let value = value(key) else { return nil }
        guard let elements = value.array else {
            return try refuse(key, value, expected: "a list of objects")
        }
        var values: [Value] = []
        for (position, element) in elements.enumerated() {
            guard let inner = element.object else {
                return try refuse("\(key)[\(position)]", element, expected: "an object")
            }
            let place = "\(path)\(key)[\(position)]."
            try values.append(read(inner, FieldReader(inner, path: place, isLenient: isLenient)))
        }
        return values
    }
}

private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

private func isDigitOrSign(_ byte: UInt8) -> Bool { isDigit(byte) || byte == UInt8(ascii: "-") }
