# SPDX-License-Identifier: MIT
"""The page that tells a library preloaded into a daemon what shall fail, see page.h."""

import mmap
import struct

from row import Trial, harness

(CLOCK_STEP, SEND_ERRNO, CLOCKS_STEPPED, SENDS_REJECTED, ALLOCATIONS, FAILING, INTRUSION, INTRUDED,
 INTRUSION_ERRNO, DEADLY_PORT, BOOT_STEP) = range(11)


class Page:
    """One page for one library, fault_shim, fault_memory or fault_intruder."""

    def __init__(self, stage, library):
        path = stage.directory / f"page-{library}"
        path.write_bytes(bytes(4096))
        self._file = open(path, "r+b")
        self._map = mmap.mmap(self._file.fileno(), 4096)
        self.env = {"FAULT_PAGE": str(path), "LD_PRELOAD": str(harness.BIN / f"{library}.so")}
        if Trial.is_sanitized():
            self.env["ASAN_OPTIONS"] = "verify_asan_link_order=0"

    def __getitem__(self, place):
        return struct.unpack_from("q", self._map, 8 * place)[0]

    def __setitem__(self, place, number):
        struct.pack_into("q", self._map, 8 * place, number)

    def close(self):
        self._map.close()
        self._file.close()
