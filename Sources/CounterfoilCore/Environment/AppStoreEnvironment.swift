// SPDX-License-Identifier: Apache-2.0

/// The world a purchase was made in; part of every key that comes from Apple.
///
/// Values that Apple may add later survive as they are spelled.
public struct AppStoreEnvironment: Hashable, Sendable, CustomStringConvertible {
    /// Apple's spelling in signed payloads.
    public let rawValue: String

    /// Takes the spelling as it is, known or not.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Real money.
    public static let production = AppStoreEnvironment(rawValue: "Production")

    /// Sandbox accounts, TestFlight and App Review: no money was paid.
    public static let sandbox = AppStoreEnvironment(rawValue: "Sandbox")

    /// StoreKit Testing in Xcode, signed by the developer's own machine: proves nothing.
    public static let xcode = AppStoreEnvironment(rawValue: "Xcode")

    /// The local test environment of Apple's libraries: proves nothing.
    public static let localTesting = AppStoreEnvironment(rawValue: "LocalTesting")

    /// Apple's spelling.
    public var description: String { rawValue }
}
