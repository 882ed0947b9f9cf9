/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memmem */
#include "hello.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static enum MHD_Result answer(void *closure, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **context) {
    static int seen;
    static char text[] = "hello";
    struct MHD_Response *response;
    enum MHD_Result result;

    (void)closure, (void)url, (void)method, (void)version, (void)upload, (void)upload_size;
    if (*context != &seen) {
        *context = &seen;
        return MHD_YES;
    }
    *context = NULL;
    response = MHD_create_response_from_buffer(sizeof text - 1, text, MHD_RESPMEM_PERSISTENT);
    if (!response)
        return MHD_NO;
    MHD_add_response_header(response, "Content-Type", "text/plain");
    result = MHD_queue_response(connection, MHD_HTTP_OK, response);
    MHD_destroy_response(response);
    return result;
}

struct counterfoil_hello *counterfoil_hello_start(unsigned int threads) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    struct MHD_OptionItem pool[] = {
        {threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, (intptr_t)threads, NULL},
        {MHD_OPTION_END, 0, NULL},
    };

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return (struct counterfoil_hello *)MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, answer, NULL, MHD_OPTION_SOCK_ADDR,
        (struct sockaddr *)&address, MHD_OPTION_ARRAY, pool, MHD_OPTION_END);
}

uint16_t counterfoil_hello_port(struct counterfoil_hello *hello) {
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info((struct MHD_Daemon *)hello, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : 0;
}

void counterfoil_hello_stop(struct counterfoil_hello *hello) {
    MHD_stop_daemon((struct MHD_Daemon *)hello);
}

struct client {
    int descriptor;
    size_t received;
};

/* The length of one whole answer with Content-Length; 0 if it is not yet there. */
static size_t answer_length(const char *bytes, size_t count) {
    const char *end = memmem(bytes, count, "\r\n\r\n", 4);
    const char *field = end ? memmem(bytes, (size_t)(end - bytes), "ontent-", 7) : NULL;
    const char good[] = "HTTP/1.1 200 ";

    if (!end || memcmp(bytes, good, sizeof good - 1) != 0)
        return 0;
    for (; field; field = memmem(field + 1, (size_t)(end - field - 1), "ontent-", 7)) {
        if (strncmp(field + 7, "Length: ", 8) == 0) {
            size_t length = (size_t)(end - bytes) + 4 + (size_t)strtol(field + 15, NULL, 10);
            return length <= count ? length : 0;
        }
    }
    return 0;
}

static int connect_client(uint16_t port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    int on = 1, descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (descriptor < 0)
        return -1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

/* One request and its answer, to learn how long an answer is; 0 on failure. */
static size_t first_answer(int descriptor, const char *request, size_t request_length) {
    char bytes[4096];
    size_t count = 0, length = 0;

    if (send(descriptor, request, request_length, MSG_NOSIGNAL) != (ssize_t)request_length)
        return 0;
    while (length == 0 && count < sizeof bytes) {
        ssize_t more = recv(descriptor, bytes + count, sizeof bytes - count, 0);
        if (more <= 0)
            return 0;
        count += (size_t)more;
        length = answer_length(bytes, count);
    }
    return length == count ? length : 0;
}

static int exchange(struct client *clients, int poller, int count, size_t length,
                    const char *request, size_t request_length) {
    struct epoll_event events[64];
    char bytes[4096];
    int answered = 0, sent = 0;

    while (answered < count) {
        int ready = epoll_wait(poller, events, 64, 60000);
        if (ready <= 0)
            return 0;
        for (int i = 0; i < ready; i++) {
            struct client *client = &clients[events[i].data.u32];
            if (events[i].events & EPOLLIN) {
                ssize_t more = recv(client->descriptor, bytes, sizeof bytes, 0);
                if (more <= 0 || (client->received == 0 && more >= 13 &&
                                  memcmp(bytes, "HTTP/1.1 200 ", 13) != 0))
                    return 0;
                client->received += (size_t)more;
                if (client->received > length)
                    return 0;
                if (client->received < length)
                    continue;
                answered++;
            }
            client->received = 0;
            if (events[i].events & EPOLLOUT) {
                struct epoll_event reading = {.events = EPOLLIN, .data = events[i].data};
                epoll_ctl(poller, EPOLL_CTL_MOD, client->descriptor, &reading);
            }
            if (sent < count) {
                if (send(client->descriptor, request, request_length, MSG_NOSIGNAL) !=
                    (ssize_t)request_length)
                    return 0;
                sent++;
            }
        }
    }
    return 1;
}

int counterfoil_hello_load(uint16_t port, int connections, int count, const char *request) {
    struct client *clients = calloc((size_t)connections, sizeof *clients);
    size_t request_length = strlen(request), length = 0;
    int good = clients != NULL, poller = epoll_create1(EPOLL_CLOEXEC), made = 0;

    for (; good && made < connections; made++) {
        struct epoll_event event = {.events = EPOLLOUT, .data.u32 = (uint32_t)made};
        clients[made].descriptor = connect_client(port);
        if (clients[made].descriptor < 0)
            break;
        if (made == 0)
            length = first_answer(clients[0].descriptor, request, request_length);
        epoll_ctl(poller, EPOLL_CTL_ADD, clients[made].descriptor, &event);
    }
    good = good && made == connections && length > 0 &&
           exchange(clients, poller, count, length, request, request_length);
    for (int i = 0; i < made; i++)
        close(clients[i].descriptor);
    close(poller);
    free(clients);
    return good;
}
