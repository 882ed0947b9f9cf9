// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilStore

/// What an app's owner says about an endpoint. What is nil stays as it is, or for a new endpoint is as
/// usual.
package struct EndpointSettings: Hashable, Sendable {
    package var url: String?

    /// Empty for none.
    package var description: String?

    /// Empty for all.
    package var types: [String]?
    package var environment: Environment?
    package var isOrdered: Bool?
    package var acknowledges: Bool?
    package var concurrency: Int64?

    /// 0 for no limit.
    package var rate: Int64?

    /// Whether it is to be sent to.
    package var isEnabled: Bool?

    /// The environments whose events are sent.
    package enum Environment: Hashable, Sendable {
        case all
        case one(AppStoreEnvironment)
    }

    package init() {}

    func apply(to endpoint: inout EndpointRecord) {
        if let url { endpoint.url = url }
        if let description { endpoint.description = description.isEmpty ? nil : description }
        if let types { endpoint.types = types.isEmpty ? nil : types }
        switch environment {
        case .all: endpoint.environment = nil
        case .one(let one): endpoint.environment = one
        case nil: break
        }
        if let isOrdered { endpoint.isOrdered = isOrdered }
        if let acknowledges { endpoint.acknowledges = acknowledges }
        if let concurrency { endpoint.concurrency = concurrency }
        if let rate { endpoint.rate = rate == 0 ? nil : rate }
        if let isEnabled {
            endpoint.state = isEnabled ? .enabled : .disabled
            endpoint.reason = isEnabled ? nil : "webhook.switched_off"
        }
    }
}
