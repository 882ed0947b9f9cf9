// SPDX-License-Identifier: Apache-2.0

import CounterfoilCore
import CounterfoilDatabase

extension Schema {
    /// Certificates that many pieces of evidence carry, once: in DER, one behind the other.
    static let certificateChains = Table(
        "certificate_chains",
        columns: [
            .bytes("sha256", maximum: 32), .bytes("bytes", maximum: Limits.certificateChain),
        ],
        primaryKey: ["sha256"])

    /// Bytes that somebody said prove a purchase, once each.
    static let evidence = Table(
        "evidence",
        columns: [
            // Of what came; what is stored must give it back.
            .bytes("sha256", maximum: 32), .word("kind"),
            // A number of ``PackedEvidence/Encoding``.
            .integer("encoding"), .bytes("bytes", maximum: Limits.evidence),
            .bytes("chain", maximum: 32).nullable, .integer("byte_count"),
            .boolean("is_verified"), .instant("received_at"),
        ],
        primaryKey: ["sha256"])

    /// How many bytes of refused evidence a day brought, for the app (empty address) and per address.
    static let refusedEvidenceUsage = Table(
        "refused_evidence_usage",
        columns: [
            .app, .integer("day"), .text("address", maximum: Limits.address),
            .integer("byte_count"),
        ],
        primaryKey: ["app", "day", "address"], layout: .keyed)

    /// Every act of handing in evidence, with its outcome (promise P6).
    static let submissions = Table(
        "submissions",
        columns: [
            .uniqueID("submission_id"), .app, .environment.nullable, .customerKey.nullable,
            .word("origin"), .text("address", maximum: Limits.address), .instant("received_at"),
            .evidenceDigest, .transactionID("claimed_transaction_id").nullable,
            .text("claimed_product_id", maximum: ProductKind.maximumByteCount).nullable,
            .transactionID("transaction_id").nullable, .word("status"), .word("reason").nullable,
            .text("detail", maximum: Limits.message).nullable, .word("client"),
            .boolean("suspect_configuration"),
        ],
        primaryKey: ["submission_id"],
        indexes: [.init(["evidence"]), .init(["app", "customer_key"])])
}
