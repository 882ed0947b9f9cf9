// SPDX-License-Identifier: Apache-2.0
import CounterfoilTestSupport
import Foundation
import Testing

/// Runs `Scripts/setup` on a machine of stubs: its PATH holds nothing but what a test puts there.
private struct StubMachine: ~Copyable {
    private let folder: URL

    /// What the stubs wrote down when they were called.
    private var log: URL { folder.appendingPathComponent("log") }

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("counterfoil-setup-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for tool in ["bash", "env", "sort", "head", "grep", "cat"] {
            let place = try #require(
                ["/usr/bin/", "/bin/"].map { $0 + tool }
                    .first(where: FileManager.default.isExecutableFile(atPath:)))
            try FileManager.default.createSymbolicLink(
                atPath: folder.appendingPathComponent(tool).path, withDestinationPath: place)
        }
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    func add(_ tool: String, _ body: String) throws {
        let place = folder.appendingPathComponent(tool)
        try ChildProcess.withoutStarts {
            try "#!/bin/bash\n\(body)\n".write(to: place, atomically: true, encoding: .utf8)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place.path)
    }

    func addSwift(_ version: String) throws {
        try add("swift", "echo 'Swift version \(version) (swift-\(version)-RELEASE)'")
    }

    /// A Debian that has some packages; `apt-get install` brings the others unless it is broken.
    func addDebian(
        installed: [String], tools: [String] = ["pkg-config", "python3"], isBroken: Bool = false,
        user: Int = 0
    ) throws {
        try add("id", "echo \(user)")
        for tool in tools { try add(tool, "exit 0") }
        for package in installed { try mark(package) }
        try add(
            "dpkg-query",
            """
            for package in "${@:4}"; do
                [[ -e "\(folder.path)/has-$package" ]] && echo "installed $package:amd64"
            done
            exit 1
            """)
        try add(
            "apt-get",
            """
            echo "apt-get $* ($DEBIAN_FRONTEND)" >>"\(log.path)"
            \(isBroken ? "exit 100" : "")
            [[ $1 == install ]] || exit 0
            for package in "$@"; do
                : >"\(folder.path)/has-$package"
                echo 'exit 0' >"\(folder.path)/$package"
                \(chmod) +x "\(folder.path)/$package"
            done
            """)
    }

    private var chmod: String {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/chmod")
            ? "/usr/bin/chmod" : "/bin/chmod"
    }

    private func mark(_ package: String) throws {
        try Data().write(to: folder.appendingPathComponent("has-\(package)"))
    }

    func addSudo() throws {
        try add("sudo", "echo \"sudo $1\" >>\"\(log.path)\"\nexec \"$@\"")
    }

    /// The exit status, all output, and the calls that the stubs logged.
    func setUp() throws -> (status: Int32, output: String, calls: [String]) {
        let (status, output) = try ChildProcess.run(
            folder.appendingPathComponent("bash").path,
            [SourceTree.projectRoot.appendingPathComponent("Scripts/setup").path],
            environment: ["PATH": folder.path])
        let calls = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
        let text = output.isEmpty ? "" : output + "\n"
        return (status, text, calls.split(separator: "\n").map(String.init))
    }
}

struct SetUpPreparesABareMachine {
    /// The libraries that the script asks for, as it names them.
    private static let libraries = list("libraries")

    /// Those, and the servers that the tests need.
    private static let packages = libraries + list("servers")

    private static func list(_ name: String) -> [String] {
        let script = SourceTree.project.files.first { $0.path == "Scripts/setup" }
        let start = "readonly \(name)=("
        let line = script?.lines.first { $0.hasPrefix(start) } ?? ""
        return line.dropFirst(start.count).dropLast().split(separator: " ").map(String.init)
    }

    @Test("The script asks for every package that Package.swift names")
    func asksForAll() throws {
        let manifest = try #require(SourceTree.project.files.first { $0.path == "Package.swift" })
        let named = manifest.code.filter { $0.kind == .string && $0.text.hasSuffix("-dev") }
        #expect(named.count >= 3)
        #expect(Set(named.map(\.text)) == Set(Self.libraries))
    }

