/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COUNTERFOIL_COPENSSL_SHIM_H
#define COUNTERFOIL_COPENSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

/* The two generators are variadic macros, which Swift does not import. */

static inline EVP_PKEY *counterfoil_generate_rsa(unsigned int bits) {
    return EVP_RSA_gen(bits);
}

static inline EVP_PKEY *counterfoil_generate_ec(const char *curve) {
    return EVP_EC_gen(curve);
}

/* BIO_get_mem_data is a macro with a cast. */
static inline long counterfoil_bio_memory(BIO *bio, char **start) {
    return BIO_get_mem_data(bio, start);
}

#endif
