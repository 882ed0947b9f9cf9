// SPDX-License-Identifier: Apache-2.0

internal import CounterfoilHTTP

/// A call that has a place, with what the library works on.
final class Transfer {
    let call: Call
    let host: Host
    let handle: CurlHandle
    let answer: AnswerReader

    init(call: Call, host: Host, handle: CurlHandle, addresses: AddressPolicy) {
        self.call = call
        self.host = host
        self.handle = handle
        answer = AnswerReader(of: call.request, within: addresses)
    }

    /// What the library's result means for the caller.
    func outcome(of result: CurlResult) -> Call.Outcome {
        // For the library a head is complete when the connection ends, wherever that happens.
        let cut = answer.isHeadComplete ? nil : CurlResult.interrupted.failure
        if var (code, message) = answer.failure ?? result.failure ?? cut {
            if code == .connect, answer.hasRefusedAddress {
                (code, message) = (
                    .addressRefused, "the host's address is not one of the public internet"
                )
            }
            return .failure(
                HTTPTransportError(
                    code, message, details: handle.errorText, wasSent: answer.wasSent))
        }
        return .success(
            HTTPResponse(status: handle.status, headers: answer.headers, body: answer.body))
    }
}
