// SPDX-License-Identifier: MIT
// Logs admins in and has their lines executed. Nothing here waits: passwords are verified by a
// thread, commands are answered by arenas, and the answers go to the arena of the player.
#define _GNU_SOURCE
#include "admin_logins.h"

#include "arena_command.h"
#include "commands.h"
#include "crypto.h"
#include "log.h"
#include "mailbox.h"
#include "monotonic.h"
#include "notice.h"
#include "server_key.h"
#include "text_commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TRIES = PASSWORD_THREAD_WAITING,
    CHALLENGES = 16,
    CHALLENGE_MS = 30000,
    CALLS = 16,        // that wait for arenas
    ANSWER_LINES = 12, // of 120 bytes at most
    NONCE_BYTES = RAIM_CHALLENGE_BYTES,
};

static_assert(RAIM_CRYPTO_BASE64URL_BYTES(NONCE_BYTES) <= RAIM_MAX_TEXT_BYTES, "it fits a line");

// The connection of a player.
struct client {
    struct arena *arena; // NULL: free
    raim_player_id player;
    uint32_t epoch;
};

// A login whose password is being verified, or whose challenge is unanswered.
struct
try {
    struct client client;
    uint32_t number;            // of the password
    uint64_t end_ms;            // of the challenge
    uint8_t nonce[NONCE_BYTES]; // of the challenge
    char name[RAIM_MAX_NAME_BYTES + 1];
};

struct pending_call {
    struct admin_logins *logins;
    struct client client;
    struct command_call call;
};

struct admin_logins {
    struct arena_table *table;
    struct commands *commands;
    struct password_thread *passwords;
    struct login_guard guard;
    uint64_t denied; // logins of RCON and of admins, since the start
    struct try tries[TRIES], challenges[CHALLENGES];
    uint32_t next_challenge; // the oldest one makes room
    struct pending_call *pending[CALLS];
    char answer[TEXT_COMMANDS_ANSWER_BYTES];
};

static const struct metric count_rows[] = {
    {NULL, "raimd_logins_denied_total",
     "Failed logins of RCON and admins, including those not checked after too many failures.",
     METRIC_COUNTER, METRIC_OF(struct admin_logins, denied)},
};

const struct metric_table admin_logins_metrics = {METRIC_ROWS(count_rows)};

uint64_t *admin_logins_denied(struct admin_logins *logins)
{
    return &logins->denied;
}

struct admin_logins *admin_logins_create(struct arena_table *table, struct commands *commands,
                                         struct password_thread *passwords)
{
    struct admin_logins *logins = calloc(1, sizeof *logins);
    if (logins == NULL)
        return NULL;
    logins->table = table;
    logins->commands = commands;
    logins->passwords = passwords;
    return logins;
}

static void free_call(struct pending_call **place)
{
    commands_withdraw((*place)->logins->commands, &(*place)->call);
    free((*place)->call.text);
    free(*place);
    *place = NULL;
}

void admin_logins_destroy(struct admin_logins *logins)
{
    if (logins == NULL)
        return;
    for (int i = 0; i < CALLS; i++)
        if (logins->pending[i] != NULL)
            free_call(&logins->pending[i]);
    free(logins);
}

void admin_logins_forget(struct admin_logins *logins, struct arena *arena)
{
    for (int i = 0; i < TRIES; i++)
        if (logins->tries[i].client.arena == arena)
            logins->tries[i] = (struct try){.number = 0};
    for (int i = 0; i < CHALLENGES; i++)
        if (logins->challenges[i].client.arena == arena)
            logins->challenges[i] = (struct try){.number = 0};
    for (int i = 0; i < CALLS; i++)
        if (logins->pending[i] != NULL && logins->pending[i]->client.arena == arena)
            free_call(&logins->pending[i]);
}

// --- Answers ---

// Posts a command for a player's connection; where the mailbox is full it is lost.
static void post(const struct client *client, enum command_kind kind, uint8_t level,
                 const char *text)
{
    struct command *command = mailbox_reserve(arena_mailbox(client->arena));
    if (command == NULL)
        return;
    *command = (struct command){
        .kind = kind, .player = client->player, .epoch = client->epoch, .level = level};
    snprintf(command->text, sizeof command->text, "%s", text);
    mailbox_submit(arena_mailbox(client->arena));
}

static void send_line(const struct client *client, const char *text)
{
    post(client, COMMAND_NOTICE, 0, text);
}

