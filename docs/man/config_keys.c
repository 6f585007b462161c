// SPDX-License-Identifier: MIT
// Writes the sections KEYS of raimd.conf(5) and raim-web(8), in scdoc's syntax, from the tables of
// the keys.
#include "config_keys.h"
#ifdef RAIM_HAVE_WEB
#include "web_config.h"
#endif

#include <stdio.h>
#include <string.h>

static void print_keys(const char *path, const char *title, const struct reader_key *keys,
                       int count);

// Escapes what scdoc takes for markup.
static void print_text(const char *text)
{
    for (; *text != '\0'; text++)
        printf("%s%c", strchr("_*\\<>#", *text) != NULL ? "\\" : "", *text);
}

static void print_key(const struct reader_key *key)
{
    char line[1024];
    reader_document(key, line, sizeof line);
    printf("*");
    print_text(key->name);
    printf("*:\n\t");
    print_text(line + strlen(key->name) + strlen(": "));
    if (key->keys == NULL)
        printf(" %s", reader_when(key));
    printf("\n\n");
}

// Prints the tables of inner groups behind that of the group, each under its path.
static void print_inner(const char *path, const struct reader_key *key)
{
    char inner_path[64], title[128];
    snprintf(inner_path, sizeof inner_path, "%s%s%s", path, path[0] != '\0' ? "." : "", key->name);
    snprintf(title, sizeof title, key->kind == READER_LIST ? "Each group of %s" : "The group %s",
             inner_path);
    print_keys(inner_path, title, key->keys->rows, key->keys->count);
}

static void print_keys(const char *path, const char *title, const struct reader_key *keys,
                       int count)
{
    printf("## %s\n\n", title); // scdoc takes no markup in it
    for (int i = 0; i < count; i++)
        print_key(&keys[i]);
    for (int i = 0; i < count; i++)
        if (keys[i].keys != NULL)
            print_inner(path, &keys[i]);
}

int main(int argc, char **argv)
{
    int count;
    if (argc < 2 || freopen(argv[1], "w", stdout) == NULL)
        return 1;
    const struct reader_key *keys = config_keys(CONFIG_ROOT, &count);
#ifdef RAIM_HAVE_WEB
    if (argc == 3)
        keys = web_config_keys(&count);
#endif
    print_keys("", "The file", keys, count);
    return fflush(stdout) != 0 || ferror(stdout) != 0;
}
