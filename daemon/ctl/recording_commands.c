// SPDX-License-Identifier: MIT
// The commands of raimctl about recordings.
#include "recording_commands.h"

#include "recordings.h"
#include "request.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int recording_list(const struct call *call)
{
    const char *arena = call->count > 0 ? call->words[0] : NULL;
    struct recordings *recordings = recordings_create();
    char next[RECORDING_CURSOR_BYTES] = "", path[RECORDING_CURSOR_BYTES + 32] = "/recordings";
    bool good = recordings != NULL;
    int code = EXIT_SUCCESS;
    do {
        struct reply reply;
        code = commands_send_for_file(call, &(struct request){.path = path}, NULL, &reply);
        if (code != EXIT_SUCCESS)
            break;
        good = good && recordings_add(recordings, reply.text, arena, next);
        free(reply.text);
        snprintf(path, sizeof path, "/recordings?before=%s", next);
    } while (good && next[0] != '\0');
    if (code == EXIT_SUCCESS && good && recordings_is_empty(recordings))
        code = commands_check_arena(call);
    if (code == EXIT_SUCCESS && good)
        good = call->json ? recordings_print_json(recordings, stdout)
                          : recordings_print(recordings, stdout);
    recordings_destroy(recordings);
    return code != EXIT_SUCCESS || good ? code : commands_not_understood();
}

// Writes a recording to an open file.
static int download(const struct call *call, const char *name, FILE *file)
{
    char path[RECORDING_CURSOR_BYTES + 32];
    struct reply reply;
    snprintf(path, sizeof path, "/recordings/%s", name);
    const int code = commands_send_for_file(call, &(struct request){.path = path}, file, &reply);
    if (code == EXIT_SUCCESS)
        free(reply.text);
    return code;
}

static int wrong_file(const char *path)
{
    fprintf(stderr, "raimctl: %s: %s\n", path, strerror(errno));
    return EXIT_REFUSED;
}

int recording_get(const struct call *call)
{
    const char *name = call->words[0];
    const char *path = call->count > 1 ? call->words[1] : name;
    if (!recordings_is_name(name))
        return commands_wrong(call->command, "want the name of a recording");
    if (strcmp(path, "-") == 0) {
        const int code = download(call, name, stdout);
        return code == EXIT_SUCCESS && fflush(stdout) != 0 ? wrong_file("stdout") : code;
    }
    FILE *file = fopen(path, "wx"); // never over another file
    if (file == NULL)
        return wrong_file(path);
    int code = download(call, name, file);
    if (fclose(file) != 0 && code == EXIT_SUCCESS)
        code = wrong_file(path);
    if (code != EXIT_SUCCESS)
        unlink(path);
    return code;
}

static int send_recording_command(const struct call *call, const char *path)
{
    return commands_send(
        call,
        &(struct request){.path = path, .post = true, .fields = {{"recording", call->words[0]}}});
}

int recording_delete(const struct call *call)
{
    return send_recording_command(call, "/recording/delete");
}

int recording_keep(const struct call *call)
{
    return send_recording_command(call, "/recording/keep");
}

int recording_unkeep(const struct call *call)
{
    return send_recording_command(call, "/recording/unkeep");
}

int recording_clip(const struct call *call)
{
    struct reply reply;
    const int code =
        commands_send_for_file(call,
                               &(struct request){
                                   .path = "/arena/clip",
                                   .post = true,
                                   .fields = {{"arena", call->words[0]},
                                              {"seconds", call->count > 1 ? call->words[1] : NULL}},
                               },
                               NULL, &reply);
    if (code != EXIT_SUCCESS)
        return code;
    const bool good = recordings_print_name(reply.text, stdout);
    free(reply.text);
    return good ? EXIT_SUCCESS : commands_not_understood();
}
