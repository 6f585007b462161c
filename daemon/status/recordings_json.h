// SPDX-License-Identifier: MIT
// JSON document of `GET /recordings`, see recordings.schema.json. Main thread only.
#pragma once

#include "recordings.h"

#define RECORDINGS_PAGE 50 // entries of a document

// A page of the list, the newest first: the first one, or the one behind the recording named
// `before`. Where nothing is recorded (`recordings` NULL) it is empty. The caller frees the text;
// NULL when memory runs out.
char *recordings_json(struct recordings *recordings, const char *before);
