// SPDX-License-Identifier: Apache-2.0

/// A hash function of the SHA family.
public enum DigestAlgorithm: Hashable, Sendable, CaseIterable {
    /// Only for material that Apple signed with it until 2025, and for receipt attribute 5.
    case sha1
    case sha256
    case sha384
    case sha512

    /// The length of a digest in bytes.
    public var byteCount: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }
}

/// One-shot hashing.
public enum Digest {
    /// The 32 bytes of the SHA-256 digest.
    @inlinable
    public static func sha256(_ bytes: some Collection<UInt8>) -> [UInt8] {
        hash(bytes, with: .sha256)
    }

    /// The digest of the bytes; contiguous collections are read in place.
    @inlinable
    public static func hash(
        _ bytes: some Collection<UInt8>, with algorithm: DigestAlgorithm
    ) -> [UInt8] {
        bytes.withBytes { digest(of: $0, algorithm) }
    }

    @usableFromInline
    static func digest(
        of bytes: UnsafeBufferPointer<UInt8>, _ algorithm: DigestAlgorithm
    ) -> [UInt8] {
        DigestCalls.digest(bytes, algorithm)
    }
}

/// The beginning of many texts, hashed once for all of them.
///
/// Safe to share: what it holds is never appended to, only copied.
public final class DigestPrefix: @unchecked Sendable {
    /// How many bytes are hashed already.
    public let byteCount: Int

    private let state: DigestState

    /// Hashes the bytes with SHA-256.
    public init(_ bytes: ArraySlice<UInt8>) {
        byteCount = bytes.count
        state = DigestState(.sha256)
        bytes.withUnsafeBufferPointer(state.append)
    }

    func continued() -> DigestState { state.copy() }
}

/// A digest over bytes that come in pieces.
///
/// ```swift
/// var digest = RunningDigest(.sha256)
/// digest.appendField("sale".utf8)
/// digest.appendField(transactionID.rawValue.utf8)
/// let id = UniqueID.derived(fromDigest: digest.finish())
/// ```
public struct RunningDigest: ~Copyable {
    private let state: DigestState

    /// Starts with nothing appended.
    public init(_ algorithm: DigestAlgorithm = .sha256) {
        state = DigestState(algorithm)
    }

    /// Appends the bytes alone: where one piece ends and the next begins is not part of the digest.
    @inlinable
    public mutating func append(_ bytes: some Collection<UInt8>) {
        bytes.withBytes { append(buffer: $0) }
    }

    @usableFromInline
    func append(buffer: UnsafeBufferPointer<UInt8>) {
        state.append(buffer)
    }

    /// Appends the length as eight bytes, most significant first, and then the bytes, so that
    /// different lists of fields never give the same digest.
    @inlinable
    public mutating func appendField(_ bytes: some Collection<UInt8>) {
        withUnsafeBytes(of: UInt64(bytes.count).bigEndian) { count in
            count.withMemoryRebound(to: UInt8.self) { append(buffer: $0) }
        }
        append(bytes)
    }

    /// The digest of everything appended.
    public consuming func finish() -> [UInt8] {
        state.finish()
    }
}
