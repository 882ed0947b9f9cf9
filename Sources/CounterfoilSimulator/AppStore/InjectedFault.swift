// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
public import CounterfoilHTTP

/// A failure of Apple's services that a test asks for.
public struct InjectedFault: Hashable, Sendable {
    /// What goes wrong.
    public enum Kind: Hashable, Sendable {
        /// The answer comes late.
        case latency(Duration)

        /// The answer never comes; whether the call had an effect stays open, as in life: it had.
        case timeout

        /// An HTTP status, with Apple's page of HTML as body.
        case status(Int)

        /// Status 200 and a page of HTML, as behind a proxy that wants a login.
        case html

        /// The right answer, without its second half.
        case cutBody

        /// Status 200 without a body.
        case emptyBody

        /// A status of verifyReceipt in place of its answer, for example 21005.
        case receiptStatus(Int64, isRetryable: Bool?)

        /// An error of the App Store Server API in place of its answer, for example 5000001.
        case apiError(Int64)

        /// 429, and a `Retry-After` so far from now.
        case rateLimit(Duration)
    }

    /// The call that fails; nil for all of them.
    public var endpoint: Endpoint?

    /// What goes wrong.
    public var kind: Kind

    /// How many calls fail; nil until it is taken away.
    public var remaining: Int?

    /// Makes a failure.
    public init(_ kind: Kind, of endpoint: Endpoint? = nil, remaining: Int? = nil) {
        self.endpoint = endpoint
        self.kind = kind
        self.remaining = remaining
    }

    /// Whether the call is answered by the services as ever, and only then spoilt.
    var keepsAnswer: Bool {
        switch kind {
        case .latency, .timeout, .cutBody: true
        case .status, .html, .emptyBody, .receiptStatus, .apiError, .rateLimit: false
        }
    }

    /// The whole answer in place of the right one; nil where ``keepsAnswer``.
    func response(at now: Instant) -> HTTPResponse? {
        switch kind {
        case .latency, .timeout, .cutBody: return nil
        case .status(let status): return Self.page(status: status)
        case .html: return Self.page(status: 200)
        case .emptyBody: return HTTPResponse(status: 200)
        case .receiptStatus(let status, let isRetryable):
            var body = JSONObject()
            body.append("status", .integer(status))
            if let isRetryable { body.append("is-retryable", .bool(isRetryable)) }
            return .json(.object(body))
        case .apiError(let code):
            return APIError(code, "An error that was asked for.").response
        case .rateLimit(let wait):
            return .rateLimited(until: now + wait)
        }
    }

    private static func page(status: Int) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: ["Content-Type": "text/html"],
            body: Array("<html><head><title>\(status)</title></head><body></body></html>\n".utf8))
    }
}

extension HTTPResponse {
    /// `Retry-After` is a moment in milliseconds since 1970 here, which no other service does.
    static func rateLimited(until moment: Instant) -> HTTPResponse {
        var response = APIError.rateLimitExceeded.response
        response.headers["Retry-After"] = String(moment.millisecondsSinceEpoch)
        return response
    }
}

/// What comes back for a call, and how.
public struct ServiceAnswer: Sendable {
    /// Status, header and body.
    public var response: HTTPResponse

    /// How late it comes.
    public var delay: Duration = .zero

    /// Whether it never comes.
    public var isLost = false

    /// Why it is 401, which Apple tells nobody.
    public var refusal: String?

    init(_ response: HTTPResponse) {
        self.response = response
    }

    /// The answer after a fault that keeps it.
    func spoilt(by fault: InjectedFault) -> ServiceAnswer {
        var answer = self
        switch fault.kind {
        case .latency(let delay): answer.delay += delay
        case .timeout: answer.isLost = true
        case .cutBody: answer.response.body.removeLast(answer.response.body.count / 2)
        default: break
        }
        return answer
    }
}

/// The failures that are waiting for calls.
struct FaultPlan: Sendable {
    private(set) var faults: [InjectedFault] = []

    mutating func add(_ fault: InjectedFault) { faults.append(fault) }

    /// Takes the failures of one call away, or all.
    mutating func clear(_ endpoint: Endpoint? = nil) {
        faults.removeAll { endpoint == nil || $0.endpoint == endpoint }
    }

    /// The first failure that a call meets; it counts as met.
    mutating func next(_ endpoint: Endpoint) -> InjectedFault? {
        guard
            let position = faults.firstIndex(where: {
                $0.endpoint == nil || $0.endpoint == endpoint
            })
        else { return nil }
        let fault = faults[position]
        if let remaining = fault.remaining {
            if remaining <= 1 {
                faults.remove(at: position)
            } else {
                faults[position].remaining = remaining - 1
            }
        }
        return fault
    }
}
