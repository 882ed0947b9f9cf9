// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilCrypto
import CounterfoilSimulator

/// What the words behind `simulate` say about the store.
struct SimulateOptions {
    let bundleID: String
    let environment: AppStoreEnvironment
    let folder: String
    let port: UInt16
    let notify: String?
    let isRealTime: Bool
    private let appAppleID: Int64?
    private let secret: String?
    private let start: Instant
    private let clock: any WallClock

    /// - Parameters:
    ///   - scenario: What a scenario says, where it plays one; options stand before it.
    init(
        _ arguments: Arguments, scenario: Scenario? = nil, clock: any WallClock
    ) throws(UsageError) {
        self.clock = clock
        bundleID = arguments.value("--bundle") ?? scenario?.bundleID ?? "com.example.game"
        let name = arguments.value("--environment") ?? scenario?.environment.rawValue ?? "Sandbox"
        guard ["Sandbox", "Production"].contains(name) else {
            throw UsageError("--environment is Sandbox or Production")
        }
        environment = AppStoreEnvironment(rawValue: name)
        folder = arguments.value("--folder") ?? "simulator"
        guard let port = UInt16(arguments.value("--port") ?? "8490") else {
            throw UsageError("--port takes a number from 0 to 65535")
        }
        self.port = port
        notify = arguments.value("--notify")
        let mode = arguments.value("--clock") ?? "manual"
        guard ["manual", "real"].contains(mode) else {
            throw UsageError("--clock is manual or real")
        }
        isRealTime = mode == "real"
        if let text = arguments.value("--app-id") {
            guard let number = Int64(text), number > 0 else {
                throw UsageError("--app-id takes the number that App Store Connect shows")
            }
            appAppleID = number
        } else {
            appAppleID = nil
        }
        secret = arguments.value("--secret")
        if let text = arguments.value("--start") {
            guard let instant = Instant(rfc3339: text) else {
                throw UsageError("--start takes a time such as 2026-01-31T00:00:00Z")
            }
            start = instant
        } else {
            start = scenario?.start ?? clock.now
        }
    }

    /// The store, with the roots and keys of the folder.
    func app(selling file: StoreKitFile) throws -> SimulatedAppStore {
        let random = SystemRandom()
        // Certificates surround the moments that they will be judged at, which are the store's.
        let authority = try Authority.kept(in: folder, clock: FixedClock(start), random: random)
        let key = try ServiceKey.kept(in: folder, random: random)
        var settings = file.settings.storeSettings(bundleID: bundleID, environment: environment)
        if let appAppleID { settings.appAppleID = appAppleID }
        settings.sharedSecret = secret
        let store = SimulatedStore(
            catalog: file.catalog, settings: settings, now: start, random: random)
        return SimulatedAppStore(
            store: store, authority: authority, keys: [key], random: random)
    }
}
