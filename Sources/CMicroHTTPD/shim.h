/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COUNTERFOIL_CMICROHTTPD_SHIM_H
#define COUNTERFOIL_CMICROHTTPD_SHIM_H

#include <microhttpd.h>

#endif
