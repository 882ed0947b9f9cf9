// SPDX-License-Identifier: Apache-2.0

/// Which column of a row: its position from 0, or its name in the result.
package enum ColumnPlace: Sendable, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    case position(Int)
    case name(String)

    package init(integerLiteral value: Int) {
        self = .position(value)
    }

    package init(stringLiteral value: String) {
        self = .name(value)
    }
}
