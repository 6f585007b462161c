// SPDX-License-Identifier: MIT
// Every field of commands, a row each, in the order of words in a line and on raimctl's command
// line.
//
// FIELD(name, json, type, min, max, choices, word, option, wrong, help)
//     `json` is the name of the member in JSON, with values of `type` from `min` to `max`, bytes
//     for a STRING, or one of `choices` with "|" between them. In a synopsis `word` stands for a
//     value. `option` is that of raimctl without "--"; NULL: a word. `wrong` is the problem of
//     another value.

FIELD(ARENA, "arena", STRING, 0, 0, NULL, "ARENA", NULL, NULL, "name of an arena")
FIELD(ID, "id", STRING, 0, 0, NULL, "ID", NULL, NULL, "your own id of an arena on demand")
FIELD(PLAYER, "player", INTEGER, 1, UINT16_MAX, NULL, "PLAYER", NULL,
      "want a player's id, the number in the list of players",
      "id of a player, the number in the list of players")
FIELD(ADDRESS, "address", STRING, 0, 0, NULL, "ADDRESS[/PREFIX]", NULL, NULL,
      "address, or network in CIDR notation")
FIELD(MAP, "map", STRING, 0, 0, NULL, "FILE", NULL, NULL, "map file, as in the configuration")
FIELD(LEVEL, "level", CHOICE, 0, 0, "error|warning|info", "error|warning|info", NULL,
      "want the level error, warning or info", "lowest severity that is logged")
FIELD(RECORDING, "recording", STRING, 0, 0, NULL, "NAME", NULL, NULL, "name of a recording")
FIELD(CLIP_SECONDS, "seconds", INTEGER, 1, 600, NULL, "SECONDS", NULL, "want 1 to 600 seconds",
      "length in seconds")
FIELD(SECONDS, "seconds", INTEGER, 1, 1000000000, NULL, "TIME", NULL,
      "want 1 to 1000000000 seconds", "duration in seconds; without it there is no end")
FIELD(UNTIL, "until_s", INTEGER, 1, 253402300799, NULL, "DATE", NULL,
      "want 1 to 253402300799 seconds since 1970",
      "end in seconds since 1970, in place of a duration")
FIELD(TEXT, "text", STRING, 1, 120, NULL, "TEXT", NULL,
      "want 1 to 120 bytes of UTF-8 with a visible character", "what to say")
FIELD(REASON, "reason", STRING, 1, 120, NULL, "REASON", NULL,
      "want 1 to 120 bytes of UTF-8 with a visible character", "reason that players are shown")
FIELD(TIMEOUT, "timeout_s", INTEGER, 1, 1000000000, NULL, "SECONDS", "timeout",
      "want 1 to 1000000000 seconds", "seconds after which the remaining clients are disconnected")
FIELD(WIDE, "wide", BOOLEAN, 0, 0, NULL, NULL, "wide", NULL,
      "permit a network that is wider than /8 (IPv6: /16) or has your address")
FIELD(FROM, "from", STRING, 0, 0, NULL, "ADDRESS", "from", NULL,
      "your own address, which a ban rejects only with wide")
FIELD(TEMPLATE, "template", STRING, 0, 0, NULL, "NAME", "template", NULL,
      "template of the configuration")
FIELD(PLAYERS, "players", LIST, 0, 0, NULL, "NAME,...", "players", NULL,
      "names in access tokens for whom slots are reserved")
FIELD(ENDS, "ends", CHOICE, 0, 0, "empty|round|never", "empty|round|never", "ends",
      "want empty, round or never",
      "when the arena ends: empty (the default), when all have left; round, also with the first "
      "round that a client has played; never, by a command")
FIELD(MAP_NAME, "map", STRING, 0, 0, NULL, "MAP", "map", NULL, "one of the template's maps")
FIELD(RULES, "rules", NUMBERS, 0, 0, NULL, "NAME=NUMBER", "rule", NULL,
      "rules that differ from the template's")
FIELD(MAX_PLAYERS, "max_players", INTEGER, 1, UINT16_MAX, NULL, "N", "max-players",
      "want a number of players", "number of players, at most the template's")
FIELD(JOIN_WITHIN, "join_within_s", INTEGER, 1, 3600, NULL, "SECONDS", "join-within",
      "want 1 to 3600 seconds",
      "seconds after which the arena ends if nobody has joined, 60 by default")
FIELD(METADATA, "metadata", TEXTS, 0, 0, NULL, "NAME=VALUE", "metadata", NULL,
      "texts that raimd stores and returns")
FIELD(DRAIN, "drain", BOOLEAN, 0, 0, NULL, NULL, "drain", NULL,
      "admit no new clients, and end when all have left")
FIELD(WITHIN, "within_s", INTEGER, 1, 86400, NULL, "SECONDS", "within", "want 1 to 86400 seconds",
      "with drain: the maximum wait in seconds")
