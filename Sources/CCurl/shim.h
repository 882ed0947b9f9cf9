/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COUNTERFOIL_CCURL_SHIM_H
#define COUNTERFOIL_CCURL_SHIM_H

#include <curl/curl.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

/* curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt are variadic: one function for each
   kind of argument. */
static inline CURLcode counterfoil_set_long(CURL *easy, CURLoption option, long value)
{
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode counterfoil_set_size(CURL *easy, CURLoption option, curl_off_t value)
{
    return curl_easy_setopt(easy, option, value);
}

/* The library copies texts, bodies and blobs, but not header lists. */
static inline CURLcode counterfoil_set_text(CURL *easy, CURLoption option, const char *value)
{
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode counterfoil_set_headers(CURL *easy, struct curl_slist *list)
{
    return curl_easy_setopt(easy, CURLOPT_HTTPHEADER, list);
}

static inline CURLcode counterfoil_set_known_hosts(CURL *easy, struct curl_slist *list)
{
    return curl_easy_setopt(easy, CURLOPT_RESOLVE, list);
}

static inline CURLcode counterfoil_set_body(CURL *easy, const void *bytes, curl_off_t count)
{
    CURLcode code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, count);
    return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, bytes);
}

static inline CURLcode counterfoil_set_authorities(CURL *easy, const void *pem, size_t count)
{
    struct curl_blob blob = {(void *) pem, count, CURL_BLOB_COPY};
    return curl_easy_setopt(easy, CURLOPT_CAINFO_BLOB, &blob);
}

static inline CURLcode counterfoil_set_error_buffer(CURL *easy, char *buffer)
{
    return curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, buffer);
}

/* A program that is started while a connection is open must not inherit it. */
static inline int counterfoil_close_on_exec(void *closure, curl_socket_t socket, curlsocktype use)
{
    (void) closure;
    (void) use;
    fcntl(socket, F_SETFD, FD_CLOEXEC);
    return CURL_SOCKOPT_OK;
}

/* Copies the bytes of an address that the library is about to connect to; the number of them, or 0
   where it is of another family. */
static inline size_t counterfoil_address_bytes(
    const struct curl_sockaddr *address, unsigned char bytes[16])
{
    if (address->family == AF_INET && address->addrlen >= sizeof(struct sockaddr_in)) {
        memcpy(bytes, (const char *) &address->addr + offsetof(struct sockaddr_in, sin_addr), 4);
        return 4;
    }
    if (address->family == AF_INET6 && address->addrlen >= sizeof(struct sockaddr_in6)) {
        memcpy(bytes, (const char *) &address->addr + offsetof(struct sockaddr_in6, sin6_addr), 16);
        return 16;
    }
    return 0;
}

static inline curl_socket_t counterfoil_open_socket(const struct curl_sockaddr *address)
{
    return socket(address->family, address->socktype, address->protocol);
}

/* The callbacks of a transfer; all of them get the same closure. */
struct counterfoil_transfer_callbacks {
    void *closure;
    curl_write_callback body;
    curl_write_callback header;
    curl_prereq_callback sending;
    curl_opensocket_callback connecting;
};

static inline CURLcode counterfoil_set_callbacks(
    CURL *easy, const struct counterfoil_transfer_callbacks *callbacks)
{
    CURLcode codes[] = {
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, callbacks->body),
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, callbacks->closure),
        curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, callbacks->header),
        curl_easy_setopt(easy, CURLOPT_HEADERDATA, callbacks->closure),
        curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callbacks->sending),
        curl_easy_setopt(easy, CURLOPT_PREREQDATA, callbacks->closure),
        curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callbacks->connecting),
        curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, callbacks->closure),
        curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, counterfoil_close_on_exec),
    };
    for (size_t index = 0; index < sizeof codes / sizeof codes[0]; index++)
        if (codes[index] != CURLE_OK)
            return codes[index];
    return CURLE_OK;
}

static inline long counterfoil_status(CURL *easy)
{
    long status = 0;
    return curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK ? status : 0;
}

static inline CURLMcode counterfoil_limit(CURLM *multi, CURLMoption option, long value)
{
    return curl_multi_setopt(multi, option, value);
}

/* The next transfer that is done, or NULL; the message is a union. */
static inline CURL *counterfoil_next_finished(CURLM *multi, CURLcode *result)
{
    const struct CURLMsg *message;
    int remaining;
    while ((message = curl_multi_info_read(multi, &remaining)) != NULL)
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return message->easy_handle;
        }
    return NULL;
}

#endif
