// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
public import CounterfoilHTTP

/// The test's side of the HTTP interface: `POST /control/VERB` with the arguments as JSON.
extension SimulatedAppStore {
    /// Whether the path is the test's and not one of Apple's.
    public static func isControl(_ request: HTTPRequest) -> Bool {
        request.target.segments.first == "control"
    }

    /// Answers a call of the test's: 200 with what came of it, or a refusal with the reason and what
    /// would be allowed.
    public mutating func answerControl(_ request: HTTPRequest) -> HTTPResponse {
        let segments = request.target.segments
        guard segments.count == 2 else {
            return Self.verbList(status: segments.count == 1 ? 200 : 404)
        }
        guard request.method == .post else {
            var refusal = ControlError(
                code: "control.method", status: 405, message: "verbs are called by POST",
                allowed: ["POST"]
            ).response
            refusal.headers["Allow"] = "POST"
            return refusal
        }
        do throws(ControlError) {
            return .json(try control(segments[1], try Self.body(of: request)))
        } catch {
            return error.response
        }
    }

    private static func body(of request: HTTPRequest) throws(ControlError) -> JSONValue {
        guard !request.body.isEmpty else { return [:] }
        do throws(JSONError) {
            return try JSONValue(parsing: request.body)
        } catch {
            throw .malformed([DocumentFinding(path: "", problem: "the body is no JSON: \(error)")])
        }
    }

    private static func verbList(status: Int) -> HTTPResponse {
        .json(
            [
                "verbs": .array(
                    ControlVerb.all.map {
                        ["name": .string($0.name), "summary": .string($0.summary)]
                    })
            ], status: status)
    }
}

extension ControlError {
    var response: HTTPResponse { .json(json, status: status) }
}
