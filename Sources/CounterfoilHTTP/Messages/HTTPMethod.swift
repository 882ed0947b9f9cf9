// SPDX-License-Identifier: Apache-2.0

/// The method of a request; methods that nobody here knows survive as they are spelled.
public struct HTTPMethod: Hashable, Sendable, CustomStringConvertible {
    /// The method as it stood in the request line; methods are case-sensitive (RFC 9110 § 9.1).
    public let rawValue: String

    /// Takes any spelling as it is.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Reads a resource and changes nothing.
    public static let get = HTTPMethod(rawValue: "GET")

    /// A `GET` whose answer is sent without its body.
    public static let head = HTTPMethod(rawValue: "HEAD")

    /// Hands something in.
    public static let post = HTTPMethod(rawValue: "POST")

    /// Replaces a resource.
    public static let put = HTTPMethod(rawValue: "PUT")

    /// Changes a part of a resource.
    public static let patch = HTTPMethod(rawValue: "PATCH")

    /// Removes a resource.
    public static let delete = HTTPMethod(rawValue: "DELETE")

    /// The method as it stands in the request line.
    public var description: String { rawValue }
}
