/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COUNTERFOIL_YARDSTICKS_H
#define COUNTERFOIL_YARDSTICKS_H

#include <stddef.h>
#include <stdint.h>

/*
 * What libcrypto can do by itself, without any of our code around it. Each function makes its
 * context once and then verifies `count` times, as `openssl speed` does. They return 1 if every
 * verification succeeded.
 */

/* Verifies one signature over one digest: ECDSA in DER. */
int counterfoil_yardstick_ecdsa(const uint8_t *key, size_t key_length, const uint8_t *signature,
                                size_t signature_length, const uint8_t *digest,
                                size_t digest_length, int count);

/* Hashes the message with SHA-256 and verifies an RSA signature (PKCS #1 v1.5) over the digest. */
int counterfoil_yardstick_rsa(const uint8_t *key, size_t key_length, const uint8_t *signature,
                              size_t signature_length, const uint8_t *message,
                              size_t message_length, int count);

#endif
