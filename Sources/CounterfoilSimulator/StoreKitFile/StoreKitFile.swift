// SPDX-License-Identifier: Apache-2.0
public import CounterfoilCore

/// What Xcode's StoreKit configuration says: products, subscription groups, offers and settings.
///
/// Formats 1 to 5 are read, and a later one as if it were 5, with a note.
public struct StoreKitFile: Sendable {
    /// The version of the format.
    public struct Version: Hashable, Sendable, CustomStringConvertible {
        /// 1 (Xcode 12) to 5.
        public let major: Int64

        /// The smaller number.
        public let minor: Int64

        /// For example `4.0`.
        public var description: String { "\(major).\(minor)" }
    }

    /// The latest format that this reader knows.
    public static let newestMajorVersion: Int64 = 5

    /// The version that the file names.
    public let version: Version

    /// The file's own id; none before version 1.1.
    public let identifier: String?

    /// What is sold.
    public let catalog: StoreCatalog

    /// How Xcode's store was told to behave.
    public let settings: StoreKitFileSettings

    /// What was read and is worth knowing: keys that nobody here knows, values that were guessed.
    public let notes: [DocumentFinding]

    /// The whole file with every key of it, known or not. A private key for signing offers is left out
    /// unless it was asked for.
    public let document: JSONValue

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - bytes: JSON as Xcode writes it; nothing of JSON5.
    ///   - keepsOfferKey: Whether ``document`` keeps `subscriptionOffersKeyPair`, which holds a private
    ///     key.
    /// - Throws: ``StoreKitFileError`` with the path to the key of every fault.
    public init(
        parsing bytes: some Collection<UInt8>, keepsOfferKey: Bool = false
    ) throws(StoreKitFileError) {
        let document: JSONDocument
        do throws(JSONError) {
            let limits = JSONLimits(maximumByteCount: Limits.maximumStoreKitFileByteCount)
            document = try JSONDocument(parsing: bytes, dialect: .strict, limits: limits)
        } catch {
            let finding = DocumentFinding(path: "", problem: error.message)
            throw StoreKitFileError(faults: [.init(line: error.line, finding: finding)])
        }
        var reader = StoreKitFileReader()
        reader.read(document.value)
        let catalog = reader.catalog()
        guard let catalog, reader.faults.isEmpty else {
            throw StoreKitFileError(
                faults: reader.faults.all.map {
                    .init(line: document.line(at: $0.path), finding: $0)
                })
        }
        self.catalog = catalog
        version = reader.version
        identifier = reader.identifier
        settings = reader.settings
        notes = reader.notes.all
        self.document = keepsOfferKey ? document.value : Self.withoutOfferKey(document.value)
    }

    private static func withoutOfferKey(_ value: JSONValue) -> JSONValue {
        guard let object = value.object else { return value }
        return .object(
            JSONObject(object.members.filter { $0.key != StoreKitFileReader.offerKeyName }))
    }
}
