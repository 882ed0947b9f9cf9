// SPDX-License-Identifier: Apache-2.0

public import CounterfoilCore

/// What Apple signed, read from JSON.
///
/// Every field is optional, as in Apple's own libraries: which of them a decision needs is checked
/// where the decision is made.
public protocol SignedPayload: Hashable, Sendable {
    /// Every member as it was signed, the unknown ones too.
    var fields: JSONObject { get }

    /// Reads the payload.
    ///
    /// - Throws: ``PayloadError`` if a field about money, identity or time is of the wrong type.
    init(fields: JSONObject) throws(PayloadError)
}

extension SignedPayload {
    /// Reads the payload from a JSON value.
    ///
    /// - Throws: ``PayloadError`` if the value is no object, or as ``init(fields:)``.
    public init(_ value: JSONValue) throws(PayloadError) {
        guard let fields = value.object else {
            throw PayloadError(path: "", expected: "an object", actual: value.kindName)
        }
        try self.init(fields: fields)
    }
}
