// SPDX-License-Identifier: MIT
// The configuration loader: what is shipped, and what it makes of files that are good or nearly.
#define _GNU_SOURCE
#include "config_fixture.h"
#include "config_keys.h"
#include "config_loader.h"
#include "map_file.h"

#include <ctype.h>

#define MUTATIONS 2000

// --- What is shipped ---

TEST(shipped_config_loads)
{
    struct config *config = config_load(RAIM_SOURCE_DIR "/config/raimd.conf", stderr);
    assert_non_null(config);
    assert_int_equal(config->arena_count, 2);
    assert_string_equal(config->arenas[0].match.map->name, "duel");
    assert_int_equal(config->arenas[1].port, 7247);
    assert_true(config->arenas[1].match.rules.bullet_speed == 720);
    assert_int_equal(config->arenas[1].match.bot_skill, RAIM_BOT_NORMAL);
    config_unload(config);
}

TEST(arenas_of_one_map_share_the_paths_of_their_bots)
{
    struct config *config = config_load(RAIM_SOURCE_DIR "/config/raimd.conf", stderr);
    assert_non_null(config);
    const struct config_arena *arena = &config->arenas[0];
    struct config *single = config_of_arena(arena, config);
    assert_non_null(single);
    const struct raim_bot_paths *paths = config_bot_paths(config, arena->match.map, 16);
    assert_non_null(paths);
    assert_ptr_equal(config_bot_paths(single, arena->match.map, 16), paths);
    assert_ptr_not_equal(config_bot_paths(config, arena->match.map, 17), paths);
    config_unload(single);
    config_unload(config);
}

// Takes comment signs out and makes any blanks one.
static void flatten(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++)
        if (!isspace((unsigned char)*from) && *from != '#')
            *to++ = *from;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    *to = '\0';
}

TEST(a_shipped_map_documents_every_key_as_the_table_has_it)
{
    int count;
    const struct reader_key *keys = map_file_keys(&count);
    char *text = freed(read_text(RAIM_SOURCE_DIR "/config/maps/duel.conf"));
    flatten(text);
    for (int i = 0; i < count; i++) {
        char line[512];
        reader_document(&keys[i], line, sizeof line);
        if (strstr(text, line) == NULL)
            fail_msg("the map lacks: %s", line);
    }
}

// --- Keys ---

// Compares the values of keys, except of those that have none in `def`.
static void assert_defaults(const struct reader_key *keys, int count, const char *values,
                            const char *defaults, size_t begin, size_t end)
{
    for (int i = 0; i < count; i++) {
        const size_t at = keys[i].offset;
        if (keys[i].size == 0 || at < begin || at >= end)
            continue;
        if (keys[i].keys != NULL) {
            assert_defaults(keys[i].keys->rows, keys[i].keys->count, values + at,
                            defaults + at - begin, 0, SIZE_MAX);
        } else if (memcmp(values + at, defaults + at - begin, keys[i].size) != 0) {
            fail_msg("%s has another default than the match", keys[i].name);
        }
    }
}

TEST(an_arena_has_the_defaults_of_a_match)
{
    const struct raim_match_def def = raim_match_default_def();
    const size_t begin = offsetof(struct config_arena, match);
    int count;
    const struct reader_key *keys = config_keys(CONFIG_ARENA, &count);
    assert_defaults(keys, count, (const char *)arena_of(""), (const char *)&def, begin,
                    begin + sizeof def);
}

// Where a key belongs: into an arena or not, and into a group or not.
struct place {
    bool is_of_arena;
    const char *group;
    size_t offset; // of the group
};

static const char *text_of(const struct reader_key *key, struct place place, const char *value)
{
    static char text[512];
    char row[128];
    if (place.group != NULL)
        snprintf(row, sizeof row, "%s = { %s = %s; };", place.group, key->name, value);
    else
        snprintf(row, sizeof row, "%s = %s;", key->name, value);
    snprintf(text, sizeof text, "arenas = ({ name = \"a\"; map = \"wide.conf\"; %s }); %s",
             place.is_of_arena ? row : "", place.is_of_arena ? "" : row);
    return text;
}

static void assert_reads(const struct reader_key *key, struct place place, double wanted)
{
    char value[32];
    snprintf(value, sizeof value, key->kind == READER_NUMBER ? "%.15g" : "%.0f", wanted);
    if (key->kind == READER_BOOLEAN)
        strcpy(value, wanted > 0 ? "True" : "false");
    struct config *config = config_of(text_of(key, place, value));
    const void *at = place.is_of_arena ? (void *)&config->arenas[0] : (void *)config;
    at = (const char *)at + place.offset + key->offset;
    const double stored = key->kind == READER_BOOLEAN   ? *(const bool *)at
                          : key->size == sizeof(double) ? *(const double *)at
                          : key->size == 2              ? *(const uint16_t *)at
                                                        : *(const uint32_t *)at;
    if (stored != wanted)
        fail_msg("%s: stored %g of %s", key->name, stored, value);
    config_unload(config);
}