    @Test("Without Swift it says so and where to get it")
    func noSwift() throws {
        let machine = try StubMachine()
        try machine.addDebian(installed: Self.packages)
        let result = try machine.setUp()
        #expect(result.status == 1)
        #expect(result.output.contains("Swift 6.3 or newer is needed"))
        #expect(result.output.contains("https://www.swift.org/install/linux/"))
    }

    @Test("An older Swift is named and refused", arguments: ["5.10", "6.0.3", "6.2.1"])
    func oldSwift(_ version: String) throws {
        let machine = try StubMachine()
        try machine.addSwift(version)
        try machine.addDebian(installed: Self.packages)
        let result = try machine.setUp()
        #expect(result.status == 1)
        #expect(
            result.output.contains(
                "PATH has Swift \(version.split(separator: ".").prefix(2).joined(separator: "."))"))
    }

    @Test(
        "With everything there it is silent and calls nothing",
        arguments: ["6.3", "6.3.1", "6.10", "7.0"])
    func complete(_ version: String) throws {
        let machine = try StubMachine()
        try machine.addSwift(version)
        try machine.addDebian(installed: Self.packages)
        let result = try machine.setUp()
        #expect(result.status == 0)
        #expect(result.output == "")
        #expect(result.calls == [])
    }

    @Test("Missing packages are named and installed without a question; root needs no sudo")
    func missingPackages() throws {
        let machine = try StubMachine()
        try machine.addSwift("6.3.1")
        try machine.addDebian(installed: Array(Self.packages.prefix(1)))
        try machine.addSudo()
        let result = try machine.setUp()
        let missing = Self.packages.dropFirst().joined(separator: " ")
        #expect(result.status == 0)
        #expect(result.output == "setup: installing \(missing) with apt-get\n")
        #expect(
            result.calls == [
                "apt-get update -qq (noninteractive)",
                "apt-get install -y -qq --no-install-recommends \(missing) (noninteractive)",
            ])
        #expect(try machine.setUp().calls.count == 2)
    }

    @Test("A missing tool is installed like a library")
    func missingTool() throws {
        let machine = try StubMachine()
        try machine.addSwift("6.3.1")
        try machine.addDebian(installed: Self.packages, tools: ["pkg-config"])
        let result = try machine.setUp()
        #expect(result.status == 0)
        #expect(result.output == "setup: installing python3 with apt-get\n")
    }

    @Test("Another user than root goes through sudo")
    func sudo() throws {
        let machine = try StubMachine()
        try machine.addSwift("6.3.1")
        try machine.addDebian(installed: Array(Self.packages.dropLast()), user: 1000)
        try machine.addSudo()
        let result = try machine.setUp()
        #expect(result.status == 0)
        #expect(result.calls.count { $0 == "sudo env" } == 2)
    }

    @Test("Without sudo another user is told the command")
    func noSudo() throws {
        let machine = try StubMachine()
        try machine.addSwift("6.3.1")
        try machine.addDebian(installed: [], user: 1000)
        let result = try machine.setUp()
        #expect(result.status == 1)
        #expect(
            result.output.contains(
                "apt-get install --no-install-recommends \(Self.packages.joined(separator: " "))"))
        #expect(result.calls == [])
    }

    @Test("When apt-get fails, so does the set-up")
    func brokenPackages() throws {
        let machine = try StubMachine()
        try machine.addSwift("6.3.1")
        try machine.addDebian(installed: [], isBroken: true)
        let result = try machine.setUp()
        #expect(result.status == 1)
        #expect(result.output.contains("apt-get could not install: \(Self.packages[0])"))
    }

    @Test("Another system than Debian is told what it needs")
    func otherSystem() throws {
        let machine = try StubMachine()
        try machine.addSwift("6.3.1")
        let result = try machine.setUp()
        #expect(result.status == 1)
        #expect(result.output.contains("neither Debian nor Ubuntu"))
    }
}
