// SPDX-License-Identifier: MIT
// Tests of Accept-Encoding and of what is compressed.
#include "http_document.h"
#include "test.h"

TEST(accept_encoding_is_read_as_the_rfc_says)
{
    static const char *const accepted[] = {
        "gzip",        "GZIP",   "deflate, gzip", "br;q=1.0, gzip;q=0.8", "gzip;q=0.001", "*",
        "br, *;q=0.1", " gzip ", ",,gzip",        "gzip ; q=1",           "gzip;a=q=0"};
    static const char *const rejected[] = {"",          "identity", "gzipped",
                                           "x-gzip-2",  "gzip;q=0", "gzip;q=0.000",
                                           "gzip; q=0", "*;q=0",    "*, gzip;q=0",
                                           "deflate",   "br;q=1",   ";",
                                           ",",         ";q=0,",    "identity;q=1, *;q=0"};
    assert_false(gzip_is_accepted(NULL));
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++)
        if (!gzip_is_accepted(accepted[i]))
            fail_msg("rejected \"%s\"", accepted[i]);
    for (size_t i = 0; i < sizeof rejected / sizeof *rejected; i++)
        if (gzip_is_accepted(rejected[i]))
            fail_msg("accepted \"%s\"", rejected[i]);
}

TEST(text_becomes_shorter_and_keeps_its_length)
{
    static char text[100000];
    size_t packed_bytes;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = "raimd_players "[i % 14];
    char *packed = gzip_text(text, sizeof text, &packed_bytes);
    const uint8_t *bytes = (const uint8_t *)packed;
    assert_non_null(packed);
    assert_true(packed_bytes < 2000);
    assert_int_equal(bytes[0], 0x1F); // RFC 1952, 2.3: magic, deflate, at the end the length
    assert_int_equal(bytes[1], 0x8B);
    assert_int_equal(bytes[2], 8);
    assert_int_equal(bytes[packed_bytes - 4] | bytes[packed_bytes - 3] << 8 |
                         bytes[packed_bytes - 2] << 16,
                     sizeof text);
    free(packed);
    for (size_t i = 0; i < sizeof text; i++) // what cannot be compressed fits, too
        text[i] = (char)((i * 2654435761U) >> 13);
    packed = gzip_text(text, sizeof text, &packed_bytes);
    assert_non_null(packed);
    assert_true(packed_bytes > 1000);
    free(packed);
}
