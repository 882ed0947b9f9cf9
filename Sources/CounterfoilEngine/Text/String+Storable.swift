// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The text as a column takes it: its beginning up to a whole character of Unicode, in at most so
    /// many bytes of UTF-8, and without NUL, which PostgreSQL refuses.
    ///
    /// For texts that only people read; a job or a submission must not fail over the words about it.
    func storable(byteCount limit: Int) -> String {
        var cut = String.UnicodeScalarView()
        var count = 0
        for scalar in unicodeScalars where scalar != "\0" {
            count += UTF8.width(scalar)
            guard count <= limit else { break }
            cut.append(scalar)
        }
        return String(cut)
    }
}