// The part of a text that a line holds, whole characters, and up to the next line feed.
static size_t line_of(const char *text)
{
    size_t length = strcspn(text, "\n");
    if (length <= RAIM_MAX_TEXT_BYTES)
        return length;
    length = RAIM_MAX_TEXT_BYTES;
    while (length > 1 && ((unsigned char)text[length] & 0xC0) == 0x80)
        length--;
    return length;
}

// Sends an answer of lines that end in a line feed; several short ones share a line.
static void send_answer(const struct client *client, const char *answer)
{
    char line[RAIM_MAX_TEXT_BYTES + 1] = "";
    int sent = 0;
    while (answer[0] != '\0' && sent < ANSWER_LINES) {
        const size_t length = line_of(answer), used = strlen(line);
        if (used > 0 && used + 3 + length > RAIM_MAX_TEXT_BYTES) {
            send_line(client, line);
            line[0] = '\0';
            sent++;
            continue;
        }
        snprintf(line + used, sizeof line - used, "%s%.*s", used > 0 ? " | " : "", (int)length,
                 answer);
        answer += length + (answer[length] == '\n');
    }
    if (line[0] != '\0')
        send_line(client, line);
    if (answer[0] != '\0')
        send_line(client, "... and more: raimctl shows all of it");
}

// --- Logins ---

static const struct config_admin *find_admin(const struct admin_logins *logins, const char *name)
{
    const struct config *config = logins->table->config;
    for (int i = 0; i < config->admin_count; i++)
        if (strcmp(config->admins[i].name, name) == 0)
            return &config->admins[i];
    return NULL;
}

// The keys under which failures count: of the connection, and of its address.
static uint64_t client_key(const struct client *client)
{
    return UINT64_C(1) << 63 | (uint64_t)client->player << 32 | client->epoch;
}

static uint64_t address_key(const struct client *client)
{
    const struct arena_status *status = arena_status(client->arena);
    for (uint32_t i = 0; i < status->player_count; i++)
        if (status->players[i].match.id == client->player)
            return ip_address_host(status->players[i].address);
    return client_key(client);
}

static bool is_blocked(const struct admin_logins *logins, const struct client *client)
{
    const uint64_t now_ms = monotonic_ms();
    return login_guard_failures(&logins->guard, client_key(client), now_ms) >=
               LOGIN_GUARD_OF_CLIENT ||
           login_guard_failures(&logins->guard, address_key(client), now_ms) >=
               LOGIN_GUARD_OF_ADDRESS;
}

static void deny(struct admin_logins *logins, const struct client *client, const char *why)
{
    logins->denied++;
    send_line(client, why);
}

static void fail(struct admin_logins *logins, const struct try *failed)
{
    const uint64_t now_ms = monotonic_ms();
    const struct client *client = &failed->client;
    login_guard_fail(&logins->guard, client_key(client), now_ms);
    login_guard_fail(&logins->guard, address_key(client), now_ms);
    const char *arena = arena_config(client->arena)->name;
    log_arena_warning(arena, "admin rejected arena=%s player=%u%s", arena, client->player,
                      is_blocked(logins, client) ? " for 5 minutes" : "");
    deny(logins, client, "wrong name, password or key");
}

static void succeed(struct admin_logins *logins, const struct try *made)
{
    char line[RAIM_MAX_TEXT_BYTES + 1], player[16], fields[64];
    const struct client *client = &made->client;
    const struct config_admin *admin = find_admin(logins, made->name); // a reload may have come
    if (admin == NULL) {
        fail(logins, made);
        return;
    }
    post(client, COMMAND_ADMIN, admin->level, admin->name);
    snprintf(line, sizeof line,
             "you are logged in as %s, level %s; /admin help lists your commands", admin->name,
             config_admin_level_name(admin->level));
    send_line(client, line);
    snprintf(player, sizeof player, "%u", client->player);
    snprintf(fields, sizeof fields, " arena=%s player=%s", arena_config(client->arena)->name,
             player);
    command_log_write(logins->table->events, &(struct command_note){
                                                 .by = admin->name,
                                                 .via = "game",
                                                 .command = "login",
                                                 .arena = arena_config(client->arena)->name,
                                                 .player = player,
                                                 .fields = fields,
                                             });
}

