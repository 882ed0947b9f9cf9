// SPDX-License-Identifier: Apache-2.0
import CounterfoilCore
import CounterfoilCrypto
import Testing

struct Digests {
    static let ofABC: [(DigestAlgorithm, String)] = [
        (.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            .sha384,
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
                + "8086072ba1e7cc2358baeca134c825a7"
        ),
        (
            .sha512,
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        ),
    ]

    @Test("The digests of FIPS 180's example are reproduced", arguments: ofABC)
    func example(algorithm: DigestAlgorithm, expected: String) {
        let digest = Digest.hash("abc".utf8, with: algorithm)
        #expect(Hexadecimal.text(of: digest) == expected)
        #expect(digest.count == algorithm.byteCount)
    }

    @Test("Nothing at all has a digest too")
    func empty() {
        #expect(
            Hexadecimal.text(of: Digest.sha256([]))
                == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    @Test("Slices and lazily made bytes hash like the array of them")
    func collections() {
        let bytes = [UInt8](0...255)
        let expected = Digest.sha256(Array(bytes[16..<200]))
        #expect(Digest.sha256(bytes[16..<200]) == expected)
        #expect(Digest.sha256((16..<200).lazy.map { UInt8($0) }) == expected)
    }

    @Test("Pieces give the digest of their concatenation", arguments: DigestAlgorithm.allCases)
    func pieces(algorithm: DigestAlgorithm) {
        var digest = RunningDigest(algorithm)
        digest.append("a".utf8)
        digest.append([])
        digest.append("bc".utf8)
        #expect(digest.finish() == Digest.hash("abc".utf8, with: algorithm))
    }

    @Test("Fields that are cut elsewhere give another digest")
    func fields() {
        func digest(_ fields: [String]) -> [UInt8] {
            var digest = RunningDigest()
            for field in fields { digest.appendField(field.utf8) }
            return digest.finish()
        }
        #expect(digest(["ab", "c"]) != digest(["a", "bc"]))
        #expect(digest(["ab", ""]) != digest(["ab"]))
        #expect(digest(["ab"]) == Digest.sha256([0, 0, 0, 0, 0, 0, 0, 2] + Array("ab".utf8)))
    }
}

struct MessageCodes {
    static let cases: [(key: [UInt8], message: String, code: String)] = [
        (
            [UInt8](repeating: 0x0B, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131),
            "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        ([], "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
    ]

    @Test("The codes of RFC 4231 are reproduced, and the one of nothing", arguments: cases)
    func examples(example: (key: [UInt8], message: String, code: String)) {
        let code = MessageAuthentication.hmacSHA256(key: example.key, message: example.message.utf8)
        #expect(Hexadecimal.text(of: code) == example.code)
    }
}

struct SecretComparison {
    @Test("Equal bytes are equal, whatever collection holds them")
    func equal() {
        #expect(constantTimeEqual([1, 2, 3], [0, 1, 2, 3][1...]))
        #expect(constantTimeEqual([UInt8](), [UInt8]()))
    }

    @Test("One different bit or another length is unequal")
    func unequal() {
        #expect(!constantTimeEqual([1, 2, 3], [1, 2, 2]))
        #expect(!constantTimeEqual([1, 2, 3], [1, 2]))
        #expect(!constantTimeEqual([UInt8](), [0]))
    }
}

struct SystemRandomness {
    @Test("The number of bytes is the one asked for, and two draws differ")
    func draws() {
        let random = SystemRandom()
        #expect(random.bytes(0).isEmpty)
        #expect(random.bytes(33).count == 33)
        #expect(random.bytes(32) != random.bytes(32))
    }
}
