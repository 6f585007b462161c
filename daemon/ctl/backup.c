// SPDX-License-Identifier: MIT
// Copies the state directory while raimd runs, and puts a copy back while it does not. All its
// files but results.db are replaced as a whole or appended to in whole lines, and a reader ignores
// a line without its end; SQLite copies results.db as of one moment. Everything in the directory
// may be an intruder's: links and pipes are left alone.
#define _GNU_SOURCE
#include "commands.h"

#include "state_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { BUSY_MS = 10000, TIME_BYTES = 24 };

static const long long NS_PER_S = 1000000000;

static const char usual_state[] = "/var/lib/raimd";
static const char database[] = "results.db";
static const char note[] = "raimd.backup";           // of a backup, its format and time
static const char unfinished[] = "raimd.backup.new"; // the note of one that is being made

struct directory {
    int descriptor;
    char path[PATH_MAX];
};

// The files of a directory that are copied, for free() with its names.
struct listing {
    struct dirent **entries;
    int count;
};

static bool complain(const struct directory *directory, const char *name)
{
    fprintf(stderr, "raimctl: %s%s%s: %s\n", directory->path, name[0] != '\0' ? "/" : "", name,
            strerror(errno));
    return false;
}

static bool open_directory(struct directory *directory, const char *path)
{
    snprintf(directory->path, sizeof directory->path, "%s", path);
    directory->descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return directory->descriptor >= 0 || complain(directory, "");
}

static bool ends_in(const char *name, const char *end)
{
    const size_t length = strlen(name);
    return length >= strlen(end) && strcmp(name + length - strlen(end), end) == 0;
}

