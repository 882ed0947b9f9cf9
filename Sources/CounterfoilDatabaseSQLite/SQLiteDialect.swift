// SPDX-License-Identifier: Apache-2.0
package import CounterfoilDatabase

extension Dialect {
    /// SQLite's spelling: strict tables, whose text compares byte by byte as it is.
    package static let sqlite = Dialect(
        integerType: "INTEGER", textType: "TEXT", bytesType: "BLOB",
        // `octet_length` is younger than the oldest SQLite we run on.
        textByteCount: { "length(CAST(\($0) AS BLOB))" },
        bytesByteCount: { "length(\($0))" },
        tableOptions: { layout in
            switch layout {
            case .heap: " STRICT"
            case .keyed: " STRICT, WITHOUT ROWID"
            }
        })
}
