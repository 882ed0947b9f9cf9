// SPDX-License-Identifier: Apache-2.0

/// The row whose lock a transaction takes before it decides about it, named by its primary key.
package struct LockKey: Sendable {
    package let table: Table

    /// One value for each column of the primary key, in its order.
    package let values: [DatabaseValue]

    package init(_ table: Table, _ values: [DatabaseValue]) {
        precondition(values.count == table.primaryKey.count, "a lock names the whole primary key")
        self.table = table
        self.values = values
    }
}
