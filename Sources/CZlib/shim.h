/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COUNTERFOIL_CZLIB_SHIM_H
#define COUNTERFOIL_CZLIB_SHIM_H

#include <zlib.h>

#endif
