// SPDX-License-Identifier: MIT
// A library preloaded into a program, which then finds no instructions for AES in the processor.
int crypto_aead_aes256gcm_is_available(void);

int crypto_aead_aes256gcm_is_available(void)
{
    return 0;
}