static void take_password(void *context, uint32_t number, bool is_right)
{
    struct admin_logins *logins = context;
    for (int i = 0; i < TRIES; i++) {
        if (logins->tries[i].client.arena == NULL || logins->tries[i].number != number)
            continue;
        const struct try ended = logins->tries[i];
        logins->tries[i] = (struct try){.number = 0};
        if (is_right)
            succeed(logins, &ended);
        else
            fail(logins, &ended);
        return;
    }
}

static void begin_password(struct admin_logins *logins, const struct client *client,
                           const char *name, const char *plain)
{
    const struct config_admin *admin = find_admin(logins, name);
    struct try *place = NULL;
    for (int i = 0; i < TRIES; i++) {
        const struct client *other = &logins->tries[i].client;
        if (other->arena == client->arena && other->player == client->player) {
            deny(logins, client, "your previous password is still being verified");
            return;
        }
        if (other->arena == NULL)
            place = &logins->tries[i];
    }
    const uint32_t number = place == NULL
                                ? 0
                                : password_thread_check(logins->passwords,
                                                        admin != NULL && admin->password.is_set
                                                            ? &admin->password.password
                                                            : NULL,
                                                        plain, take_password, logins);
    if (number == 0) {
        deny(logins, client, "too many passwords are being verified: try again");
        return;
    }
    *place = (struct try){.client = *client, .number = number};
    snprintf(place->name, sizeof place->name, "%s", name);
}

// Everybody gets a challenge, so that it does not show which names have a key.
// The challenge that a client has to answer, or NULL.
static struct try *find_challenge(struct admin_logins *logins, const struct client *client)
{
    for (int i = 0; i < CHALLENGES; i++) {
        const struct client *other = &logins->challenges[i].client;
        if (other->arena == client->arena && other->player == client->player &&
            other->epoch == client->epoch)
            return &logins->challenges[i];
    }
    return NULL;
}

// Replaces the client's earlier challenge.
static void begin_challenge(struct admin_logins *logins, const struct client *client,
                            const char *name)
{
    char text[RAIM_CRYPTO_BASE64URL_BYTES(NONCE_BYTES)];
    struct try *challenge = find_challenge(logins, client);
    if (challenge == NULL)
        challenge = &logins->challenges[logins->next_challenge++ % CHALLENGES];
    *challenge = (struct try){.client = *client, .end_ms = monotonic_ms() + CHALLENGE_MS};
    raim_crypto_random(challenge->nonce, NONCE_BYTES);
    snprintf(challenge->name, sizeof challenge->name, "%s", name);
    raim_crypto_encode_base64url(challenge->nonce, NONCE_BYTES, text);
    post(client, COMMAND_CHALLENGE, 0, text);
}

// Whether a signature answers a challenge; see NOTICE in PROTOCOL.md.
static bool is_signed(const struct admin_logins *logins, const struct try *challenge,
                      const char *text)
{
    uint8_t secret[RAIM_KEY_BYTES], signature[RAIM_CRYPTO_SIGNATURE_BYTES];
    uint8_t statement[RAIM_STATEMENT_BYTES], key[RAIM_KEY_BYTES];
    char error[256];
    const struct config_admin *admin = find_admin(logins, challenge->name);
    if (admin == NULL || !admin->key.is_set || monotonic_ms() > challenge->end_ms ||
        raim_crypto_decode_base64url(text, signature, sizeof signature) != sizeof signature ||
        !server_key_get(secret, error, sizeof error))
        return false;
    raim_crypto_derive_public_key(secret, key);
    raim_crypto_wipe(secret, sizeof secret);
    raim_notice_statement(key, challenge->nonce, statement);
    return raim_crypto_verify_signature(statement, sizeof statement, signature, admin->key.bytes);
}

static void take_signature(struct admin_logins *logins, const struct client *client,
                           const char *text)
{
    struct try *challenge = find_challenge(logins, client);
    if (challenge == NULL) {
        deny(logins, client, "there is no challenge to sign: /admin login NAME asks for one");
        return;
    }
    const struct try ended = *challenge;
    *challenge = (struct try){.number = 0};
    if (is_signed(logins, &ended, text))
        succeed(logins, &ended);
    else
        fail(logins, &ended);
}

