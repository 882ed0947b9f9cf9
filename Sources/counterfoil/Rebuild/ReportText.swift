// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilEngine

/// How a comparison of the books is printed.
enum ReportText {
    /// Prints a table and every difference, or the whole report as JSON.
    static func print(
        _ report: RebuildReport, of subjects: [RebuildReport.Subject], asJSON: Bool,
        whenItDiffers verdict: String, on console: Console
    ) -> ExitCode {
        if asJSON {
            console.print(report.json.indentedUTF8)
            console.print("\n")
        } else {
            console.print(text(of: report, subjects, verdict))
        }
        return report.agrees ? .success : .failure
    }

    private static func text(
        of report: RebuildReport, _ subjects: [RebuildReport.Subject], _ verdict: String
    ) -> String {
        var table = TextTable("checked", "")
        for subject in subjects {
            table.append([
                subject.rawValue.replacing("_", with: " "), String(report.counts[subject] ?? 0),
            ])
        }
        var lines = table.lines
        for difference in report.differences {
            lines.append("DIFFERS  \(difference.table): \(difference.key)")
            lines.append("         should be: \(difference.expected?.text ?? "not there")")
            lines.append("         is:        \(difference.stored?.text ?? "not there")")
        }
        if report.omitted > 0 { lines.append("… and \(report.omitted) more") }
        lines.append(report.agrees ? "Everything agrees." : verdict)
        return lines.joined(separator: "\n") + "\n"
    }
}
