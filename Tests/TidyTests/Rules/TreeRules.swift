// SPDX-License-Identifier: Apache-2.0

/// What has no place in the tree: secrets, real purchases, and traces of one machine.
enum TreeRules {
    static let secretExtensions: Set<String> = [
        "pem", "key", "p8", "p12", "pfx", "cer", "crt", "der", "csr", "jks", "p7b", "p7", "jws",
        "receipt", "sqlite", "db", "whl", "zip", "gz", "so", "a", "o",
    ]

    static func fileKind(_ path: String) -> [Finding] {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."),
            secretExtensions.contains(name[name.index(after: dot)...].lowercased())
        else { return [] }
        let message = "keys, certificates, receipts and archives are made at run time, never kept"
        return [Finding(path: path, line: 1, message: message)]
    }

    /// Beginnings of encoded evidence: each with so much alphabet behind it that no prose matches.
    private static let evidence: [(start: String, name: String)] = [
        ("MI" + "I", "a certificate, key or receipt in base64"),
        ("ey" + "J", "a signed payload"),
    ]

    /// The length from which a run of base64 is evidence and not a name.
    static let evidenceLength = 80

    /// Files that must hold such text, with the reason.
    static let publicConstants: [String: String] = [
        "Sources/CounterfoilTrust/Anchors/TrustAnchor+Apple.swift":
            "Apple's public keys are pinned in the source, so that no file can replace them"
    ]

    static func embeddedEvidence(_ file: SourceFile) -> [Finding] {
        guard publicConstants[file.path] == nil else { return [] }
        let bytes = Array(file.text.utf8)
        var findings: [Finding] = []
        var (line, runStart) = (1, 0)
        for index in 0...bytes.count {
            if index < bytes.count, isEncoded(bytes[index]) { continue }
            if index - runStart >= evidenceLength {
                let run = String(decoding: bytes[runStart..<index], as: UTF8.self)
                for (start, name) in evidence where run.hasPrefix(start) {
                    findings.append(file.finding(line, "\(name) does not belong in the tree"))
                }
            }
            if index < bytes.count, bytes[index] == UInt8(ascii: "\n") { line += 1 }
            runStart = index + 1
        }
        return findings
    }

    private static func isEncoded(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"),
            UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    /// A private key's or certificate's armour with content behind it.
    static func armour(_ file: SourceFile) -> [Finding] {
        let lines = file.lines
        return lines.indices.dropLast().compactMap { index in
            let next = lines[index + 1].drop { $0 == " " }
            guard lines[index].contains("-----BE" + "GIN "), next.utf8.count >= 40,
                next.utf8.allSatisfy({ isEncoded($0) || $0 == UInt8(ascii: "=") })
            else { return nil }
            return file.finding(index + 1, "an armoured key or certificate")
        }
    }

    /// Absolute paths that exist on one machine only. They are put together here, so that this file
    /// does not hold them.
    static let machinePaths = ["home", "root", "work", "Users", "tmp/h"].map { "/" + $0 + "/" }

    static func machinePaths(_ file: SourceFile) -> [Finding] {
        file.lines.enumerated().flatMap { index, line in
            machinePaths.filter { isAbsolute($0, in: line) }
                .map { file.finding(index + 1, "\($0)… is a path of one machine") }
        }
    }

    /// Whether the path begins here; inside a longer path (`a/home/b`) or an address it does not.
    private static func isAbsolute(_ path: String, in line: Substring) -> Bool {
        line.ranges(of: path).contains { range in
            guard range.lowerBound > line.startIndex else { return true }
            let before = line[line.index(before: range.lowerBound)]
            return !before.isLetter && !before.isNumber && !"._-}){/*".contains(before)
        }
    }

    /// What a merge leaves behind when somebody commits too early.
    static func conflictMarkers(_ file: SourceFile) -> [Finding] {
        let markers = ["<<<<<<" + "< ", ">>>>>>" + "> "]
        return file.lines.enumerated()
            .filter { line in markers.contains { line.element.hasPrefix($0) } }
            .map { file.finding($0.offset + 1, "a merge was not finished") }
    }

    /// Words of a workplace, not of the project; written in two parts for the same reason.
    static let foreignWords = [
        "sub" + "agent", "language " + "model", "chat" + "gpt", "this " + "session",
        "the " + "brief", "design " + "§", "step " + "1 of", "as an " + "ai",
    ]

    static func foreignWords(_ file: SourceFile) -> [Finding] {
        file.lines.enumerated().flatMap { index, line in
            let lowered = line.lowercased()
            return foreignWords.filter(lowered.contains)
                .map { file.finding(index + 1, "\"\($0)\" does not belong in the project") }
        }
    }
}

/// The records of decisions: numbered without gaps, each with the parts that make it useful.
enum DecisionRecords {
    static let folder = "docs/decisions/"
    static let parts = ["## Context", "## Decision", "## Alternatives", "## Consequences"]

    static func findings(_ files: [SourceFile]) -> [Finding] {
        let records = files.filter { $0.path.hasPrefix(folder) }.sorted { $0.path < $1.path }
        return records.enumerated().flatMap { number, file -> [Finding] in
            var findings: [Finding] = []
            let expected = String(String(10_000 + number).dropFirst())
            let name = file.path.dropFirst(folder.count)
            if !name.hasPrefix(expected + "-") || !name.hasSuffix(".md") {
                findings.append(file.finding(1, "the next record is \(expected)-….md"))
            }
            if file.lines.first?.hasPrefix("# \(number). ") != true {
                findings.append(file.finding(1, "the title begins with \"# \(number). \""))
            }
            for part in parts where !file.lines.contains(Substring(part)) {
                findings.append(file.finding(1, "the part \"\(part)\" is missing"))
            }
            return findings
        }
    }
}