static void take_login(struct admin_logins *logins, const struct client *client, const char *words)
{
    char name[RAIM_MAX_NAME_BYTES + 1];
    const size_t length = strcspn(words, " ");
    const char *plain = words + length + strspn(words + length, " ");
    snprintf(name, sizeof name, "%.*s", length < sizeof name ? (int)length : 0, words);
    if (logins->table->config->admin_count == 0)
        send_line(client, "this server has no admins");
    else if (is_blocked(logins, client))
        deny(logins, client, "too many wrong logins: wait 5 minutes");
    else if (plain[0] != '\0')
        begin_password(logins, client, name, plain);
    else
        begin_challenge(logins, client, name);
}

// --- Orders ---

static void finish_call(struct command_call *call)
{
    struct pending_call *pending =
        (struct pending_call *)((char *)call - offsetof(struct pending_call, call));
    struct admin_logins *logins = pending->logins;
    text_commands_answer(call, logins->answer);
    send_answer(&pending->client, logins->answer);
    for (int i = 0; i < CALLS; i++)
        if (logins->pending[i] == pending)
            free_call(&logins->pending[i]);
}

static void take_command(struct admin_logins *logins, const struct client *client,
                         const struct config_admin *admin, const char *text)
{
    const struct text_commands_source source = {.by = admin->name,
                                                .via = "game",
                                                .level = admin->level,
                                                .arena = arena_config(client->arena)->name};
    struct pending_call **place = NULL;
    for (int i = 0; i < CALLS; i++)
        if (logins->pending[i] == NULL)
            place = &logins->pending[i];
    if (place == NULL || (*place = calloc(1, sizeof **place)) == NULL) {
        send_line(client, "too many pending commands: try again");
        return;
    }
    (*place)->logins = logins;
    (*place)->client = *client;
    if (!text_commands_read(&logins->table->running, &source, text, &(*place)->call,
                            logins->answer)) {
        free_call(place);
        send_answer(client, logins->answer);
        return;
    }
    (*place)->call.done = finish_call;
    commands_execute(logins->commands, &(*place)->call);
}

// --- Lines ---

// The words after the first one, if the line begins with it; NULL: it does not.
static const char *words_behind(const char *line, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(line, word, length) != 0 || (line[length] != ' ' && line[length] != '\0'))
        return NULL;
    return line + length + strspn(line + length, " ");
}

void admin_logins_take_line(struct admin_logins *logins, struct arena *arena,
                            const struct arena_event *item)
{
    const struct client client = {.arena = arena, .player = item->player, .epoch = item->epoch};
    const char *words;
    // A password that was sent in plain text is not verified: it would tell a listener that it is
    // right.
    if (!item->is_encrypted)
        send_line(&client, "admins log in and give commands only over an encrypted connection");
    else if ((words = words_behind(item->text, "login")) != NULL)
        take_login(logins, &client, words);
    else if ((words = words_behind(item->text, "sign")) != NULL)
        take_signature(logins, &client, words);
    else if (item->admin_level == 0)
        send_line(&client,
                  "log in first: /admin login NAME PASSWORD, or /admin login NAME with a key");
    else if (words_behind(item->text, "logout") != NULL ||
             find_admin(logins, item->other_name) == NULL) {
        post(&client, COMMAND_ADMIN, 0, "");
        send_line(&client, "you are logged out");
    } else
        take_command(logins, &client, find_admin(logins, item->other_name), item->text);
}

uint32_t login_guard_failures(const struct login_guard *guard, uint64_t key, uint64_t now_ms)
{
    for (int i = 0; i < LOGIN_GUARD_ENTRIES; i++) {
        const struct login_guard_entry *entry = &guard->entries[i];
        if (entry->failed_ms != 0 && entry->key == key &&
            now_ms - entry->failed_ms < LOGIN_GUARD_MS)
            return entry->failures;
    }
    return 0;
}

uint32_t login_guard_fail(struct login_guard *guard, uint64_t key, uint64_t now_ms)
{
    const uint32_t failures = login_guard_failures(guard, key, now_ms) + 1;
    struct login_guard_entry *chosen = &guard->entries[0];
    for (int i = 0; i < LOGIN_GUARD_ENTRIES; i++) {
        struct login_guard_entry *entry = &guard->entries[i];
        if (entry->failed_ms != 0 && entry->key == key) {
            chosen = entry;
            break;
        }
        if (entry->failed_ms < chosen->failed_ms)
            chosen = entry;
    }
    *chosen = (struct login_guard_entry){.key = key, .failures = failures, .failed_ms = now_ms};
    return failures;
}
