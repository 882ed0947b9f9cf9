// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase
import CounterfoilEngine
import CounterfoilHTTP

// Every event that the server logs (docs/operations.md lists them).
extension Log {
    func started(_ configuration: ServerConfiguration, port: UInt16) {
        let apps = configuration.apps.map(\.id.rawValue).joined(separator: ",")
        write(
            "start", ("version", Release.version), ("apps", apps),
            ("database", configuration.database.shownName),
            ("listen", "\(configuration.listen.address):\(port)"))
    }

    /// The database is not there yet; the start waits for it.
    func waiting(for error: DatabaseError) {
        write("database.awaited", ("error", error.description))
    }

    func stopped() {
        write("stop")
    }

    /// The database has books or keys of an app that the configuration does not name.
    func unconfigured(_ app: AppID) {
        write("app.unconfigured", ("app", app.rawValue))
    }

    /// The server was told to read a catalogue again.
    func reloaded(_ catalogue: Catalogue, of app: AppID, isNew: Bool) {
        write(
            "catalogue.reloaded", ("app", app.rawValue), ("version", catalogue.version),
            ("products", String(catalogue.products.count)), ("changed", isNew ? "yes" : "no"))
    }

    /// A catalogue has faults, and the app keeps the one that it had.
    func refused(_ error: ConfigurationError, of app: AppID) {
        write("catalogue.refused", ("app", app.rawValue), ("error", error.description))
    }

    /// A submission that a person may have to do something about; others are not news.
    func submitted(_ outcome: SubmissionOutcome, to app: AppID) {
        let reason = outcome.decision.reason?.rawValue ?? ""
        let environment = outcome.environment?.rawValue ?? "unknown"
        let id = outcome.submissionID.description
        if outcome.isSuspectConfiguration {
            write(
                "purchase.suspect", ("app", app.rawValue), ("environment", environment),
                ("reason", reason), ("submission", id), ("detail", outcome.detail ?? ""))
        } else if outcome.decision.status == .parked {
            write(
                "purchase.parked", ("app", app.rawValue), ("environment", environment),
                ("reason", reason), ("submission", id))
        }
    }

    func failed(_ failure: JobFailure) {
        write(
            "job.failed", ("app", failure.app.rawValue), ("kind", failure.kind),
            ("tries", String(failure.tries)), ("error", failure.message))
    }

    /// Somebody had events sent once more.
    func replayed(_ outcome: ReplayOutcome, by principal: Principal, requestID: UniqueID) {
        write(
            "webhook.replayed", ("app", principal.app.rawValue),
            ("key", principal.keyID.description), ("deliveries", String(outcome.replayed)),
            ("request", requestID.description))
    }

    /// Somebody held webhooks back, or let them go.
    func held(_ product: ProductID?, isHeld: Bool, by principal: Principal) {
        write(
            isHeld ? "webhook.held" : "webhook.released", ("app", principal.app.rawValue),
            ("key", principal.keyID.description), ("product", product?.rawValue ?? "all"))
    }

    /// Somebody came without a key that opens what was asked for.
    func refused(_ problem: Problem, keyID: UniqueID?, requestID: UniqueID) {
        write(
            "auth.refused", ("code", problem.code), ("key", keyID?.description ?? "unknown"),
            ("request", requestID.description))
    }

    /// A request met an error that nobody turned into an answer.
    func failed(_ error: any Error, requestID: UniqueID) {
        let name = error is DatabaseError ? "database.failed" : "request.failed"
        write(name, ("request", requestID.description), ("error", String(reflecting: error)))
    }

    /// Work in the background met an error; it is tried again.
    func failed(_ error: any Error, during work: String) {
        let name = error is DatabaseError ? "database.failed" : "work.failed"
        write(name, ("during", work), ("error", String(reflecting: error)))
    }
}

extension DatabaseConfiguration {
    /// What may be shown of it: an address may hold a password.
    fileprivate var shownName: String {
        switch self {
        case .sqlite(let path): path
        case .postgres: "postgres"
        }
    }
}
