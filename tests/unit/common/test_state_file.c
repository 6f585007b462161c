// SPDX-License-Identifier: MIT
// State files in a directory where another user has planted files.
#define _GNU_SOURCE
#include "state_file.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static char directory[] = "/tmp/raim-state-XXXXXX";
static char path[64], temporary[80], other[64];

static void write_text(const char *name, const char *text, mode_t mode)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fchmod(fileno(file), mode), 0);
    assert_int_equal(fclose(file), 0);
}

static void assert_text(const char *name, const char *wanted)
{
    char text[64] = "";
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    assert_int_equal(fread(text, 1, sizeof text - 1, file), strlen(wanted));
    assert_string_equal(text, wanted);
    fclose(file);
}

static int clear(void **state)
{
    (void)state;
    unlink(path);
    unlink(temporary);
    unlink(other);
    return 0;
}

static void assert_rejected(enum state_file_privacy privacy, const char *wanted)
{
    const char *problem;
    assert_int_equal(state_file_open(path, O_RDONLY, privacy, &problem), -1);
    assert_string_equal(problem, wanted);
}

TEST(a_replaced_file_is_private_and_reads_back, NULL, clear)
{
    const char *problem;
    struct stat status;
    assert_true(state_file_replace(path, "one", 3, STATE_FILE_DISK));
    assert_text(path, "one");
    assert_true(state_file_replace(path, "two!", 4, STATE_FILE_DISK));
    assert_text(path, "two!");
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(access(temporary, F_OK), -1);
    const int file = state_file_open(path, O_RDONLY, STATE_FILE_SECRET, &problem);
    assert_true(file >= 0);
    close(file);
}

TEST(a_link_is_neither_read_nor_written_through, NULL, clear)
{
    write_text(other, "another's", 0600);
    assert_int_equal(symlink(other, path), 0);
    assert_rejected(STATE_FILE_SHARED, "it is a symbolic link");
    assert_int_equal(symlink(other, temporary), 0);
    assert_true(state_file_replace(path, "mine", 4, STATE_FILE_DISK));
    assert_text(other, "another's");
    assert_text(path, "mine");
}

// A test that hangs here fails by its timeout.
TEST(nothing_waits_for_the_other_end, NULL, clear)
{
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_rejected(STATE_FILE_SHARED, "it is not a regular file");
    assert_int_equal(mkfifo(temporary, 0600), 0);
    assert_true(state_file_replace(path, "mine", 4, STATE_FILE_DISK));
    assert_text(path, "mine");
    unlink(path);
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    strcpy(name.sun_path, path);
    const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listener, (const struct sockaddr *)&name, sizeof name), 0);
    assert_rejected(STATE_FILE_SHARED, strerror(ENXIO));
    close(listener);
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_rejected(STATE_FILE_SHARED, "it is not a regular file");
    rmdir(path);
}

TEST(a_secret_that_others_may_read_is_none, NULL, clear)
{
    const char *problem;
    static const mode_t modes[] = {0640, 0604, 0620, 0601};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        write_text(path, "secret", modes[i]);
        assert_rejected(STATE_FILE_SECRET, "it is open to others than its owner, want mode 0600");
        const int file = state_file_open(path, O_RDONLY, STATE_FILE_SHARED, &problem);
        assert_true(file >= 0);
        close(file);
    }
}

TEST(somebody_elses_file_is_not_trusted_nor_used, NULL, clear)
{
    char begun[PATH_MAX];
    struct stat status;
    if (geteuid() != 0)
        skip();
    write_text(path, "theirs", 0600);
    assert_int_equal(chown(path, 65534, 65534), 0);
    assert_rejected(STATE_FILE_SHARED, "it belongs to another user");
    write_text(temporary, "theirs", 0600);
    assert_int_equal(chown(temporary, 65534, 65534), 0);
    const int theirs = open(temporary, O_RDONLY | O_CLOEXEC);
    const int file = state_file_begin(path, begun);
    assert_true(file >= 0);
    assert_string_equal(begun, temporary);
    assert_int_equal(fstat(file, &status), 0);
    assert_int_equal(status.st_uid, 0);
    assert_int_equal(write(file, "mine", 4), 4);
    char text[16] = "";
    assert_int_equal(pread(theirs, text, sizeof text - 1, 0), 6);
    assert_string_equal(text, "theirs");
    close(theirs);
    close(file);
}

TEST(a_failed_replacement_keeps_the_old_file, NULL, clear)
{
    char longest[PATH_MAX];
    assert_true(state_file_replace(path, "kept", 4, STATE_FILE_DISK));
    assert_int_equal(mkdir(temporary, 0700), 0);
    assert_false(state_file_replace(path, "lost", 4, STATE_FILE_DISK));
    assert_int_equal(errno, EEXIST);
    rmdir(temporary);
    assert_text(path, "kept");
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_false(state_file_replace(longest, "lost", 4, STATE_FILE_DISK));
    assert_int_equal(errno, ENAMETOOLONG);
}

static int set_up_group(void **state)
{
    (void)state;
    if (mkdtemp(directory) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/file", directory);
    snprintf(temporary, sizeof temporary, "%s.new", path);
    snprintf(other, sizeof other, "%s/other", directory);
    return 0;
}

static int tear_down_group(void **state)
{
    (void)state;
    return rmdir(directory);
}

// On a disk of 64 kB, in a mount namespace of its own, which takes root.
TEST(a_file_with_room_is_overwritten_on_a_full_disk_or_left_as_it_was, NULL, clear)
{
    static char text[16384], seen[sizeof text];
    if (unshare(CLONE_NEWNS) != 0 || mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", directory, "tmpfs", 0, "size=64k") != 0)
        skip();
    memset(text, 'a', sizeof text);
    assert_true(state_file_replace(path, text, 5000, STATE_FILE_FULL_DISK));
    const int filler = open(other, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_false(state_file_write(filler, (char[1 << 17]){0}, 1 << 17));
    assert_int_equal(errno, ENOSPC);
    static const size_t sizes[] = {5100, 9000, 4000, 8100, 16384, 7000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct stat status;
        const bool fits = sizes[i] < 16384;
        memset(text, fits ? 'b' + (int)i : '-', sizeof text);
        assert_true(state_file_replace(path, text, sizes[i], STATE_FILE_FULL_DISK) == fits);
        const size_t size = fits ? sizes[i] : sizes[i - 1];
        memset(text, 'b' + (int)i - !fits, sizeof text);
        const int file = open(path, O_RDONLY | O_CLOEXEC);
        assert_int_equal(fstat(file, &status), 0);
        assert_int_equal(status.st_size, size);
        assert_int_equal(read(file, seen, size), size);
        assert_memory_equal(seen, text, size);
        close(file);
    }
    assert_false(state_file_replace(path, "c", 1, STATE_FILE_PROCESS));
    close(filler);
    umount2(directory, MNT_DETACH);
}

TEST_GROUP(set_up_group, tear_down_group)
