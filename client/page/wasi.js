// SPDX-License-Identifier: MIT
// The few functions of WASI that wasi-libc calls: clocks, random numbers, and lines to the console.
const OK = 0, BADF = 8;

// `memory` returns the game's memory, `write` takes a line.
export function wasi(memory, write) {
    let line = "";
    const bytes = (at, size) => new Uint8Array(memory().buffer, at, size);
    const view = () => new DataView(memory().buffer);
    return {
        clock_time_get: (clock, precision, at) => {
            const ms = clock === 0 ? Date.now() : performance.now();
            view().setBigUint64(at, BigInt(Math.round(ms * 1000)) * 1000n, true);
            return OK;
        },
        random_get: (at, size) => {
            crypto.getRandomValues(bytes(at, size));
            return OK;
        },
        fd_write: (file, vectors, count, out) => {
            let sum = 0;
            for (let i = 0; i < count; i++) {
                const size = view().getUint32(vectors + 8 * i + 4, true);
                line += new TextDecoder().decode(bytes(view().getUint32(vectors + 8 * i, true), size).slice());
                sum += size;
            }
            const lines = line.split("\n");
            line = lines.pop();
            lines.forEach(write);
            view().setUint32(out, sum, true);
            return OK;
        },
        fd_close: () => OK,
        fd_fdstat_get: () => BADF,
        fd_prestat_get: () => BADF, // there are no files
        fd_prestat_dir_name: () => BADF,
        fd_read: () => BADF,
        fd_seek: () => BADF,
        path_open: () => BADF,
        fd_fdstat_set_flags: () => BADF,
        environ_get: () => OK,
        environ_sizes_get: (count, size) => {
            view().setUint32(count, 0, true);
            view().setUint32(size, 0, true);
            return OK;
        },
        proc_exit: status => { throw new Error(`the game has ended with status ${status}`); },
    };
}
