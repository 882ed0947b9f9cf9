// SPDX-License-Identifier: Apache-2.0

/// Compares secrets in a time that depends on their lengths alone.
///
/// - Returns: `false` at once when the lengths differ: a length is not a secret here.
public func constantTimeEqual(
    _ lhs: some Collection<UInt8>, _ rhs: some Collection<UInt8>
) -> Bool {
    guard lhs.count == rhs.count else { return false }
    return lhs.withBytes { lhs in
        rhs.withBytes { rhs in DigestCalls.areEqual(lhs, rhs) }
    }
}
