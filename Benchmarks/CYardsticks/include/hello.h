/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COUNTERFOIL_HELLO_H
#define COUNTERFOIL_HELLO_H

#include <stddef.h>
#include <stdint.h>

/*
 * What libmicrohttpd can do by itself: the library's own example, which makes one small answer for
 * each request. And a client fast enough to keep any server here busy.
 */

struct counterfoil_hello;

/* Serves on a free port of 127.0.0.1 with one epoll thread, or a pool of several. NULL on failure. */
struct counterfoil_hello *counterfoil_hello_start(unsigned int threads);

uint16_t counterfoil_hello_port(struct counterfoil_hello *hello);

void counterfoil_hello_stop(struct counterfoil_hello *hello);

/*
 * Sends so many equal requests over kept connections, one outstanding on each, all in the calling
 * thread. Every answer must begin with "HTTP/1.1 200 " and be as long as the first one. 1 on success.
 */
int counterfoil_hello_load(uint16_t port, int connections, int count, const char *request);

#endif
