import Testing

// SPDX-License-Identifier: Apache-2.0
@testable import CounterfoilCore

struct UniqueIDsAreReadAndWritten {
    private static let text = "7e3fb204-2ab8-4f4a-9d5c-ffeeddccbbaa"

    @Test("Both cases are read, lower case is written")
    func cases() throws {
        let id = try #require(UniqueID(Self.text))
        #expect(UniqueID(Self.text.uppercased()) == id)
        #expect("\(id)" == Self.text)
        #expect(id.bytes == Hexadecimal.bytes(of: Self.text.replacing("-", with: "")))
        #expect(UniqueID(bytes: id.bytes) == id)
    }

    @Test(
        "Anything but the 36-character form is refused",
        arguments: [
            "", "-", text + "0", String(text.dropLast()), text.replacing("-", with: ""),
            "{\(text)}",
            text.replacing("-", with: "_"), text.replacing("f", with: "g"), " " + text, text + "\0",
            "7e3fb2042-ab8-4f4a-9d5c-ffeeddccbbaa", text + text, "urn:uuid:\(text)",
            String(repeating: "-", count: 36), String(repeating: "0", count: 36),
        ])
    func refused(_ text: String) {
        #expect(UniqueID(text) == nil)
    }

    @Test("Sixteen bytes make an id; fewer do not, of more the first count")
    func bytes() {
        let bytes = [UInt8](0..<20)
        #expect(UniqueID(bytes: bytes.prefix(15)) == nil)
        #expect(UniqueID(bytes: bytes)?.bytes == Array(bytes.prefix(16)))
        #expect(UniqueID(bytes: []) == nil)
    }

    @Test("Order is the order of bytes and of text")
    func order() throws {
        let ids = NumberSequence(seed: 2).prefix(200).compactMap { number in
            UniqueID(
                bytes: (0..<16).map { UInt8(truncatingIfNeeded: number >> (UInt64($0 % 8) * 8)) })
        }
        try #require(ids.count == 200)
        #expect(ids.sorted().map(\.description) == ids.map(\.description).sorted())
    }
}

struct UniqueIDsAreMade {
    @Test("A version 7 id begins with the millisecond, then version, variant and randomness")
    func timeOrdered() {
        let now = Instant(millisecondsSinceEpoch: 0x0123_4567_89AB)
        let id = UniqueID.timeOrdered(at: now, random: CountingBytes(first: 0xF0))
        #expect("\(id)" == "01234567-89ab-70f1-b2f3-f4f5f6f7f8f9")
    }

    @Test(
        "Version and variant overrule whatever the randomness is",
        arguments: [0x00, 0x55, 0xFF] as [UInt8])
    func versionBits(_ first: UInt8) {
        struct Constant: RandomSource {
            let byte: UInt8
            func bytes(_ count: Int) -> [UInt8] { Array(repeating: byte, count: count) }
        }
        let id = UniqueID.timeOrdered(
            at: Instant(millisecondsSinceEpoch: 1), random: Constant(byte: first))
        #expect(id.bytes[6] >> 4 == 7)
        #expect(id.bytes[8] >> 6 == 0b10)
        let derived = UniqueID.derived(fromDigest: Array(repeating: first, count: 16))
        #expect(derived.bytes[6] >> 4 == 8)
        #expect(derived.bytes[8] >> 6 == 0b10)
    }

    @Test("A later millisecond sorts behind, whatever the randomness is")
    func sortsByTime() {
        let early = UniqueID.timeOrdered(
            at: Instant(millisecondsSinceEpoch: 1_000), random: CountingBytes(first: 0xF0))
        let late = UniqueID.timeOrdered(
            at: Instant(millisecondsSinceEpoch: 1_001), random: CountingBytes(first: 0))
        #expect(early < late)
    }

    @Test(
        "Moments outside the 48 bits do not trap", arguments: [.min, -1, 1 << 48, .max] as [Int64])
    func strangeMoments(_ milliseconds: Int64) {
        let now = Instant(millisecondsSinceEpoch: milliseconds)
        #expect(UniqueID.timeOrdered(at: now, random: CountingBytes(first: 0)).bytes[6] >> 4 == 7)
    }

    @Test("A derived id keeps 122 bits of the digest and is the same each time")
    func derived() {
        let digest = [UInt8](0x10..<0x30)
        let id = UniqueID.derived(fromDigest: digest)
        #expect("\(id)" == "10111213-1415-8617-9819-1a1b1c1d1e1f")
        #expect(UniqueID.derived(fromDigest: Array(digest.prefix(16))) == id)
    }
}
