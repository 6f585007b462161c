// SPDX-License-Identifier: MIT
// Seccomp filter: irrevocably denies all threads of the process the system calls that a running
// raimd does not need.
#pragma once

#include <stdbool.h>

// Enters the filter. From then on the kernel ends the process by SIGSYS at a call that only
// injected code makes (execve, fork, a socket that is neither UDP nor Unix, ...). Any other call
// that is not listed fails with ENOSYS, as on a kernel that lacks it. With `resolves_names`,
// getaddrinfo works over UDP. Returns NULL, or a short reason why the filter is not in force.
const char *syscall_filter_enter(bool resolves_names);