static void assert_range(const struct reader_key *key, struct place place)
{
    char reason[128], value[32];
    const char *const kinds[] = {"an integer from", "a number from", "true or false"};
    const double step = key->kind == READER_NUMBER ? 0.01 : 1;
    const char *wrong[] = {"\"1\"", "{}", key->kind == READER_BOOLEAN ? "1" : "true",
                           key->kind == READER_INTEGER ? "1.0" : "( )"};
    snprintf(reason, sizeof reason, ", want %s", kinds[key->kind]);
    for (int i = 0; i < 4; i++)
        assert_rejected_for(text_of(key, place, wrong[i]), i == 1 ? key->name : reason);
    if (key->kind == READER_BOOLEAN) {
        assert_reads(key, place, true);
        assert_reads(key, place, false);
        return;
    }
    assert_reads(key, place, key->min);
    assert_reads(key, place, key->max);
    assert_reads(key, place, key->kind == READER_NUMBER ? (key->min + key->max) / 2 : key->max - 1);
    for (int above = 0; above < 2; above++) {
        snprintf(value, sizeof value, key->kind == READER_NUMBER ? "%.15g" : "%.0f",
                 above ? key->max + step : key->min - step);
        assert_rejected_for(text_of(key, place, value), reason);
    }
}

static void assert_ranges(const struct reader_key *keys, int count, struct place place)
{
    for (int i = 0; i < count; i++) {
        const struct place within = {place.is_of_arena, keys[i].name, keys[i].offset};
        if (keys[i].kind <= READER_BOOLEAN)
            assert_range(&keys[i], place);
        else if (keys[i].kind == READER_GROUP)
            assert_ranges(keys[i].keys->rows, keys[i].keys->count, within);
    }
}

TEST(every_number_and_boolean_is_read_within_its_range)
{
    int count;
    write_text("wide.conf", "border = (0, 0, 2000, 2000); spawns = ((1000, 1000));");
    const struct reader_key *keys = config_keys(CONFIG_ARENA, &count);
    assert_ranges(keys, count, (struct place){.is_of_arena = true});
    keys = config_keys(CONFIG_ROOT, &count);
    assert_ranges(keys, count, (struct place){.is_of_arena = false});
}

#define LONG_64 "65 bytes 65 bytes 65 bytes 65 bytes 65 bytes 65 bytes 65 bytes 65"
#define NO_TAG "want 1 to 15 characters of A-Z"
#define NO_URL ", want a URL of http or https of at most 128 characters"
#define INVISIBLE_120 ", want at most 120 bytes of UTF-8 without anything invisible\n"
#define INVISIBLE_64 ", want at most 64 bytes of UTF-8 without anything invisible\n"

