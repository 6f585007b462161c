// SPDX-License-Identifier: MIT
// Every command, a row each: what raimd executes over HTTP (/v1), by RCON and for admins in the
// game, what raimctl and the dashboard offer, and what openapi.json and raimctl(1) describe. A new
// command is a row here, its function (daemon/admin/command_NOUN.c) and a test.
//
// COMMAND(name, scope, level, needs, takes, function, failure, help)
//     POST /v1/commands/NAME, with "-" for the spaces of the name. `needs` and `takes` are fields
//     of command_fields.h. Admins below `level` may not; NOBODY: it is no command of text.
//     `failure` is the problem where no arena has done it.
// REQUEST(name, scope, method, path, needs, takes, function, answer, help)
//     Another method and path of HTTP. `answer` is the schema of its document in openapi.json. A
//     scope of MATCHMAKER is open on a loopback address without a token, too.

COMMAND("say", ARENA, HELP, TEXT, ARENA, command_say, "the event queue is full",
        "Send a message to all players, or to those of one arena")
COMMAND("kick", PLAYER, MODERATE, ARENA | PLAYER, REASON, command_kick, no_player,
        "Disconnect a player and show the reason")
COMMAND("mute", PLAYER, HELP, ARENA | PLAYER, 0, command_mute, no_player,
        "Reject the chat messages of a player until the session ends or an unmute")
COMMAND("unmute", PLAYER, HELP, ARENA | PLAYER, 0, command_unmute, no_player,
        "Accept the chat messages of a player again")
COMMAND("ban", PLAYER, MODERATE, 0,
        ARENA | PLAYER | ADDRESS | SECONDS | UNTIL | REASON | WIDE | FROM, command_ban, NULL,
        "Reject clients of an address, a network or a player's address, and disconnect them")
COMMAND("ban preview", PLAYER, NOBODY, 0,
        ARENA | PLAYER | ADDRESS | SECONDS | UNTIL | REASON | WIDE | FROM, command_ban_preview,
        NULL, "Show the network that a ban would reject and the players whom it would disconnect")
COMMAND("unban", SERVER, MODERATE, ADDRESS, 0, command_unban, "no such ban", "Lift a ban")
COMMAND("arena add", SERVER, OPERATE, ARENA, 0, command_arena_add,
        "the arena could not be added, see the log", "Start an arena of the configuration")
COMMAND("arena remove", SERVER, OPERATE, ARENA, 0, command_arena_remove, NULL,
        "End a configured arena and disconnect its clients, who see a message")
COMMAND("arena pause", ARENA, MODERATE, ARENA, 0, command_arena_pause, NULL,
        "Pause an arena: players cannot move, and the round clock stops")
COMMAND("arena resume", ARENA, MODERATE, ARENA, 0, command_arena_resume, NULL,
        "Resume a paused arena")
COMMAND("arena map", ARENA, MODERATE, ARENA | MAP, 0, command_arena_map, NULL,
        "Start a new round on another map at once")
COMMAND("arena clip", ARENA, NOBODY, ARENA, CLIP_SECONDS, command_arena_clip, NULL,
        "Save the last seconds (30) of an arena that records as a recording")
COMMAND("vote cancel", ARENA, MODERATE, ARENA, 0, command_vote_cancel, no_vote,
        "End the running vote without a result")
COMMAND("vote pass", ARENA, MODERATE, ARENA, 0, command_vote_pass, no_vote,
        "Decide the running vote: it passes")
COMMAND("vote fail", ARENA, MODERATE, ARENA, 0, command_vote_fail, no_vote,
        "Decide the running vote: it fails")
COMMAND("recording delete", SERVER, NOBODY, RECORDING, 0, command_recording_delete, NULL,
        "Delete a recording")
COMMAND("recording keep", SERVER, NOBODY, RECORDING, 0, command_recording_keep, NULL,
        "Exempt a recording from the limits that delete old ones")
COMMAND("recording unkeep", SERVER, NOBODY, RECORDING, 0, command_recording_unkeep, NULL,
        "Let the limits delete a recording again")
COMMAND("reload", SERVER, OPERATE, 0, 0, command_reload, NULL,
        "Reload the configuration; prints the applied changes and those that need a restart")
COMMAND("log level", SERVER, OPERATE, LEVEL, 0, command_log_level, NULL,
        "Set the lowest severity that is logged, until the next reload or restart")
COMMAND("drain", SERVER, OPERATE, 0, TIMEOUT, command_drain, NULL,
        "Admit no new clients; raimd ends when all have left or the time is up")

REQUEST("status", SERVER, "GET", "/v1/status", 0, 0, command_status, "Document",
        "Show an overview of the arenas")
REQUEST("players", SERVER, "GET", "/v1/players", 0, 0, command_players, "Document",
        "Show the players with their ids and addresses")
REQUEST("bans", SERVER, "GET", "/v1/bans", 0, 0, command_bans, "Document",
        "Show the bans with their givers and ends")
REQUEST("maps", SERVER, "GET", "/v1/maps", 0, 0, command_maps, "Document",
        "Show the map files of the configuration")
REQUEST("commands", SERVER, "GET", "/v1/commands", 0, 0, command_commands, "Commands",
        "Show the commands with their fields")
REQUEST("arena list", MATCHMAKER, "GET", "/v1/arenas", 0, 0, command_arena_list, "Arenas",
        "Show the running arenas on demand")
REQUEST("arena show", MATCHMAKER, "GET", "/v1/arenas/{id}", ID, 0, command_arena_show, "Arena",
        "Show an arena on demand, even if it has ended")
REQUEST("arena create", MATCHMAKER, "PUT", "/v1/arenas/{id}", ID | TEMPLATE,
        PLAYERS | ENDS | MAP_NAME | RULES | MAX_PLAYERS | JOIN_WITHIN | METADATA,
        command_arena_create, "Arena",
        "Create an arena from a template; repeating the request changes nothing")
REQUEST("arena change", MATCHMAKER, "PATCH", "/v1/arenas/{id}", ID, MAX_PLAYERS | METADATA,
        command_arena_change, "Arena", "Change the player limit or the metadata")
REQUEST("arena end", MATCHMAKER, "DELETE", "/v1/arenas/{id}", ID, DRAIN | WITHIN | REASON,
        command_arena_end, "Arena", "End an arena on demand, at once or when all have left")
REQUEST("arena templates", MATCHMAKER, "GET", "/v1/templates", 0, 0, command_arena_templates,
        "Templates", "Show the templates of arenas")
REQUEST("arena capacity", MATCHMAKER, "GET", "/v1/capacity", 0, 0, command_arena_capacity,
        "Capacity", "Show how many more arenas can be created")
