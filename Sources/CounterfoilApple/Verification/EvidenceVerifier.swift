// SPDX-License-Identifier: Apache-2.0

/// Judges evidence: bytes, trust and the present moment in, verified evidence or a named reason out.
public struct EvidenceVerifier: Sendable {
}
