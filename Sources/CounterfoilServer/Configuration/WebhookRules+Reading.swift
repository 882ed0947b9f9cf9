// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine
import CounterfoilHTTP

extension WebhookRules {
    /// Reads the member `webhooks` of a configuration; without it only encrypted endpoints of the
    /// public internet are sent to.
    init(_ value: JSONValue, path: String, findings: DocumentFindings) {
        var reader = ObjectReader(value, path: path, findings: findings)
        let hosts = reader.elements(
            "allow_http", maximum: Limits.allowedHostCount, isRequired: false
        ).compactMap { element -> String? in
            let host = element.value.string
            let isHost = host.map { $0.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } && !$0.isEmpty }
            if isHost != true { findings.report(element.path, "is no name or address of a host") }
            return host
        }
        let ranges = reader.elements(
            "allow_addresses", maximum: Limits.allowedHostCount, isRequired: false
        ).compactMap { element -> IPAddressRange? in
            let range = element.value.string.flatMap { IPAddressRange($0) }
            if range == nil {
                findings.report(element.path, "is no address or range such as 10.0.0.0/8")
            }
            return range
        }
        reader.finish()
        self.init(plainHosts: Set(hosts), allowing: ranges)
    }
}
