/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COUNTERFOIL_CSQLITE_SHIM_H
#define COUNTERFOIL_CSQLITE_SHIM_H

#include <sqlite3.h>

#endif
