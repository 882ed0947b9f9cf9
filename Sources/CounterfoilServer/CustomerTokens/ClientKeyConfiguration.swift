// SPDX-License-Identifier: Apache-2.0

package import CounterfoilCore
import CounterfoilCrypto

/// What an app allows its client keys: the member `client_keys` of an app.
package struct ClientKeyConfiguration: Hashable, Sendable {
    /// Files with secrets for customer tokens by HS256.
    package var secretPaths: [String] = []

    /// Files with public keys for customer tokens by ES256.
    package var publicKeyPaths: [String] = []

    /// Whether an app may make customers that the studio does not know.
    package var allowsAnonymousCustomers = false
}

extension ClientKeyConfiguration {
    init(_ value: JSONValue, path: String, findings: DocumentFindings) {
        var reader = ObjectReader(value, path: path, findings: findings)
        secretPaths = Self.paths("hs256_secret_files", &reader)
        publicKeyPaths = Self.paths("es256_public_key_files", &reader)
        allowsAnonymousCustomers =
            reader.bool("anonymous_customers", isRequired: false) ?? false
        reader.finish()
    }

    private static func paths(_ key: String, _ reader: inout ObjectReader) -> [String] {
        let elements = reader.elements(key, maximum: Limits.tokenKeyCount, isRequired: false)
        return elements.compactMap { element in
            guard let text = element.value.string, !text.isEmpty,
                text.utf8.count <= Limits.pathByteCount, !text.utf8.contains(0)
            else {
                reader.findings.report(element.path, "is no path of a file")
                return nil
            }
            return text
        }
    }

    /// The same with every path put behind a folder.
    func resolved(_ resolve: (String) -> String) -> ClientKeyConfiguration {
        var resolved = self
        resolved.secretPaths = secretPaths.map(resolve)
        resolved.publicKeyPaths = publicKeyPaths.map(resolve)
        return resolved
    }

    /// Reads the keys.
    ///
    /// - Parameters:
    ///   - read: Returns the bytes of a file that the configuration names.
    ///   - readSecret: The same for a file that nobody else may read.
    /// - Throws: ``ConfigurationError`` that names the file.
    package func verifier(
        of app: AppID, reading read: (String) throws -> [UInt8],
        readingSecret readSecret: (String) throws -> [UInt8]
    ) throws(ConfigurationError) -> CustomerTokenVerifier {
        var secrets: [[UInt8]] = []
        for path in secretPaths { secrets.append(try Self.secret(in: path, readSecret)) }
        var keys: [PublicKey] = []
        for path in publicKeyPaths { keys.append(try Self.publicKey(in: path, read)) }
        return CustomerTokenVerifier(app: app, secrets: secrets, publicKeys: keys)
    }

    private static func secret(
        in path: String, _ read: (String) throws -> [UInt8]
    ) throws(ConfigurationError) -> [UInt8] {
        var bytes = try bytes(of: path, read)[...]
        while bytes.last == UInt8(ascii: "\n") || bytes.last == UInt8(ascii: "\r") {
            bytes.removeLast()
        }
        guard Limits.tokenSecretByteCounts.contains(bytes.count) else {
            throw ConfigurationError(
                "\(path) holds a secret of \(bytes.count) bytes; expected "
                    + "\(Limits.tokenSecretByteCounts.lowerBound) to "
                    + "\(Limits.tokenSecretByteCounts.upperBound), such as from openssl rand -hex 32"
            )
        }
        return Array(bytes)
    }

    private static func publicKey(
        in path: String, _ read: (String) throws -> [UInt8]
    ) throws(ConfigurationError) -> PublicKey {
        let text = String(decoding: try bytes(of: path, read), as: UTF8.self)
        let lines = text.split(whereSeparator: \.isNewline).map { $0.filter { !$0.isWhitespace } }
        let body = lines.dropFirst().dropLast().joined()
        guard lines.first == "-----BEGINPUBLICKEY-----", lines.last == "-----ENDPUBLICKEY-----",
            let der = Base64.decode(Array(body.utf8), .standard),
            let key = try? PublicKey(subjectPublicKeyInfo: der), key.kind == .ec(curve: .p256)
        else {
            throw ConfigurationError(
                "\(path) is not one public key on P-256 as PEM, such as from openssl ec -pubout")
        }
        return key
    }

    private static func bytes(
        of path: String, _ read: (String) throws -> [UInt8]
    ) throws(ConfigurationError) -> [UInt8] {
        do {
            return try read(path)
        } catch {
            throw ConfigurationError("\(error)")
        }
    }
}

extension ServerConfiguration {
    /// What judges the customer tokens of each app.
    ///
    /// - Throws: ``ConfigurationError`` with the first fault of each app.
    package func customerTokenVerifiers(
        reading read: (String) throws -> [UInt8],
        readingSecret readSecret: (String) throws -> [UInt8]
    ) throws(ConfigurationError) -> [CustomerTokenVerifier] {
        var verifiers: [CustomerTokenVerifier] = []
        var faults: [String] = []
        for app in apps {
            do throws(ConfigurationError) {
                verifiers.append(
                    try app.clientKeys.verifier(
                        of: app.id, reading: read, readingSecret: readSecret))
            } catch {
                faults.append(error.description)
            }
        }
        guard faults.isEmpty else { throw ConfigurationError(faults.joined(separator: "\n")) }
        return verifiers
    }
}
