/* SPDX-License-Identifier: Apache-2.0 */
#include "yardsticks.h"

#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

int counterfoil_yardstick_ecdsa(const uint8_t *key, size_t key_length, const uint8_t *signature,
                                size_t signature_length, const uint8_t *digest,
                                size_t digest_length, int count) {
    EVP_PKEY *pkey = d2i_PUBKEY(NULL, &key, (long)key_length);
    EVP_PKEY_CTX *context = pkey ? EVP_PKEY_CTX_new_from_pkey(NULL, pkey, NULL) : NULL;
    int good = context && EVP_PKEY_verify_init(context) == 1;
    for (int i = 0; good && i < count; i++) {
        good = EVP_PKEY_verify(context, signature, signature_length, digest, digest_length) == 1;
    }
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(pkey);
    return good;
}

int counterfoil_yardstick_rsa(const uint8_t *key, size_t key_length, const uint8_t *signature,
                              size_t signature_length, const uint8_t *message,
                              size_t message_length, int count) {
    EVP_MD *sha256 = EVP_MD_fetch(NULL, "SHA2-256", NULL);
    EVP_PKEY *pkey = d2i_PUBKEY(NULL, &key, (long)key_length);
    EVP_PKEY_CTX *context = pkey ? EVP_PKEY_CTX_new_from_pkey(NULL, pkey, NULL) : NULL;
    int good = sha256 && context && EVP_PKEY_verify_init(context) == 1 &&
               EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1 &&
               EVP_PKEY_CTX_set_signature_md(context, sha256) == 1;
    uint8_t digest[32];
    for (int i = 0; good && i < count; i++) {
        good = EVP_Digest(message, message_length, digest, NULL, sha256, NULL) == 1 &&
               EVP_PKEY_verify(context, signature, signature_length, digest, sizeof digest) == 1;
    }
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(pkey);
    EVP_MD_free(sha256);
    return good;
}
