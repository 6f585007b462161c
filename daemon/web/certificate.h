// SPDX-License-Identifier: MIT
// Certificates of the gateway: the operator's files, which are read again when they change, or
// self-made ones, which a page knows by their hashes. Browsers accept those if they are of ECDSA
// P-256 and valid for at most 14 days (WebTransport, serverCertificateHashes). They are valid for
// ten and replaced after eight, and the next one is announced four days before: a page that has
// asked for the hashes stays good for four days. Main thread only.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CERTIFICATE_HASH_BYTES = 48 }; // base64 of a SHA-256, with the closing NUL

// One certificate with its key, shared by the connections that began with it.
struct certificate {
    struct gnutls_certificate_credentials_st *credentials;
    unsigned references;
    char *chain, *key; // PEM
    int64_t expires_s; // since 1970
    char hash[CERTIFICATE_HASH_BYTES];
};

struct certificates;

struct certificates_def {
    const char *chain, *key; // paths of PEM files, borrowed; "": self-made
    const char *state;       // directory that keeps self-made ones, borrowed; NULL: none does
};

// Returns NULL with a reason in `problem`.
struct certificates *certificates_open(const struct certificates_def *def, int64_t now_s,
                                       char *problem, size_t capacity);

// Connections keep theirs. Takes NULL.
void certificates_close(struct certificates *certificates);

// Reads changed files again, or renews self-made certificates, if it is time. Returns whether the
// certificate of new connections is another one now. The reason for which it could not be, or ""
// is written to `problem`: the old one stays, and is tried again when a file changes.
bool certificates_update(struct certificates *certificates, int64_t now_s, char *problem,
                         size_t capacity);

// The certificate of new connections.
struct certificate *certificates_current(const struct certificates *certificates);

// The hashes of self-made certificates, of the current and of the next one; none of files.
int certificates_hashes(const struct certificates *certificates, const char *hashes[2]);

// Add and end a reference. Releasing takes NULL.
struct certificate *certificate_keep(struct certificate *certificate);
void certificate_release(struct certificate *certificate);
