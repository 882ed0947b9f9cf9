// SPDX-License-Identifier: Apache-2.0

import CounterfoilCrypto
import Synchronization

/// A chain that passed every check that does not depend on time, with the decoded key of its leaf.
final class VerifiedChain: Sendable {
    let path: CertificatePath
    let leafKey: PublicKey

    /// The header segment that the chain is remembered by, three quarters of a token, already hashed.
    let headerDigest: DigestPrefix?

    init(path: CertificatePath, leafKey: PublicKey, headerDigest: DigestPrefix? = nil) {
        self.path = path
        self.leafKey = leafKey
        self.headerDigest = headerDigest
    }
}

/// Remembers good chains by all the bytes that they were judged from.
///
/// Only good results are kept, so nobody can fill it with anything that Apple has not signed. Its
/// size is strict: the entry that was not used for longest goes. Being found here says nothing about
/// validity in time, which is checked at every use.
final class ChainCache: Sendable {
    private struct Entry {
        let key: ArraySlice<UInt8>
        let chain: VerifiedChain
    }

    /// What a chain was judged for.
    enum Purpose: UInt8 {
        case receipt, token
    }

    private let capacity: Int

    /// The entries, the one used last in front.
    ///
    /// There are few, and nearly always the first is it, so a list that is searched from the front
    /// beats anything with links. The certificates of two signers differ within the first bytes, so a
    /// comparison that fails costs next to nothing.
    private let entries = Mutex<[Entry]>([])

    init(capacity: Int) {
        precondition(capacity > 0, "a cache without room")
        self.capacity = capacity
    }

    /// Joins the parts that a chain is judged from so that other parts never give the same key.
    static func key(_ purpose: Purpose, _ parts: [ArraySlice<UInt8>]) -> ArraySlice<UInt8> {
        var key = [purpose.rawValue]
        key.reserveCapacity(parts.reduce(1) { $0 + $1.count + MemoryLayout<Int>.size })
        for part in parts {
            withUnsafeBytes(of: part.count) { key += $0 }
            key += part
        }
        return key[...]
    }

    /// The chain that was kept under exactly these bytes.
    func chain(for key: ArraySlice<UInt8>) -> VerifiedChain? {
        entries.withLock { entries in
            guard let position = entries.firstIndex(where: { $0.key.hasSameBytes(as: key) }) else {
                return nil
            }
            if position > 0 { entries.insert(entries.remove(at: position), at: 0) }
            return entries[0].chain
        }
    }

    /// Keeps a chain that was found good.
    func insert(_ chain: VerifiedChain, for key: ArraySlice<UInt8>) {
        // Copied, so that it does not keep the whole evidence in memory.
        let entry = Entry(key: Array(key)[...], chain: chain)
        entries.withLock { entries in
            entries.removeAll { $0.key.hasSameBytes(as: key) }
            entries.insert(entry, at: 0)
            if entries.count > capacity { entries.removeLast() }
        }
    }

    var count: Int { entries.withLock { $0.count } }
}
