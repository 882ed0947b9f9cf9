// SPDX-License-Identifier: Apache-2.0

/// Rows of text in columns that line up.
struct TextTable {
    private var rows: [[String]]

    init(_ header: String...) {
        rows = [header]
    }

    mutating func append(_ row: [String?]) {
        rows.append(row.map { Self.printable($0 ?? "–") })
    }

    /// The lines, indented by two spaces.
    var lines: [String] {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            var line = "  " + cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    /// The text without what a terminal would obey: evidence is written by strangers.
    static func printable(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: scalars.append("\u{FFFD}")
            default: scalars.append(scalar)
            }
        }
        return String(scalars)
    }
}
