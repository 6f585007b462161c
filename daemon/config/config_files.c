// SPDX-License-Identifier: MIT
// Checks and reads the files that keys name, so that a check of the configuration reports what is
// wrong with them. It knows no keys: programs with other keys use it, too.
#define _GNU_SOURCE
#include "config_loader.h"
#include "crypto.h"
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The reason why a file cannot be used; NULL: it begins as a PEM file does.
static const char *fault_of(const char *path, bool is_secret)
{
    static const char begin[] = "-----BEGIN ";
    char text[4096];
    struct stat status;
    const char *fault = NULL;
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0)
        return strerror(errno);
    const ssize_t size = read(file, text, sizeof text - 1);
    if (fstat(file, &status) != 0 || (size < 0 && S_ISREG(status.st_mode)))
        fault = strerror(errno);
    else if (!S_ISREG(status.st_mode))
        fault = "it is not a regular file";
    else if (is_secret && (status.st_mode & S_IRWXO) != 0)
        fault = "others have access to it, want mode 0640 or less";
    else {
        text[size] = '\0';
        fault = strstr(text, begin) == NULL ? "it is not a PEM file" : NULL;
    }
    explicit_bzero(text, sizeof text);
    close(file);
    return fault;
}

void config_read_pem(reader_node node, char *path, bool is_secret, struct config_loader *loader)
{
    const char *named;
    if (!reader_text(node, NULL, "", &named) || named[0] == '\0')
        return;
    struct path_list *directories = loader->diagnostics->directories;
    char *resolved = source_resolve(loader->path, named);
    if (resolved == NULL ||
        (directories != NULL && !path_list_add_directories(directories, resolved))) {
        diagnostics_no_memory(loader->diagnostics);
        free(resolved);
        return;
    }
    const char *fault = strlen(resolved) < CONFIG_PATH_BYTES ? fault_of(resolved, is_secret)
                                                             : "the path is too long";
    if (fault == NULL)
        strcpy(path, resolved);
    else
        reader_error(node, "cannot take \"%s\": %s", resolved, fault);
    free(resolved);
}

// Reads the token from the first line of a file. The file must not be accessible to others (mode
// 0640 or less). Returns false with the reason in `problem`.
static bool read_token(const char *path, char token[HTTP_TOKEN_BYTES], const char **problem)
{
    char text[HTTP_TOKEN_BYTES + 1] = "";
    struct stat status;
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    const bool is_open = file >= 0 && fstat(file, &status) == 0;
    *problem = is_open ? NULL : strerror(errno);
    if (is_open && !S_ISREG(status.st_mode))
        *problem = "it is not a regular file";
    else if (is_open && (status.st_mode & S_IRWXO) != 0)
        *problem = "others have access to it, want mode 0640 or less";
    else if (is_open && read(file, text, sizeof text - 1) < 0)
        *problem = strerror(errno);
    if (file >= 0)
        close(file);
    text[strcspn(text, "\n")] = '\0';
    if (*problem == NULL && !http_access_is_token(text))
        *problem = "want a line of 16 to 128 letters, digits and -._~+/=";
    if (*problem == NULL)
        strcpy(token, text);
    return *problem == NULL;
}

void config_read_token(reader_node node, char *token, struct config_loader *loader)
{
    const char *problem, *path;
    if (!reader_text(node, NULL, "", &path) || path[0] == '\0')
        return;
    struct path_list *directories = loader->diagnostics->directories;
    char *resolved = source_resolve(loader->path, path);
    // In the sandbox a reload has to read the file again.
    if (resolved == NULL ||
        (directories != NULL && !path_list_add_directories(directories, resolved)))
        diagnostics_no_memory(loader->diagnostics);
    else if (!read_token(resolved, token, &problem))
        reader_error(node, "cannot take \"%s\": %s", resolved, problem);
    free(resolved);
}

bool config_read_key(reader_node node, uint8_t key[RAIM_GATEWAY_KEY_BYTES],
                     struct config_loader *loader)
{
    char text[HTTP_TOKEN_BYTES] = "";
    config_read_token(node, text, loader);
    const bool is_key = strlen(text) == RAIM_CRYPTO_KEY_DIGITS && raim_crypto_read_key(text, key);
    if (text[0] != '\0' && !is_key)
        reader_error(node,
                     "the file's first line is no key, want %d lower-case hexadecimal digits, as "
                     "`openssl rand -hex %d` prints",
                     RAIM_CRYPTO_KEY_DIGITS, RAIM_CRYPTO_KEY_DIGITS / 2);
    raim_crypto_wipe(text, sizeof text);
    return is_key;
}
