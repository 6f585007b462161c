// SPDX-License-Identifier: MIT
// A seccomp filter: a process gives up the system calls that a running raimd has no use for, for
// all of its threads, irrevocably.
#pragma once

// Enters the filter. From then on the kernel ends the process by SIGSYS at a call that only an
// intruder makes (another program, another process, a socket that is neither UDP nor Unix, ...);
// any other call that is not listed fails with ENOSYS, as on a kernel without it. Returns NULL, or
// in a few words why there is none.
const char *syscall_filter_enter(void);
