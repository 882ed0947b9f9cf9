/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COUNTERFOIL_CMICROHTTPD_SHIM_H
#define COUNTERFOIL_CMICROHTTPD_SHIM_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

/* The callbacks of a daemon; all of them get the same closure. */
struct counterfoil_callbacks {
    void *closure;
    MHD_AccessHandlerCallback handle;
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connection;
    MHD_LogCallback log;
    void *(*target)(void *closure, const char *target, struct MHD_Connection *connection);
};

/* An event to wake daemons with. */
static inline int counterfoil_make_waker(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

/* Wakes all daemons that wait for it, each once; nobody reads what is counted. */
static inline void counterfoil_wake(int waker)
{
    uint64_t one = 1;
    ssize_t count = write(waker, &one, sizeof one);
    (void) count;
}

/* Puts the waker among what a daemon waits for; it passes over events without a pointer. */
static inline int counterfoil_watch(struct MHD_Daemon *daemon, int waker)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = NULL};
    return info && epoll_ctl(info->epoll_fd, EPOLL_CTL_ADD, waker, &event) == 0;
}

/* MHD_start_daemon is variadic. The daemon has one thread with epoll and listens nowhere; sockets
   are handed to it. The waker stays the caller's. */
static inline struct MHD_Daemon *counterfoil_start(
    const struct counterfoil_callbacks *callbacks, unsigned int connections,
    size_t connection_memory, int waker)
{
    struct MHD_Daemon *daemon;
    struct MHD_OptionItem items[] = {
        {MHD_OPTION_CONNECTION_LIMIT, (intptr_t) connections, NULL},
        {MHD_OPTION_CONNECTION_MEMORY_LIMIT, (intptr_t) connection_memory, NULL},
        {MHD_OPTION_END, 0, NULL},
    };
    daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME
            | MHD_USE_ERROR_LOG,
        0, NULL, NULL, callbacks->handle, callbacks->closure,
        MHD_OPTION_EXTERNAL_LOGGER, callbacks->log, callbacks->closure,
        MHD_OPTION_NOTIFY_COMPLETED, callbacks->completed, callbacks->closure,
        MHD_OPTION_NOTIFY_CONNECTION, callbacks->connection, callbacks->closure,
        MHD_OPTION_URI_LOG_CALLBACK, callbacks->target, callbacks->closure,
        MHD_OPTION_ARRAY, items,
        MHD_OPTION_END);
    if (daemon && !counterfoil_watch(daemon, waker)) {
        MHD_stop_daemon(daemon);
        return NULL;
    }
    return daemon;
}

/* 1 if the text is an IPv4 or IPv6 address in numbers. */
static inline int counterfoil_is_address(const char *text) {
    struct in6_addr bytes;
    return inet_pton(AF_INET, text, &bytes) == 1 || inet_pton(AF_INET6, text, &bytes) == 1;
}

/* Listens on an address in numbers; `is_dual` lets an IPv6 socket take IPv4 too. Returns the socket,
   -1 with the reason in errno, or -2 if the text is no address. */
static inline int counterfoil_listen(const char *text, uint16_t port, int is_dual, int backlog)
{
    struct sockaddr_storage storage;
    struct sockaddr_in *v4 = (struct sockaddr_in *) &storage;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *) &storage;
    socklen_t size;
    int on = 1, v6only = !is_dual, error, listener;

    memset(&storage, 0, sizeof storage);
    if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons(port);
        size = sizeof *v4;
    } else if (inet_pton(AF_INET6, text, &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(port);
        size = sizeof *v6;
    } else {
        return -2;
    }
    listener = socket(storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener < 0)
        return -1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (storage.ss_family == AF_INET6)
        setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &v6only, sizeof v6only);
    if (bind(listener, (struct sockaddr *) &storage, size) != 0 || listen(listener, backlog) != 0) {
        error = errno;
        close(listener);
        errno = error;
        return -1;
    }
    return listener;
}

static inline uint16_t counterfoil_port(int listener)
{
    struct sockaddr_storage storage;
    socklen_t size = sizeof storage;
    if (getsockname(listener, (struct sockaddr *) &storage, &size) != 0)
        return 0;
    return storage.ss_family == AF_INET6 ? ntohs(((struct sockaddr_in6 *) &storage)->sin6_port)
                                         : ntohs(((struct sockaddr_in *) &storage)->sin_port);
}

/* Takes a waiting connection and writes the other end's address in numbers; an IPv4 address that
   came through an IPv6 socket is written as IPv4. `network` gets the same, but of an IPv6 address
   only the first 64 bits. Returns -1 with the reason in errno. */
static inline int counterfoil_accept(
    int listener, struct sockaddr_storage *address, socklen_t *size, char *text, char *network,
    socklen_t room)
{
    int client;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *) address;
    struct in6_addr prefix;
    *size = sizeof *address;
    client = accept(listener, (struct sockaddr *) address, size);
    if (client < 0)
        return -1;
    fcntl(client, F_SETFD, FD_CLOEXEC);
    text[0] = 0;
    if (address->ss_family == AF_INET)
        inet_ntop(AF_INET, &((const struct sockaddr_in *) address)->sin_addr, text, room);
    else if (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr))
        inet_ntop(AF_INET, &v6->sin6_addr.s6_addr[12], text, room);
    else
        inet_ntop(AF_INET6, &v6->sin6_addr, text, room);
    if (address->ss_family == AF_INET || IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr)) {
        strcpy(network, text);
    } else {
        prefix = v6->sin6_addr;
        memset(&prefix.s6_addr[8], 0, 8);
        inet_ntop(AF_INET6, &prefix, network, room);
    }
    return client;
}

/* The getters are variadic. */
static inline int counterfoil_connection_socket(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

static inline void *counterfoil_connection_context(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

static inline size_t counterfoil_head_size(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}

/* The status and the text of an answer that the library is about to give by itself, if that is what
   it writes into its log; else 0. */
static inline unsigned int counterfoil_refused_status(
    const char *format, va_list arguments, const char **message)
{
    static const char known[] = "Error processing request (HTTP response code is %u ('%s')";
    va_list copy;
    unsigned int status;
    if (strncmp(format, known, sizeof known - 1) != 0)
        return 0;
    va_copy(copy, arguments);
    status = va_arg(copy, unsigned int);
    *message = va_arg(copy, const char *);
    va_end(copy);
    return status;
}

/* The C library's headers for Swift lack malloc.h. */
static inline void counterfoil_release_free_memory(void) { malloc_trim(0); }

/* POLLRDHUP is an extension of Linux. */
enum { counterfoil_poll_ended = 0x2000 };

/* Whether the next read would find the end, or an error. */
static inline int counterfoil_is_at_end(int socket)
{
    char byte;
    ssize_t count = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR);
}

/* One attempt to send, without waiting and without a signal. */
static inline int counterfoil_send_all(int socket, const void *bytes, size_t count)
{
    return send(socket, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t) count;
}

static inline void counterfoil_stop_sending(int socket) { shutdown(socket, SHUT_WR); }

static inline void counterfoil_shut_down(int socket) { shutdown(socket, SHUT_RDWR); }

#endif