TEST(texts_of_an_arena_are_checked)
{
    static const char *const rows[][2] = {
        {"motd = \"a\\nb\";", INVISIBLE_120},
        {"motd = \"\xe2\x80\x8b\";", INVISIBLE_120},
        {"motd = \" x\";", INVISIBLE_120},
        {"motd = \"\xff\";", INVISIBLE_120},
        {"hostname = \" x\";", INVISIBLE_64},
        {"hostname = \"" LONG_64 "\";", INVISIBLE_64},
        {"region = \"33 bytes, which is one too many..\";", "want at most 32 bytes"},
        {"website = \"example.org\";", NO_URL},
        {"website = \"ftp://a\";", NO_URL},
        {"website = \"https://\";", NO_URL},
        {"website = \"javascript:a\";", NO_URL},
        {"website = \"http://a b\";", NO_URL},
        {"website = \"http://\xc3\xa9\";", NO_URL},
        {"website = \"http://a/<b>\";", NO_URL},
        {"website = \"http://" LONG_64 LONG_64 "\";", NO_URL},
        {"tags = ( 1, 2, 3, 4, 5, 6, 7, 8, 9 );", "want a list of at most 8 words"},
        {"tags = ( \"a,b\" );", NO_TAG},
        {"tags = ( \"0123456789abcdef\" );", NO_TAG},
        {"tags = ( \"\" );", NO_TAG},
        {"tags = ( 1 );", NO_TAG},
        {"tags = \"ffa\";", "want a list of at most 8 words"},
        {"votes = { kinds = \"kick kick\"; };", "votes.kinds: got"},
        {"votes = { kinds = \"kick  map\"; };", "votes.kinds: got"},
        {"votes = { kinds = \" kick\"; };", "votes.kinds: got"},
        {"votes = { kinds = \"kick \"; };", "votes.kinds: got"},
        {"votes = { kinds = \"ban\"; };", "votes.kinds: got"},
        {"votes = { kinds = \"kickkickkickkickkickkick\"; };", "votes.kinds: got"},
        {"recording = \"yes\";", "got \"yes\", want \"all\", \"played\" or \"none\"\n"},
        {"access = \"all\";", "got \"all\", want \"open\" or \"token\"\n"},
        {"access = \"token\";", "got \"token\" without an access_key, want one\n"},
        {"access_key = \"12\";", "want 1 to 4 public keys of 64 hexadecimal digits"},
        {"password = \"swordfish\";", "got something else, want \"\" or a line that raimctl"},
        {"encryption = \"off\"; password = \"raim1$MDEyMzQ1Njc4OWFiY2RlZg$"
         "Ry5hq-gOA2F_tfU-sacL9QCaiuELMemdH61UeqZp0JM\";",
         "got a password without encryption, want encryption \"offered\" or \"required\"\n"},
        {"max_players = 1000; bots = 200;",
         "bots: got 200 beside 1000 max_players, want at most 1024 together\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_arena_rejected_for(rows[i][0], rows[i][1]);
    char motd[160] = "motd = \"";
    memset(motd + 8, 'x', 121);
    strcpy(motd + 8 + 121, "\";");
    assert_arena_rejected_for(motd, INVISIBLE_120);
    strcpy(motd + 8 + 120, "\";");
    assert_int_equal(strlen(arena_of(motd)->match.tuning.motd), 120);
}

TEST(texts_of_an_arena_are_read)
{
#define KEY_OF(digits) digits digits digits digits digits digits digits digits
    const struct config_arena *arena = arena_of(
        "motd = \"Be nice \xc3\xa9\"; votes = { kinds = \"map kick\"; silent = \"no\"; };"
        "hostname = \"Caf\xc3\xa9 \xe2\x9a\x94 of 64 bytes\"; region = \"Z\xc3\xbcrich\";"
        "tags = ( \"ffa\", \"No-Bots\", \"1.0+\" ); website = \"https://example.org/a?b=c#d\";"
        "encryption = \"required\"; access = \"token\"; recording = \"none\";"
        "access_key = \"" KEY_OF("01234567") " " KEY_OF("89abcdef") "\";");
    assert_string_equal(arena->match.tuning.motd, "Be nice \xc3\xa9");
    assert_int_equal(arena->match.tuning.votes.kinds,
                     RAIM_VOTE_BIT(RAIM_VOTE_MAP) | RAIM_VOTE_BIT(RAIM_VOTE_KICK));
    assert_true(arena->match.tuning.votes.silent_is_no);
    assert_string_equal(config_shown_name(arena), "Caf\xc3\xa9 \xe2\x9a\x94 of 64 bytes");
    assert_string_equal(arena->region, "Z\xc3\xbcrich");
    assert_int_equal(arena->tags.count, 3);
    assert_string_equal(arena->tags.words[1], "No-Bots");
    assert_string_equal(arena->website, "https://example.org/a?b=c#d");
    assert_int_equal(arena->encryption, CONFIG_ENCRYPTION_REQUIRED);
    assert_int_equal(arena->recording, CONFIG_RECORDING_NONE);
    assert_true(arena->needs_access);
    assert_int_equal(arena->access_keys.count, 2);
    assert_int_equal(arena->access_keys.keys[0][1], 0x23);
    assert_int_equal(arena->access_keys.keys[1][31], 0xEF);
    arena = arena_of("tags = [ ]; votes = { kinds = \"\"; };");
    assert_string_equal(config_shown_name(arena), "a");
    assert_int_equal(arena->tags.count, 0);
    assert_int_equal(arena->match.tuning.votes.kinds, 0);
    assert_false(arena->needs_access);
}

TEST(texts_beside_arenas_are_read)
{
    static const struct {
        const char *text;
        bool is_on;
        uint16_t port;
        enum log_level level;
    } rows[] = {{"http = { listen = \"off\"; };", false, 0, LOG_LEVEL_INFO},
                {"http = { listen = \"\"; }; log_level = \"error\";", false, 0, LOG_LEVEL_ERROR},
                {"http = { listen = \"127.0.0.1:0\"; };", true, 0, LOG_LEVEL_INFO},
                {"log_level = \"warning\";", true, 7246, LOG_LEVEL_WARNING}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[256];
        snprintf(text, sizeof text, "%s arenas = ({" ARENA "});", rows[i].text);
        const struct config *config = assert_accepted(text);
        assert_int_equal(config->status.is_on, rows[i].is_on);
        assert_int_equal(config->log_level, rows[i].level);
        if (rows[i].is_on)
            assert_int_equal(config->status.port, rows[i].port);
    }
    write_text("token", "0123456789abcdef\nnot this\n");
    assert_int_equal(chmod(path_of("token"), 0600), 0);
    const struct config *config =
        assert_accepted("http = { hosts = ( \"a.example\", \"b-2.example\" ); live_token_file = "
                        "\"token\"; }; recordings = { directory = \"/srv/raimd\"; };"
                        "arenas = ({" ARENA "});");
    assert_int_equal(config->status_guard.host_count, 2);
    assert_string_equal(config->status_guard.hosts[1], "b-2.example");
    assert_string_equal(config->status_guard.token, "0123456789abcdef");
    assert_string_equal(config->recording_dir, "/srv/raimd");
    unlink(path_of("token"));
}

TEST(free_ports_never_conflict_and_addresses_keep_ports_apart)
{
    assert_accepted("arenas = ({" ARENA
                    "port = 0; }, { name = \"b\"; map = \"m.conf\"; port = 0; },"
                    "{ name = \"c\"; map = \"m.conf\"; address = \"127.0.0.1\"; port = 5; },"
                    "{ name = \"d\"; map = \"m.conf\"; address = \"127.0.0.2\"; port = 5; });");
}

TEST(a_shared_configuration_lives_until_the_last_unloads_it)
{
    struct config *config = config_of("arenas = ({" ARENA "});");
    assert_ptr_equal(config_share(config), config);
    config_unload(config);
    assert_string_equal(config->arenas[0].match.map->name, "m"); // a sanitizer would object
    config_unload(config);
}

// --- Anything at all ---

// Mutates a text at one position; its buffer has room for 16 more bytes.
static void mutate(char *text)
{
    static const char *const pieces[] = {
        "(",  ")",  "{",  "}",          "[",   "]",    ";",    ",",  "=",
        "\"", "-",  "0x", "1e9",        ".",   "L",    "@",    "#",  "*",
        "/",  "/*", "\n", "3000000000", "nan", "true", "\xff", "\\", "\n@include \"",
    };
    const size_t size = strlen(text);
    const size_t at = (size_t)chance_int(0, (int)size);
    const char *piece = pieces[chance_int(0, sizeof pieces / sizeof pieces[0] - 1)];
    const size_t cut =
        (size_t)(chance_int(0, 3) == 0 ? chance_int(0, (int)(size - at)) : chance_int(0, 2));
    const size_t from = at + cut < size ? at + cut : size;
    memmove(text + at + strlen(piece), text + from, size - from + 1);
    memcpy(text + at, piece, strlen(piece));
}

// Whether a line of a report is more than a warning.
static bool has_mistakes(const char *report)
{
    for (const char *line = report; *line != '\0'; line = strchr(line, '\n') + 1) {
        const char *warning = strstr(line, ": warning: ");
        if (warning == NULL || warning > strchr(line, '\n'))
            return true;
    }
    return false;
}

TEST(mutated_files_load_or_are_rejected_with_a_reason)
{
    static const char *const names[] = {"raimd.conf", "maps/duel.conf", "maps/crossfire.conf"};
    char *originals[3];
    mkdir(path_of("maps"), 0700);
    for (int i = 0; i < 3; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/config/%s", RAIM_SOURCE_DIR, names[i]);
        originals[i] = read_text(path);
        write_text(names[i], originals[i]);
    }
    int accepted = 0;
    for (int i = 0; i < MUTATIONS; i++) {
        const int which = chance_int(0, 2);
        char *text = calloc(1, strlen(originals[which]) + 256);
        strcpy(text, originals[which]);
        for (int count = chance_int(1, 4); count > 0; count--)
            mutate(text);
        write_text(names[which], text);
        char *report;
        struct config *config = load("raimd.conf", &report);
        assert_int_equal(config == NULL, has_mistakes(report));
        accepted += config != NULL;
        config_unload(config);
        free(report);
        free(text);
        write_text(names[which], originals[which]);
    }
    print_message("%d of %d mutations accepted\n", accepted, MUTATIONS);
    assert_in_range(accepted, 1, MUTATIONS - 1);
    for (int i = 0; i < 3; i++)
        free(originals[i]);
}

TEST_EACH(set_up, NULL)
