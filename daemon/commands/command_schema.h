// SPDX-License-Identifier: MIT
// The table of commands as JSON: for clients that offer commands, and for openapi.json. Any thread.
#pragma once

// {"commands": [{"name", "scope", "level", "method", "path", "help", "fields"}]}, where `fields` is
// the JSON schema of the body and `level` is null where the command is none of text. The caller
// frees it. Returns NULL when memory runs out.
char *command_list_json(void);

// The object "paths" of an OpenAPI document that describes every command; as above.
char *command_paths_json(void);
