// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore

/// Reads a document in both dialects; what was read must survive being written.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
    let strict = attempt { try JSONValue(parsing: bytes) }
    if let strict {
        precondition(attempt { try JSONValue(parsing: strict.utf8) } == strict, "lost in writing")
        precondition(
            attempt { try JSONValue(parsing: strict.indentedUTF8) } == strict,
            "lost in indented writing")
    }
    let document = attempt { try JSONDocument(parsing: bytes, dialect: .json5) }
    if let strict {
        precondition(document?.value == strict, "the dialects disagree about strict text")
    }
    if let document {
        precondition(document.line(at: "") >= 1, "a document without a first line")
        precondition(
            attempt { try JSONValue(parsing: document.value.utf8) } == document.value,
            "lost in writing")
    }
    return 0
}
