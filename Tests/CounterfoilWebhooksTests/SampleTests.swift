// SPDX-License-Identifier: Apache-2.0
import CounterfoilTestSupport
import Foundation
import Testing

@testable import CounterfoilWebhooks

/// A language in which the documentation shows how to verify.
enum SampleLanguage: String, CaseIterable, Sendable {
    case python
    case js

    /// The interpreter, where the machine has one.
    var program: String? {
        let names = self == .python ? ["python3"] : ["node", "nodejs"]
        let paths = names.flatMap { ["/usr/bin/\($0)", "/usr/local/bin/\($0)"] }
        return paths.first(where: FileManager.default.isExecutableFile(atPath:))
    }

    var fileName: String { self == .python ? "sample.py" : "sample.mjs" }

    /// The sample as the documentation prints it.
    var sample: String {
        get throws {
            let path = URL(fileURLWithPath: #filePath)
                .appendingPathComponent("../../../docs/webhooks.md").standardizedFileURL.path
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let start = try #require(text.range(of: "```\(rawValue)\n"))
            let rest = text[start.upperBound...]
            return String(rest[..<(try #require(rest.range(of: "```\n"))).lowerBound])
        }
    }

    /// A program behind the sample that prints the id, or the word `refused`.
    func call(_ vector: SignatureVector, body: String, after seconds: Int64) -> String {
        let body = Data(body.utf8).base64EncodedString()
        let now = vector.seconds + seconds
        switch self {
        case .python:
            return """

                try:
                    print(verify(["\(vector.secret)"], {"Webhook-Id": "\(vector.id)",
                        "WEBHOOK-TIMESTAMP": "\(vector.seconds)",
                        "webhook-signature": "v1,AAAA \(vector.signature)"},
                        base64.b64decode("\(body)"), now=\(now)))
                except ValueError:
                    print("refused")
                """
        case .js:
            return """

                try {
                  console.log(verify(["\(vector.secret)"], {"webhook-id": "\(vector.id)",
                    "webhook-timestamp": "\(vector.seconds)",
                    "webhook-signature": "v1,AAAA \(vector.signature)"},
                    Buffer.from("\(body)", "base64"), \(now)));
                } catch { console.log("refused"); }
                """
        }
    }
}

@Suite("Samples of the documentation")
struct SamplesOfTheDocumentation {
    @Test(
        "A sample believes the vectors and nothing else, where its interpreter is installed",
        arguments: SampleLanguage.allCases)
    func samples(_ language: SampleLanguage) throws {
        let sample = try language.sample
        guard let program = language.program else { return }
        var text = sample
        var expected: [String] = []
        for vector in SignatureVector.all {
            text += language.call(vector, body: vector.body, after: 300)
            text += language.call(vector, body: vector.body + " ", after: 0)
            text += language.call(vector, body: vector.body, after: 301)
            text += language.call(vector, body: vector.body, after: -301)
            expected += [vector.id, "refused", "refused", "refused"]
        }
        let folder = TemporaryFolder()
        let file = folder.file(language.fileName)
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let output = try ChildProcess.run(program, [file]).output
        #expect(output.split(separator: "\n").map(String.init) == expected)
    }
}
