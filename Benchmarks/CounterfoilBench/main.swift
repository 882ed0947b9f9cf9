// SPDX-License-Identifier: Apache-2.0
import Glibc

// One call, since variables at the top level of this file would belong to the main actor.
exit(Program.run(Array(CommandLine.arguments.dropFirst())))
