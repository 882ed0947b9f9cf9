// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The folder that the program was started in.
enum WorkingFolder {
    /// Its absolute path; a dot where the system does not tell it.
    static var path: String {
        guard let working = getcwd(nil, 0) else { return "." }
        defer { free(working) }
        return String(cString: working)
    }
}
