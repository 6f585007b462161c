// SPDX-License-Identifier: MIT
// Secure file access for the daemon's persistent state: the server's key, the bans, the
// checkpoints. Another user who may write to the directory can neither redirect a write to another
// file, nor keep a descriptor of a new file, nor make this process block. Thread rule: any thread;
// no two for the same path at a time.
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

// The file in which `raimctl restore` writes when it restored a state directory, in seconds since
// 1970.
#define STATE_FILE_RESTORED "restored"

enum state_file_privacy {
    STATE_FILE_SHARED, // other users may read it
    STATE_FILE_SECRET, // only the owner may read it
};

// Opens a file with O_RDONLY or O_RDWR and never waits for it. On failure returns -1 with errno and
// a reason for people: it cannot be opened, is a symbolic link, is no regular file, belongs neither
// to this process's user nor to root, or is a secret that is open to others.
int state_file_open(const char *path, int mode, enum state_file_privacy privacy,
                    const char **problem);

// Begins a new empty file of mode 0600, which replaces `path` once it is renamed. Its name, in
// `temporary`, is that of the path with ".new" appended; whatever has that name is removed and
// never written to. Returns -1 with errno.
int state_file_begin(const char *path, char temporary[PATH_MAX]);

// Writes all bytes. False with errno: a part may be written.
bool state_file_write(int file, const void *bytes, size_t size);

// What a file that is written survives once the call returns.
enum state_file_durability {
    STATE_FILE_PROCESS, // the end of the process
    STATE_FILE_DISK,    // that of the machine: it is synced to the disk
    // The end of the process, also on a full disk: the file has room, and is overwritten where no
    // other one can be written. Who reads it must detect a part.
    STATE_FILE_FULL_DISK,
};

// Replaces the file's content as a whole, or leaves it as it was: false with errno.
bool state_file_replace(const char *path, const void *bytes, size_t size,
                        enum state_file_durability durability);

// Syncs the directory of a path: a rename is on the disk when the directory is. False with errno.
bool state_file_sync_directory(const char *path);
