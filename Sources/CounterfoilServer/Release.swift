// SPDX-License-Identifier: Apache-2.0

/// Which release of Counterfoil this is; the only place that says so.
package enum Release {
    package static let version = "0.1.0"
}