// Whether a file of this name belongs to the state: not one that was being written, nor SQLite's
// beside its file, nor what tells of a backup.
static int is_state(const struct dirent *entry)
{
    static const char *const others[] = {".new", "-wal", "-shm", ".bad"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (ends_in(entry->d_name, others[i]))
            return 0;
    return entry->d_name[0] != '.' && strcmp(entry->d_name, note) != 0 &&
           strcmp(entry->d_name, STATE_FILE_RESTORED) != 0;
}

// Sorted, so that the hook's cursor is copied before the events, and results.jsonl before the files
// that it becomes: what changes meanwhile is there twice, and not missing.
static bool list_state(const struct directory *directory, struct listing *listing)
{
    listing->count = scandir(directory->path, &listing->entries, is_state, alphasort);
    return listing->count >= 0 || complain(directory, "");
}

static void free_listing(struct listing *listing)
{
    while (listing->count > 0)
        free(listing->entries[--listing->count]);
    free(listing->entries);
}

// Opens a regular file. -1 with errno, which is 0 where it is none, or has gone.
static int open_regular(const struct directory *directory, const char *name, struct stat *status)
{
    const int file =
        openat(directory->descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file >= 0 && fstat(file, status) == 0 && S_ISREG(status->st_mode))
        return file;
    if (file >= 0)
        close(file);
    if (file >= 0 || errno == ENOENT || errno == ELOOP || errno == ENXIO)
        errno = 0;
    return -1;
}

// Creates a file for the owner of its directory.
static int create(const struct directory *directory, const char *name)
{
    struct stat owner, status;
    const int file = openat(directory->descriptor, name,
                            O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0 || (fstat(directory->descriptor, &owner) == 0 && fstat(file, &status) == 0 &&
                     ((owner.st_uid == status.st_uid && owner.st_gid == status.st_gid) ||
                      fchown(file, owner.st_uid, owner.st_gid) == 0)))
        return file;
    const int error = errno;
    unlinkat(directory->descriptor, name, 0);
    close(file);
    errno = error;
    return -1;
}

// Copies a file as long as it was at first. Of used tokens only that there were some: raimd takes
// an empty file for a list that was lost, and rejects the tokens of the time before.
static bool copy(const struct directory *from, const char *name, const struct directory *to,
                 const char *as)
{
    struct stat status;
    const int in = open_regular(from, name, &status);
    if (in < 0)
        return errno == 0 || complain(from, name);
    const int out = create(to, as);
    off_t left = ends_in(name, ".tokens") ? 0 : status.st_size;
    ssize_t sent = out >= 0 ? 1 : -1;
    for (; left > 0 && sent > 0; left -= sent)
        sent = sendfile(out, in, NULL, (size_t)left);
    const bool good = sent >= 0 || complain(to, as);
    close(in);
    if (out >= 0)
        close(out); // what the disk has to say, syncfs says
    return good;
}

static bool write_text(const struct directory *directory, const char *name, const char *text)
{
    const int file = create(directory, name);
    const bool good = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
    if (!good)
        complain(directory, name);
    if (file >= 0)
        close(file);
    return good;
}

static bool copy_database(const struct directory *from, const struct directory *to)
{
    char source[PATH_MAX + sizeof database], target[PATH_MAX + sizeof database], *real;
    struct stat status;
    sqlite3 *sqlite = NULL;
    sqlite3_stmt *statement = NULL;
    const int file = open_regular(from, database, &status);
    if (file < 0)
        return errno == 0 || complain(from, database);
    close(file);
    real = realpath(from->path, NULL); // SQLite is to follow no link within the directory
    snprintf(source, sizeof source, "%s/%s", real != NULL ? real : from->path, database);
    snprintf(target, sizeof target, "%s/%s", to->path, database);
    free(real);
    int code = sqlite3_open_v2(source, &sqlite, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, NULL);
    if (code == SQLITE_OK) {
        sqlite3_busy_timeout(sqlite, BUSY_MS);
        sqlite3_db_config(sqlite, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        sqlite3_db_config(sqlite, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
        code = sqlite3_prepare_v2(sqlite, "VACUUM INTO ?1", -1, &statement, NULL);
    }
    if (code == SQLITE_OK) {
        sqlite3_bind_text(statement, 1, target, -1, SQLITE_STATIC);
        code = sqlite3_step(statement);
    }
    if (code != SQLITE_DONE)
        fprintf(stderr, "raimctl: %s: %s\n", source, sqlite3_errmsg(sqlite));
    sqlite3_finalize(statement);
    sqlite3_close(sqlite);
    return code == SQLITE_DONE;
}

static bool copy_state(const struct directory *state, const struct directory *to, bool *has_key)
{
    struct listing listing;
    if (!list_state(state, &listing))
        return false;
    bool good = true;
    for (int i = 0; good && i < listing.count; i++) {
        const char *name = listing.entries[i]->d_name;
        *has_key = *has_key || strcmp(name, "server.key") == 0;
        good = strcmp(name, database) == 0 ? copy_database(state, to) : copy(state, name, to, name);
    }
    free_listing(&listing);
    return good;
}

static void remove_backup(const struct directory *backup)
{
    struct listing listing;
    if (list_state(backup, &listing)) {
        for (int i = 0; i < listing.count; i++)
            unlinkat(backup->descriptor, listing.entries[i]->d_name, 0);
        free_listing(&listing);
    }
    unlinkat(backup->descriptor, note, 0);
    unlinkat(backup->descriptor, unfinished, 0); // the last one, see remove_interrupted
    rmdir(backup->path);
}

static long long ns_of(struct timespec time)
{
    return time.tv_sec * NS_PER_S + time.tv_nsec;
}

static long long now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return ns_of(now);
}

// Removes what an interrupted backup of this user has left. False where something else has its
// name, or another process is at it.
static bool remove_interrupted(const char *path)
{
    struct directory left;
    struct stat status;
    if (rmdir(path) == 0)
        return true;
    if (lstat(path, &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != geteuid() ||
        !open_directory(&left, path))
        return false;
    const bool is_ours = faccessat(left.descriptor, unfinished, F_OK, AT_SYMLINK_NOFOLLOW) == 0 &&
                         flock(left.descriptor, LOCK_EX | LOCK_NB) == 0;
    if (is_ours)
        remove_backup(&left);
    close(left.descriptor);
    if (is_ours)
        fprintf(stderr, "raimctl: %s removed: that backup was interrupted\n", path);
    return is_ours;
}

// Creates the directory that a backup is made in, locked as long as this process lives.
static bool begin_backup(struct directory *backup, const char *path)
{
    char text[64];
    snprintf(text, sizeof text, "raimd-backup 1\nmade_ns %lld\n", now_ns());
    bool is_made = mkdir(path, 0700) == 0;
    int error = errno;
    if (!is_made && error == EEXIST && remove_interrupted(path)) {
        is_made = mkdir(path, 0700) == 0;
        error = errno;
    }
    if (!is_made) {
        fprintf(stderr, "raimctl: %s: %s\n", path, strerror(error));
        return false;
    }
    return open_directory(backup, path) && flock(backup->descriptor, LOCK_EX | LOCK_NB) == 0 &&
           write_text(backup, unfinished, text);
}

// Fills a directory, which gets its name once all is in it and on the disk.
static bool fill_backup(const struct directory *state, struct directory *backup, const char *path,
                        bool *has_key)
{
    return copy_state(state, backup, has_key) &&
           ((syncfs(backup->descriptor) == 0 &&
             renameat(backup->descriptor, unfinished, backup->descriptor, note) == 0 &&
             rename(backup->path, path) == 0) ||
            complain(backup, ""));
}

static const char *state_path(const struct call *call)
{
    const char *path = commands_option(call, "state");
    return path != NULL ? path : usual_state;
}

int backup_run(const struct call *call)
{
    char path[PATH_MAX], temporary[PATH_MAX + 4];
    struct directory state, backup;
    struct stat status;
    bool has_key = false;
    snprintf(path, sizeof path, "%s", commands_argument(call, 0));
    for (size_t length = strlen(path); length > 1 && path[length - 1] == '/'; length--)
        path[length - 1] = '\0';
    if (lstat(path, &status) == 0) {
        fprintf(stderr, "raimctl: %s is there already: name a new directory\n", path);
        return EXIT_REJECTED;
    }
    if (!open_directory(&state, state_path(call)))
        return EXIT_REJECTED;
    umask(077);
    snprintf(temporary, sizeof temporary, "%s.new", path);
    if (!begin_backup(&backup, temporary))
        return EXIT_REJECTED;
    if (!fill_backup(&state, &backup, path, &has_key)) {
        remove_backup(&backup);
        return EXIT_REJECTED;
    }
    printf("%s: all of %s but recordings\n", path, state.path);
    if (has_key)
        puts("Keep it secret: with its server.key anybody can pass for this server.");
    return EXIT_SUCCESS;
}

// --- Restoring ---

static bool read_note(const struct directory *backup, long long *made_ns)
{
    char text[64] = "";
    int format = 0;
    struct stat status;
    const int file = open_regular(backup, note, &status);
    if (file >= 0 && read(file, text, sizeof text - 1) > 0)
        sscanf(text, "raimd-backup %d made_ns %lld", &format, made_ns);
    if (file >= 0)
        close(file);
    if (format == 0)
        fprintf(stderr, "raimctl: %s is no backup: it has no valid %s\n", backup->path, note);
    else if (format != 1)
        fprintf(stderr, "raimctl: %s is a backup of a newer raimctl\n", backup->path);
    return format == 1;
}

static void print_time(char text[TIME_BYTES], long long ns)
{
    struct tm date;
    const time_t when = (time_t)(ns / NS_PER_S);
    if (gmtime_r(&when, &date) == NULL ||
        strftime(text, TIME_BYTES, "%Y-%m-%dT%H:%M:%SZ", &date) == 0)
        snprintf(text, TIME_BYTES, "-");
}

// Whether nothing in the directory is newer than the backup, or may be lost.
static bool may_replace(const struct directory *state, const struct listing *listing,
                        long long made_ns, bool is_sure)
{
    long long newest_ns = 0;
    char made[TIME_BYTES], newest[TIME_BYTES];
    for (int i = 0; i < listing->count; i++) {
        struct stat status;
        if (fstatat(state->descriptor, listing->entries[i]->d_name, &status, AT_SYMLINK_NOFOLLOW) ==
                0 &&
            S_ISREG(status.st_mode) && ns_of(status.st_mtim) > newest_ns)
            newest_ns = ns_of(status.st_mtim);
    }
    if (is_sure || newest_ns <= made_ns)
        return true;
    print_time(made, made_ns);
    print_time(newest, newest_ns);
    fprintf(stderr,
            "raimctl: %s changed at %s, after this backup of %s: give --yes to lose the changes\n",
            state->path, newest, made);
    return false;
}

// First of all, so that no spent token is admitted even where the rest fails.
static bool note_restore(const struct directory *state)
{
    char text[32];
    snprintf(text, sizeof text, "%lld\n", (long long)time(NULL));
    unlinkat(state->descriptor, STATE_FILE_RESTORED, 0);
    return write_text(state, STATE_FILE_RESTORED, text);
}

static bool replace(const struct directory *backup, const char *name, const struct directory *state)
{
    char temporary[NAME_MAX + 5];
    snprintf(temporary, sizeof temporary, "%s.new", name);
    unlinkat(state->descriptor, temporary, 0);
    if (!copy(backup, name, state, temporary))
        return false;
    if (strcmp(name, database) == 0) { // the old one's would be played into the new one
        unlinkat(state->descriptor, "results.db-wal", 0);
        unlinkat(state->descriptor, "results.db-shm", 0);
    }
    return renameat(state->descriptor, temporary, state->descriptor, name) == 0 ||
           complain(state, name);
}

static bool has(const struct listing *listing, const char *name)
{
    int i = 0;
    while (i < listing->count && strcmp(listing->entries[i]->d_name, name) != 0)
        i++;
    return i < listing->count;
}

static bool restore(const struct directory *backup, const struct directory *state,
                    const struct listing *saved, const struct listing *present)
{
    bool good = note_restore(state);
    for (int i = 0; good && i < saved->count; i++)
        good = replace(backup, saved->entries[i]->d_name, state);
    for (int i = 0; good && i < present->count; i++) {
        struct stat status;
        const char *name = present->entries[i]->d_name;
        if (!has(saved, name) &&
            fstatat(state->descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            !S_ISDIR(status.st_mode))
            good = unlinkat(state->descriptor, name, 0) == 0 || complain(state, name);
    }
    return good && (syncfs(state->descriptor) == 0 || complain(state, ""));
}

int restore_run(const struct call *call)
{
    char made[TIME_BYTES];
    long long made_ns = 0;
    struct directory backup, state;
    struct listing saved, present;
    const bool is_sure = commands_option(call, "yes") != NULL;
    if (!open_directory(&backup, commands_argument(call, 0)) || !read_note(&backup, &made_ns) ||
        !open_directory(&state, state_path(call)))
        return EXIT_REJECTED;
    if (flock(state.descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        fprintf(stderr, "raimctl: a raimd uses %s: stop it first\n", state.path);
        return EXIT_REJECTED;
    }
    if (!list_state(&backup, &saved) || !list_state(&state, &present))
        return EXIT_REJECTED;
    const bool good = may_replace(&state, &present, made_ns, is_sure) &&
                      restore(&backup, &state, &saved, &present);
    free_listing(&saved);
    free_listing(&present);
    if (!good)
        return EXIT_REJECTED;
    print_time(made, made_ns);
    printf("%s is as of %s; access tokens that were issued until now are rejected\n", state.path,
           made);
    return EXIT_SUCCESS;
}
