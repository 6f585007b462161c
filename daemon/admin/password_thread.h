// SPDX-License-Identifier: MIT
// The thread `raimd-password`: verifies passwords of admins and of RCON, each of which takes 64 MiB
// and some 100 ms. One at a time; a few may wait, the rest is rejected. It begins with the first
// password. Main thread only.
#pragma once

#include "password.h"

#include <stdbool.h>
#include <stdint.h>

#define PASSWORD_THREAD_WAITING 8 // passwords at most, with the one that is being verified

struct loop;
struct password_thread;

// Returns NULL when memory or descriptors run out.
struct password_thread *password_thread_create(struct loop *loop);

// Waits for the password that is being verified. Takes NULL.
void password_thread_destroy(struct password_thread *thread);

// Takes the outcome of a check.
typedef void password_thread_done(void *context, uint32_t number, bool is_right);

// Queues a password of at most PASSWORD_MAX_BYTES bytes to be verified, and returns the number of
// the check, with which the loop calls `done`; 0: too many wait, or no thread can be started.
// With `password` NULL, for a name without a password, the check takes as long and fails.
uint32_t password_thread_check(struct password_thread *thread, const struct password *password,
                               const char *plain, password_thread_done *done, void *context);
