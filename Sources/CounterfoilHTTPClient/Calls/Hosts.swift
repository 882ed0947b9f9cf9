// SPDX-License-Identifier: Apache-2.0

internal import CounterfoilHTTP

/// A server that calls go to.
final class Host {
    /// The beginning of the address, up to the path, in small letters.
    let name: String

    /// Its calls that have a place.
    var runningCount = 0

    /// Its calls.
    fileprivate var callCount = 0

    fileprivate init(name: String) {
        self.name = name
    }
}

/// A call without a place.
struct WaitingCall {
    let call: Call
    let host: Host
}

/// The hosts with calls, and no others.
struct Hosts {
    private var hosts: [String: Host] = [:]

    /// The host of a call that came in.
    mutating func host(of call: Call) -> Host {
        let name = Self.name(call.request.url)
        let host = hosts[name] ?? Host(name: name)
        hosts[name] = host
        host.callCount += 1
        return host
    }

    mutating func callEnded(_ host: Host) {
        host.callCount -= 1
        if host.callCount == 0 { hosts[host.name] = nil }
    }

    /// An address passed the guard: scheme, colon, two slashes.
    private static func name(_ url: String) -> String {
        let bytes = url.utf8
        let authority = bytes.drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
        let end = authority.firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
        return String(url[..<end]).lowercased()
    }
}
