// SPDX-License-Identifier: Apache-2.0

/// Carries messages late, twice, out of order or not at all.
struct Network {
    let scheduler: Scheduler
    let faults: Faults

    func carry(_ arrive: @escaping () -> Void) {
        guard faults.areOn else { return scheduler.after(1, arrive) }
        switch scheduler.number(below: 10) {
        case 0: break
        case 1:
            scheduler.after(delay, arrive)
            scheduler.after(delay, arrive)
        default: scheduler.after(delay, arrive)
        }
    }

    private var delay: Int64 {
        Int64(scheduler.isOne(in: 20) ? 60_000 : scheduler.number(below: 300))
    }
}
