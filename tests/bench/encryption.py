#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What does encryption cost, a datagram and a handshake? Writes every figure to
build/bench/encryption.csv."""

import cases


def main():
    ns = cases.run("encryption", "ns", __doc__)
    print("bench encryption " + " ".join(
        f"{word}_{what}_{size}_ns={ns[f'server {what}, {cipher}: {size}']:.0f}"
        for word, cipher in (("chacha", "ChaCha20-Poly1305"), ("aes", "AES-256-GCM"))
        for size in (100, 1200) for what in ("opens", "encrypts")
        if f"server {what}, {cipher}: {size}" in ns)
        + f" begin_us={ns['a session begins: 0'] / 1000:.0f}"
        f" again_ns={ns['its INIT again: 0']:.0f}")


if __name__ == "__main__":
    main()
