/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COUNTERFOIL_COPENSSL_SHIM_H
#define COUNTERFOIL_COPENSSL_SHIM_H

#include <openssl/evp.h>
#include <openssl/x509.h>

#endif
