// SPDX-License-Identifier: MIT
// Loads and checks the keys of the control over TCP: certificates, keys and tokens are checked
// here, so that `raimd -t` reports a mistake, and read when the server starts.
#define _GNU_SOURCE
#include "config_loader.h"
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

// Stores the resolved path of a PEM file. Its directory stays readable in the sandbox, so that a
// reload can check the file again.
static void load_file(reader_node node, char *path, bool is_secret, struct config_loader *loader)
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

void config_load_certificate(reader_node node, void *into, void *context)
{
    load_file(node, ((struct config *)into)->control_tcp.certificate, false, context);
}

void config_load_control_key(reader_node node, void *into, void *context)
{
    load_file(node, ((struct config *)into)->control_tcp.key, true, context);
}

void config_load_clients(reader_node node, void *into, void *context)
{
    load_file(node, ((struct config *)into)->control_tcp.clients, false, context);
}

void config_load_control_token(reader_node node, void *into, void *context)
{
    config_read_token(node, ((struct config *)into)->control_tcp.token, context);
}

void config_check_control(const struct config *config, reader_node root)
{
    static const char *const keys[] = {"listen", "certificate", "key", "clients", "token_file"};
    const reader_node group = reader_find(root, "control");
    const struct config_control *control = &config->control_tcp;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (!reader_is_good(reader_find(group, keys[i])))
            return;
    const bool has_certificate = control->certificate[0] != '\0';
    const bool has_key = control->key[0] != '\0';
    const bool has_clients = control->clients[0] != '\0';
    union socket_address address;
    const bool is_loopback = socket_address_parse(control->listen.address, 0, &address) &&
                             socket_address_is_loopback(&address);
    if (has_certificate != has_key)
        reader_error(reader_find(group, has_key ? "key" : "certificate"),
                     "got no %s beside it, want both or none", has_key ? "certificate" : "key");
    if (has_clients && !has_certificate)
        reader_error(reader_find(group, "clients"), "got no certificate beside it, want one");
    const bool is_protected =
        has_certificate && has_key && (has_clients || control->token[0] != '\0');
    if (control->listen.is_on && !is_loopback && !is_protected)
        reader_error(reader_find(group, "listen"),
                     "got %s without protection, want an address of 127.0.0.0/8 or [::1], or "
                     "certificate, key, and token_file or clients",
                     control->listen.address);
}
