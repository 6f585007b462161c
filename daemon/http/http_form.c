// SPDX-License-Identifier: MIT
// Parses forms with libmicrohttpd's post processor.
#include "http_form.h"

#include <microhttpd.h>

#include <stdlib.h>

#define WORK_BYTES 1024 // buffer of the post processor

struct http_form {
    struct MHD_PostProcessor *processor; // NULL: the headers announce another type
    http_form_take *take;
    void *context;
};

static enum MHD_Result take_field(void *context, enum MHD_ValueKind kind, const char *name,
                                  const char *file, const char *type, const char *encoding,
                                  const char *piece, uint64_t offset, size_t size)
{
    (void)kind, (void)file, (void)type, (void)encoding;
    const struct http_form *form = context;
    form->take(form->context, name, piece, offset, size);
    return MHD_YES;
}

struct http_form *http_form_create(struct MHD_Connection *connection, http_form_take *take,
                                   void *context)
{
    struct http_form *form = calloc(1, sizeof *form);
    if (form == NULL)
        return NULL;
    form->take = take;
    form->context = context;
    form->processor = MHD_create_post_processor(connection, WORK_BYTES, take_field, form);
    return form;
}

bool http_form_read(struct http_form *form, const char *piece, size_t size)
{
    return form->processor != NULL && MHD_post_process(form->processor, piece, size) == MHD_YES;
}

void http_form_destroy(struct http_form *form)
{
    if (form != NULL && form->processor != NULL)
        MHD_destroy_post_processor(form->processor);
    free(form);
}
