/* Qthreads on Weft: calls of the system that may block, made without keeping a worker. In Qthreads
 * 1.23 these functions are declared, and not in the library. */
#ifndef WEFT_QTHREADS_QT_SYSCALLS_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_QTHREADS_QT_SYSCALLS_H

#include <poll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "common.h"
#include "macros.h"

Q_STARTCXX

/* Each is the function of its name without qt_, between qt_begin_blocking_action and
 * qt_end_blocking_action: other tasks go on meanwhile. It takes, returns and sets errno as that
 * one does. It may switch, and any caller may make it, also before qthread_initialize. */

int qt_accept(int socket, struct sockaddr *restrict address, socklen_t *restrict address_len);
int qt_connect(int socket, const struct sockaddr *address, socklen_t address_len);
int qt_poll(struct pollfd fds[], nfds_t nfds, int timeout);
ssize_t qt_pread(int filedes, void *buf, size_t nbyte, off_t offset);
ssize_t qt_pwrite(int filedes, void const *buf, size_t nbyte, off_t offset);
ssize_t qt_read(int filedes, void *buf, size_t nbyte);
int qt_select(int nfds, fd_set *restrict readfds, fd_set *restrict writefds, fd_set *restrict errorfds,
              struct timeval *restrict timeout);
int qt_system(char const *command);
pid_t qt_wait4(pid_t pid, int *stat_loc, int options, struct rusage *rusage);
ssize_t qt_write(int filedes, void const *buf, size_t nbyte);

Q_ENDCXX

#endif
