// SPDX-License-Identifier: MIT
// Files, the time of day and random numbers by POSIX.
#define _GNU_SOURCE
#include "files.h"

#include "platform.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAX_BYTES = 1 << 20 }; // of a text; the program itself writes some KB

int64_t platform_unix_s(void)
{
    return time(NULL);
}

void platform_write_date(int64_t unix_s, char text[PLATFORM_DATE_BYTES])
{
    const time_t time = unix_s;
    struct tm local;
    if (localtime_r(&time, &local) == NULL ||
        strftime(text, PLATFORM_DATE_BYTES, "%Y-%m-%d %H:%M", &local) == 0)
        text[0] = '\0';
}

uint32_t platform_random(void)
{
    uint32_t number = 0;
    (void)!getrandom(&number, sizeof number, 0);
    return number;
}

bool platform_can_quit(void)
{
    return true;
}

const char *platform_network_problem(void)
{
    return NULL;
}

bool platform_has_small_datagrams(void)
{
    return false;
}

bool platform_server_key(const char *host, uint16_t port, uint8_t key[RAIM_KEY_BYTES])
{
    (void)host, (void)port, (void)key;
    return false;
}

void platform_say(const char *words)
{
    (void)words; // SDL knows no screen readers
}

bool files_path(enum files_folder folder, const char *name, char *path, size_t capacity)
{
    static const struct {
        const char *variable, *below_home;
    } folders[] = {
        [FILES_SETTINGS] = {"XDG_CONFIG_HOME", ".config"},
        [FILES_DATA] = {"XDG_DATA_HOME", ".local/share"},
    };
    const char *base = getenv(folders[folder].variable), *home = getenv("HOME");
    int length = -1;
    if (base != NULL && base[0] == '/')
        length = snprintf(path, capacity, "%s/raim/%s", base, name);
    else if (home != NULL && home[0] == '/')
        length = snprintf(path, capacity, "%s/%s/raim/%s", home, folders[folder].below_home, name);
    return length > 0 && (size_t)length < capacity;
}

bool files_folder_of(const char *file, char *folder, size_t capacity)
{
    char *path = realpath(file, NULL);
    char *slash = path != NULL ? strrchr(path, '/') : NULL;
    const bool fits = slash != NULL && slash != path && (size_t)(slash - path) < capacity;
    if (fits) {
        *slash = '\0';
        strcpy(folder, path);
    }
    free(path);
    return fits;
}

bool files_rename(const char *from, const char *to)
{
    return rename(from, to) == 0;
}

// Opens a regular file. -1, with the reason, where that fails; without a file "".
static int open_regular(const char *path, struct stat *status, const char **problem)
{
    // A pipe would keep the program waiting.
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    *problem = NULL;
    if (descriptor < 0)
        *problem = errno == ENOENT ? "" : strerror(errno);
    else if (fstat(descriptor, status) != 0)
        *problem = strerror(errno);
    else if (!S_ISREG(status->st_mode))
        *problem = S_ISDIR(status->st_mode) ? "it is a directory" : "it is no regular file";
    if (*problem == NULL)
        return descriptor;
    if (descriptor >= 0)
        close(descriptor);
    return -1;
}

char *files_read(const char *path, size_t *size)
{
    struct stat status;
    const char *problem;
    const int descriptor = open_regular(path, &status, &problem);
    char *text = NULL;
    if (descriptor >= 0 && status.st_size > MAX_BYTES)
        problem = "it is larger than 1 MiB";
    else if (descriptor >= 0)
        text = malloc((size_t)status.st_size + 1);
    const ssize_t count = text != NULL ? read(descriptor, text, (size_t)status.st_size) : -1;
    if (text != NULL && count < 0)
        problem = strerror(errno);
    if (descriptor >= 0)
        close(descriptor);
    if (count >= 0) {
        text[count] = '\0';
        *size = (size_t)count;
        return text;
    }
    free(text);
    if (problem == NULL || problem[0] != '\0')
        fprintf(stderr, "raim: cannot read %s: %s; the defaults hold\n", path,
                problem != NULL ? problem : "out of memory");
    return NULL;
}

// Makes the folder of a file and those above it.
static bool make_folder(const char *file)
{
    char path[FILES_PATH_BYTES];
    if (snprintf(path, sizeof path, "%s", file) >= (int)sizeof path)
        return false;
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            return false;
        *slash = '/';
    }
    return true;
}

bool files_replace(const char *path, const char *text, size_t size)
{
    char fresh[FILES_PATH_BYTES];
    if (snprintf(fresh, sizeof fresh, "%s.new", path) >= (int)sizeof fresh || !make_folder(path))
        return false;
    FILE *file = fopen(fresh, "we");
    if (file == NULL)
        return false;
    const bool is_written = fwrite(text, 1, size, file) == size;
    // A full disk leaves the file before.
    return fclose(file) == 0 && is_written && rename(fresh, path) == 0;
}

void files_list(const char *folder, const char *suffix,
                void (*take)(void *context, const char *path, int64_t changed_ns), void *context)
{
    char path[FILES_PATH_BYTES];
    struct stat status;
    DIR *directory = opendir(folder);
    if (directory == NULL)
        return;
    const struct dirent *found = readdir(directory);
    for (; found != NULL; found = readdir(directory)) {
        const size_t length = strlen(found->d_name), tail = strlen(suffix);
        if (length > tail && strcmp(found->d_name + length - tail, suffix) == 0 &&
            snprintf(path, sizeof path, "%s/%s", folder, found->d_name) < (int)sizeof path &&
            stat(path, &status) == 0 && S_ISREG(status.st_mode))
            take(context, path,
                 (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec);
    }
    closedir(directory);
}

bool files_map(struct files_map *map, const char *path, char *error, size_t capacity)
{
    struct stat status;
    const char *problem;
    const int descriptor = open_regular(path, &status, &problem);
    *map = (struct files_map){0};
    if (descriptor >= 0 && status.st_size == 0) {
        problem = "it is empty";
    } else if (descriptor >= 0) {
        void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (bytes != MAP_FAILED)
            *map = (struct files_map){bytes, (size_t)status.st_size};
        else
            problem = strerror(errno);
    }
    if (descriptor >= 0)
        close(descriptor);
    if (map->bytes == NULL)
        snprintf(error, capacity, "%s", problem[0] != '\0' ? problem : strerror(ENOENT));
    return map->bytes != NULL;
}

void files_unmap(struct files_map *map)
{
    if (map->bytes != NULL)
        munmap((void *)map->bytes, map->size);
    *map = (struct files_map){0};
}
