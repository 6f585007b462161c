// SPDX-License-Identifier: MIT
// Writes openapi.json at build time: a document with the paths of the commands in front of its own.
#include "command_schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    static char base[1 << 20];
    static const char key[] = "\"paths\": {";
    char *paths = command_paths_json();
    FILE *in = argc == 3 ? fopen(argv[1], "r") : NULL,
         *out = argc == 3 ? fopen(argv[2], "w") : NULL;
    if (in != NULL)
        base[fread(base, 1, sizeof base - 1, in)] = '\0';
    char *at = strstr(base, key);
    if (paths == NULL || out == NULL || at == NULL) {
        fputs("usage: raim-openapi BASE OUTPUT\n", stderr);
        return EXIT_FAILURE;
    }
    at += sizeof key - 1;
    paths[strlen(paths) - 1] = ','; // in place of its bracket
    fprintf(out, "%.*s%s%s", (int)(at - base), base, paths + 1, at);
    free(paths);
    fclose(in);
    return fclose(out) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
