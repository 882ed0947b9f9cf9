// SPDX-License-Identifier: Apache-2.0

/// The direction of the module graph: arrows point down only, never up and never sideways.
enum ImportRules {
    /// What each module may build on. A new module gets a line here, below the ones it uses; the
    /// architecture in docs/architecture.md says why each line is as short as it is.
    static let allowed: [(module: String, uses: Set<String>)] = [
        ("CounterfoilCore", []),
        ("CounterfoilCrypto", ["CounterfoilCore", "COpenSSL"]),
        ("CounterfoilWebhooks", ["CounterfoilCore", "CounterfoilCrypto"]),
        ("CYardsticks", ["COpenSSL", "CSQLite", "CMicroHTTPD"]),
        ("CFaultyFiles", ["CSQLite"]),
        ("FaultyFiles", ["CFaultyFiles"]),
        ("CounterfoilHTTP", ["CounterfoilCore"]),
        ("CounterfoilDatabase", ["CounterfoilCore"]),
        ("CounterfoilTrust", ["CounterfoilCore", "CounterfoilCrypto"]),
        ("CounterfoilHTTPServer", ["CounterfoilCore", "CounterfoilHTTP", "CMicroHTTPD"]),
        ("CounterfoilHTTPClient", ["CounterfoilCore", "CounterfoilHTTP", "CCurl"]),
        ("CounterfoilDatabaseSQLite", ["CounterfoilCore", "CounterfoilDatabase", "CSQLite"]),
        (
            "CounterfoilDatabasePostgres",
            ["CounterfoilCore", "CounterfoilDatabase", "CPostgreSQL"]
        ),
        ("CounterfoilApple", ["CounterfoilCore", "CounterfoilCrypto", "CounterfoilTrust"]),
        (
            "CounterfoilStore",
            ["CounterfoilCore", "CounterfoilCrypto", "CounterfoilDatabase", "CZlib"]
        ),
        (
            "CounterfoilSimulator",
            [
                "CounterfoilCore", "CounterfoilCrypto", "CounterfoilTrust", "CounterfoilApple",
                "CounterfoilHTTP",
            ]
        ),
        (
            "CounterfoilEngine",
            [
                "CounterfoilCore", "CounterfoilCrypto", "CounterfoilTrust", "CounterfoilApple",
                "CounterfoilDatabase", "CounterfoilHTTP", "CounterfoilStore",
                "CounterfoilWebhooks",
            ]
        ),
        // It computes what the engine must have done, so it must not know how the engine does it.
        ("CounterfoilReferenceModel", []),
        (
            "CounterfoilServer",
            [
                "CounterfoilCore", "CounterfoilCrypto", "CounterfoilTrust", "CounterfoilApple",
                "CounterfoilHTTP", "CounterfoilHTTPClient", "CounterfoilHTTPServer",
                "CounterfoilDatabase",
                "CounterfoilDatabasePostgres", "CounterfoilDatabaseSQLite", "CounterfoilStore",
                "CounterfoilEngine",
            ]
        ),
    ]

    /// Programs stand above every module, and the libraries of the tests too; they may use all of them, but
    /// no C library.
    static let programs: Set<String> = [
        "counterfoil", "counterfoil-bench", "counterfoil-simulate",
    ]

    /// Libraries of the tests, which may use every module too.
    static let testing: Set<String> = ["CounterfoilTestSupport", "CounterfoilSimulation"]

    static func isOurs(_ module: String) -> Bool {
        module.hasPrefix("Counterfoil") || module == "counterfoil" || isCLibrary(module)
    }

    static let cLibraries: Set<String> = [
        "COpenSSL", "CSQLite", "CZlib", "CPostgreSQL", "CMicroHTTPD", "CCurl",
    ]

    static func isCLibrary(_ module: String) -> Bool {
        cLibraries.contains(module)
    }

    /// The table itself must be a ladder: each module uses only what an earlier line names.
    static func upwardEntries(in table: [(module: String, uses: Set<String>)]) -> [String] {
        var below: Set<String> = []
        var wrong: [String] = []
        for (module, uses) in table {
            for name in uses.sorted() where !below.contains(name) && !isCLibrary(name) {
                wrong.append("\(module) uses \(name), which does not stand below it")
            }
            below.insert(module)
        }
        return wrong
    }

    /// Each dependency that the manifest declares must be in the table.
    static func manifestFindings(_ manifest: Manifest, path: String) -> [Finding] {
        manifest.targets.flatMap { target -> [Finding] in
            guard target.kind == .library || target.kind == .executable,
                !testing.contains(target.name)
            else { return [] }
            let uses: Set<String>
            if programs.contains(target.name) {
                uses = Set(allowed.map(\.module)).union(testing)
            } else if let entry = allowed.first(where: { $0.module == target.name }) {
                uses = entry.uses
            } else {
                let message = "\(target.name) has no place in the table of allowed imports"
                return [Finding(path: path, line: target.line, message: message)]
            }
            return target.dependencies.subtracting(uses).sorted().map { name in
                Finding(
                    path: path, line: target.line,
                    message: "\(target.name) must not depend on \(name)")
            }
        }
    }

    /// Each import of one of our modules must be a dependency that the manifest declares.
    static func importFindings(_ file: SourceFile, manifest: Manifest) -> [Finding] {
        guard let name = file.target, let target = manifest.target(name) else { return [] }
        return imports(of: file).compactMap { module, line in
            guard isOurs(module), !target.dependencies.contains(module) else { return nil }
            return file.finding(line, "\(name) must not import \(module)")
        }
    }

    /// The modules that a file imports, with the lines.
    static func imports(of file: SourceFile) -> [(module: String, line: Int)] {
        let kinds: Set<String> = [
            "struct", "class", "enum", "protocol", "func", "var", "let", "typealias", "actor",
        ]
        return file.code.indices.compactMap { index in
            guard file.code[index].kind == .word, file.code[index].text == "import",
                index + 1 < file.code.count
            else { return nil }
            var next = index + 1
            if kinds.contains(file.code[next].text), next + 1 < file.code.count { next += 1 }
            return (file.code[next].text, file.code[index].line)
        }
    }

    /// Which targets import each C library.
    static func importersOfCLibraries(_ files: [SourceFile]) -> [String: Set<String>] {
        var importers: [String: Set<String>] = [:]
        for file in files {
            for (module, _) in imports(of: file) where isCLibrary(module) {
                importers[module, default: []].insert(file.target ?? file.path)
            }
        }
        return importers
    }

    /// Modules of the system that no source may import, with the reason.
    static let bannedSystemModules: [String: String] = [
        "FoundationNetworking": "it is slow, grows, and takes 70 MB into the program",
        "Foundation": "libraries use FoundationEssentials, and only where they must",
    ]

    static func systemImportFindings(_ file: SourceFile) -> [Finding] {
        guard file.isInSources else { return [] }
        return imports(of: file).compactMap { module, line in
            bannedSystemModules[module].map { reason in
                file.finding(line, "\(module) is not imported here: \(reason)")
            }
        }
    }
}
