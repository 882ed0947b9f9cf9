// SPDX-License-Identifier: Apache-2.0
public import CounterfoilCore

/// Something that a test does to the simulated App Store: a call, or a step of a scenario.
public struct ControlVerb: Sendable {
    /// The last part of `POST /control/NAME`.
    public let name: String

    /// What it does, for people.
    public let summary: String

    let perform: @Sendable (inout SimulatedAppStore, inout ControlArguments) throws -> JSONValue

    init(
        _ name: String, _ summary: String,
        _ perform:
            @escaping @Sendable (inout SimulatedAppStore, inout ControlArguments) throws ->
            JSONValue
    ) {
        self.name = name
        self.summary = summary
        self.perform = perform
    }

    /// Every verb, in the order of the documentation.
    public static let all: [ControlVerb] =
        accountVerbs + purchaseVerbs + subscriptionVerbs + refundVerbs + clockVerbs + serviceVerbs
        + notificationVerbs

    static func named(_ name: String) -> ControlVerb? { all.first { $0.name == name } }
}

extension SimulatedAppStore {
    /// Does what a verb says, and brings what Apple would send for it into the outbox.
    ///
    /// - Parameter body: The verb's arguments, an object; unknown members are refused.
    /// - Returns: What came of it.
    /// - Throws: ``ControlError``; then nothing has changed, since every verb checks before it acts.
    @discardableResult
    public mutating func control(
        _ verb: String, _ body: JSONValue
    ) throws(ControlError) -> JSONValue {
        guard let known = ControlVerb.named(verb) else { throw .verbUnknown(verb) }
        let result: JSONValue
        do {
            var arguments = ControlArguments(body)
            result = try known.perform(&self, &arguments)
        } catch let error as ControlError {
            throw error
        } catch let error as StoreError {
            throw ControlError(error)
        } catch {
            throw .failed(error)
        }
        collectNotifications()
        return result
    }
}
