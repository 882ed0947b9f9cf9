// swift-tools-version: 6.1
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A library target; its folder is named as it is.
func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

func system(_ name: String, _ pkgConfig: String, _ package: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([package])])
}

let package = Package(
    name: "counterfoil",
    products: [
        .executable(name: "counterfoil", targets: ["counterfoil"]),
        .library(name: "CounterfoilTrust", targets: ["CounterfoilTrust"]),
        .library(name: "CounterfoilApple", targets: ["CounterfoilApple"]),
        .library(name: "CounterfoilSimulator", targets: ["CounterfoilSimulator"]),
        .library(name: "CounterfoilWebhooks", targets: ["CounterfoilWebhooks"]),
    ],
    targets: [
        system("COpenSSL", "libcrypto", "libssl-dev"),
        system("CSQLite", "sqlite3", "libsqlite3-dev"),
        system("CZlib", "zlib", "zlib1g-dev"),
        system("CPostgreSQL", "libpq", "libpq-dev"),
        system("CMicroHTTPD", "libmicrohttpd", "libmicrohttpd-dev"),
        system("CCurl", "libcurl", "libcurl4-openssl-dev"),

        module("CounterfoilCore"),
        module("CounterfoilCrypto", ["CounterfoilCore", "COpenSSL"]),
        module("CounterfoilTrust", ["CounterfoilCore", "CounterfoilCrypto"]),
        module("CounterfoilApple", ["CounterfoilCore", "CounterfoilCrypto", "CounterfoilTrust"]),
        module("CounterfoilWebhooks", ["CounterfoilCore", "CounterfoilCrypto"]),
        module("CounterfoilHTTP", ["CounterfoilCore"]),
        module("CounterfoilHTTPServer", ["CounterfoilCore", "CounterfoilHTTP", "CMicroHTTPD"]),
        module("CounterfoilHTTPClient", ["CounterfoilCore", "CounterfoilHTTP", "CCurl"]),
        module("CounterfoilDatabase", ["CounterfoilCore"]),
        module("CounterfoilDatabaseSQLite", ["CounterfoilCore", "CounterfoilDatabase", "CSQLite"]),
        module(
            "CounterfoilDatabasePostgres",
            ["CounterfoilCore", "CounterfoilDatabase", "CPostgreSQL"]
        ),
        module(
            "CounterfoilStore",
            ["CounterfoilCore", "CounterfoilCrypto", "CounterfoilDatabase", "CZlib"]),
        module(
            "CounterfoilEngine",
            [
                "CounterfoilCore", "CounterfoilCrypto", "CounterfoilTrust", "CounterfoilApple",
                "CounterfoilDatabase", "CounterfoilHTTP", "CounterfoilStore",
                "CounterfoilWebhooks",
            ]),
        module(
            "CounterfoilServer",
            [
                "CounterfoilCore", "CounterfoilCrypto", "CounterfoilTrust", "CounterfoilApple",
                "CounterfoilHTTP",
                "CounterfoilHTTPClient", "CounterfoilHTTPServer", "CounterfoilDatabase",
                "CounterfoilDatabasePostgres",
                "CounterfoilDatabaseSQLite", "CounterfoilStore",
                "CounterfoilEngine",
            ]),
        module(
            "CounterfoilSimulator",
            [
                "CounterfoilCore", "CounterfoilCrypto", "CounterfoilTrust", "CounterfoilApple",
                "CounterfoilHTTP",
            ]),
        .executableTarget(
            name: "counterfoil",
            dependencies: [
                "CounterfoilCore", "CounterfoilCrypto", "CounterfoilTrust", "CounterfoilApple",
                "CounterfoilEngine", "CounterfoilHTTP", "CounterfoilHTTPClient",
                "CounterfoilHTTPServer", "CounterfoilServer", "CounterfoilStore",
                "CounterfoilSimulator",
            ],
            swiftSettings: strict),
        .target(
            name: "CYardsticks", dependencies: ["COpenSSL", "CSQLite", "CMicroHTTPD"],
            path: "Benchmarks/CYardsticks"),
        .executableTarget(
            name: "counterfoil-bench",
            dependencies: [
                "CounterfoilCore", "CounterfoilCrypto", "CounterfoilTrust", "CounterfoilApple",
                "CounterfoilDatabase", "CounterfoilDatabaseSQLite", "CounterfoilDatabasePostgres",
                "CounterfoilEngine",
                "CounterfoilHTTP", "CounterfoilHTTPServer",
                "CounterfoilServer", "CounterfoilSimulator", "CounterfoilStore", "CYardsticks",
            ],
            path: "Benchmarks/CounterfoilBench", swiftSettings: strict),
        .target(
            name: "CounterfoilTestSupport",
            dependencies: [
                "CounterfoilCore", "CounterfoilCrypto", "CounterfoilApple", "CounterfoilDatabase",
                "CounterfoilDatabasePostgres", "CounterfoilDatabaseSQLite", "CounterfoilSimulator",
            ],
            path: "Tests/CounterfoilTestSupport", swiftSettings: strict),
        .target(name: "CFaultyFiles", dependencies: ["CSQLite"], path: "Tests/CFaultyFiles"),
        .target(
            name: "FaultyFiles", dependencies: ["CFaultyFiles"], path: "Tests/FaultyFiles",
            swiftSettings: strict),
        .target(
            name: "CounterfoilReferenceModel", path: "Tests/CounterfoilReferenceModel",
            swiftSettings: strict),
        .target(
            name: "CounterfoilSimulation",
            dependencies: [
                "CounterfoilCore", "CounterfoilCrypto", "CounterfoilTrust", "CounterfoilApple",
                "CounterfoilDatabase", "CounterfoilDatabaseSQLite", "CounterfoilStore",
                "CounterfoilHTTP",
                "CounterfoilEngine", "CounterfoilSimulator", "CounterfoilReferenceModel",
                "CounterfoilTestSupport", "FaultyFiles",
            ],
            path: "Tests/CounterfoilSimulation", swiftSettings: strict),
        .executableTarget(
            name: "counterfoil-simulate",
            dependencies: ["CounterfoilSimulation", "CounterfoilTestSupport"],
            path: "Tests/counterfoil-simulate", swiftSettings: strict),
        tests("TidyTests", ["CounterfoilTestSupport"]),
        tests(
            "SimulationTests",
            ["CounterfoilSimulation", "CounterfoilTestSupport", "counterfoil-simulate"]),
        tests(
            "BenchmarkTests",
            [
                "counterfoil-bench", "CounterfoilCore", "CounterfoilDatabase",
                "CounterfoilTestSupport",
            ]),
        tests(
            "FaultTests",
            [
                "CounterfoilCore", "CounterfoilCrypto", "CounterfoilDatabase",
                "CounterfoilDatabaseSQLite", "CounterfoilEngine", "CounterfoilApple",
                "CounterfoilSimulator", "CounterfoilStore", "CounterfoilTestSupport",
                "CounterfoilTrust", "FaultyFiles",
            ]),
        tests(
            "IntegrationTests",
            [
                "CounterfoilCore", "CounterfoilCrypto", "CounterfoilDatabase",
                "CounterfoilDatabasePostgres", "CounterfoilDatabaseSQLite", "CounterfoilStore",
                "CounterfoilServer", "CounterfoilSimulator", "CounterfoilTestSupport",
                "counterfoil",
            ]),
        tests(
            "CounterfoilDatabaseTests",
            [
                "CounterfoilCore", "CounterfoilCrypto", "CounterfoilDatabase",
                "CounterfoilDatabasePostgres", "CounterfoilDatabaseSQLite",
                "CounterfoilTestSupport",
            ]),
        tests("CounterfoilCoreTests", ["CounterfoilCore", "CounterfoilTestSupport"]),
        tests(
            "CounterfoilStoreTests",
            [
                "CounterfoilCore", "CounterfoilCrypto", "CounterfoilDatabase",
                "CounterfoilSimulator", "CounterfoilStore", "CounterfoilTestSupport",
            ]),
        tests(
            "CounterfoilTrustTests",
            [
                "CounterfoilCore", "CounterfoilCrypto", "CounterfoilTrust", "CounterfoilSimulator",
                "CounterfoilTestSupport",
            ]),
        tests("CounterfoilCryptoTests", ["CounterfoilCore", "CounterfoilCrypto"]),
        tests(
            "CounterfoilWebhooksTests",
            ["CounterfoilCore", "CounterfoilTestSupport", "CounterfoilWebhooks"]),
        tests(
            "CounterfoilSimulatorTests",
            [
                "CounterfoilCore", "CounterfoilCrypto", "CounterfoilTrust", "CounterfoilApple",
                "CounterfoilHTTP", "CounterfoilSimulator", "CounterfoilTestSupport",
            ]),
        tests(
            "CounterfoilEngineTests",
            [
                "CounterfoilCore", "CounterfoilCrypto", "CounterfoilApple", "CounterfoilDatabase",
                "CounterfoilDatabaseSQLite",
                "CounterfoilEngine", "CounterfoilSimulator", "CounterfoilStore",
                "CounterfoilTestSupport",
                "CounterfoilHTTP", "CounterfoilTrust", "CounterfoilWebhooks",
            ]),
        tests(
            "VectorTests",
            [
                "counterfoil", "CounterfoilCore", "CounterfoilCrypto", "CounterfoilHTTP",
                "CounterfoilServer", "CounterfoilSimulator",
                "CounterfoilTestSupport",
            ]),
        tests(
            "CounterfoilAppleTests",
            [
                "CounterfoilCore", "CounterfoilCrypto", "CounterfoilTrust", "CounterfoilApple",
                "CounterfoilSimulator", "CounterfoilTestSupport",
            ]),
        tests(
            "CounterfoilHTTPServerTests",
            ["CounterfoilCore", "CounterfoilHTTP", "CounterfoilHTTPServer"]),
        tests(
            "CounterfoilServerTests",
            [
                "CounterfoilCore", "CounterfoilCrypto", "CounterfoilApple", "CounterfoilDatabase",
                "CounterfoilDatabasePostgres", "CounterfoilEngine", "CounterfoilHTTP",
                "CounterfoilServer", "CounterfoilSimulator", "CounterfoilStore",
                "CounterfoilTestSupport", "CounterfoilTrust",
                "CounterfoilHTTPClient", "CounterfoilWebhooks",
            ]),
        tests(
            "CounterfoilHTTPClientTests",
            [
                "CounterfoilCore", "CounterfoilHTTP", "CounterfoilHTTPClient",
                "CounterfoilTestSupport",
            ]),
    ]
)
