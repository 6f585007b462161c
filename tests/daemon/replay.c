// SPDX-License-Identifier: MIT
// replay FILE...: plays each recording to its end and prints a line of JSON: what its head tells,
// the ticks that were played, and the fault that ended it, or null.
#define _GNU_SOURCE
#include "recording.h"

#include <stdio.h>
#include <stdlib.h>

// Reads a whole file. Returns NULL if it cannot be read.
static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        return NULL;
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*size + 1);
    const bool is_read = bytes != NULL && fread(bytes, 1, *size, file) == *size;
    fclose(file);
    if (!is_read)
        free(bytes);
    return is_read ? bytes : NULL;
}

static void replay(const char *path, const uint8_t *bytes, size_t size)
{
    char error[RAIM_RECORDING_ERROR_BYTES] = "";
    struct raim_recording *recording = raim_recording_open(bytes, size, error, sizeof error);
    if (recording == NULL) {
        printf("{\"path\": \"%s\", \"fault\": \"%s\"}\n", path, error);
        return;
    }
    while (raim_recording_step(recording))
        continue;
    const struct raim_recording_info *info = raim_recording_info(recording);
    const struct raim_recording_fault *fault = raim_recording_fault(recording);
    printf("{\"path\": \"%s\", \"arena\": \"%s\", \"map\": \"%s\", \"round\": %u, \"ticks\": %u, "
           "\"played\": %u, \"clients\": %u, \"bots\": %u, \"complete\": %s, \"fault\": ",
           path, info->arena, info->map, info->round, info->ticks, raim_recording_tick(recording),
           info->clients, info->bots, info->is_complete ? "true" : "false");
    if (fault != NULL)
        printf("\"%s\"}\n", fault->why);
    else
        printf("null}\n");
    raim_recording_close(recording);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        size_t size;
        uint8_t *bytes = read_file(argv[i], &size);
        if (bytes == NULL) {
            fprintf(stderr, "replay: cannot read %s\n", argv[i]);
            return EXIT_FAILURE;
        }
        replay(argv[i], bytes, size);
        free(bytes);
    }
    return EXIT_SUCCESS;
}
