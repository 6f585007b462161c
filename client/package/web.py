#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes the page, in which the game runs in a browser: web.py DIRECTORY writes DIRECTORY/page. The sources
of the libraries are fetched once into DIRECTORY/sources. Exits with 77 where they, or clang, lld and
wasi-libc, cannot be had."""

import gzip
import html
import pathlib
import shutil
import sys

from sources import fetch_sources, prepare_sodium, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "client/page"
LIBRARIES = {"enet": "ENet", "jansson": "Jansson", "libsodium": "libsodium", "libzstd": "zstd", "xxhash": "xxHash"}
WASI_LIBC = pathlib.Path("/usr/share/doc/wasi-libc/copyright")
COMPRESSED = {".wasm", ".js", ".html", ".css"}


def licences(packages):
    """The texts that the libraries' licences want to be passed on."""
    parts = {"raim": ROOT / "LICENSE", **{LIBRARIES[name]: path / "LICENSE" for name, path in packages.items()},
             "wasi-libc": WASI_LIBC}
    texts = "".join(f"<h2>{name}</h2>\n<pre>{html.escape(path.read_text(encoding='utf-8'))}</pre>\n"
                    for name, path in parts.items())
    return ("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Licences of raim</title>\n"
            f"<h1>Licences</h1>\n<p>raim in a browser contains these programs.</p>\n{texts}</html>\n")


def compress(path):
    """Writes what a server sends to browsers that accept it."""
    data = path.read_bytes()
    pathlib.Path(f"{path}.gz").write_bytes(gzip.compress(data, 9, mtime=0))
    if shutil.which("brotli"):
        run("brotli", "-f", "-q", "11", "-o", f"{path}.br", path)


def is_current(page, parts):
    """Whether the page was made of these files as they are."""
    made = page / "licences.html"
    return made.is_file() and all(path.stat().st_mtime <= made.stat().st_mtime for path in parts)


def configure_and_build(directory, sources):
    build = directory / "build"
    if not (build / "build.ninja").is_file():
        run("cmake", "-G", "Ninja", "-S", ROOT, "-B", build, "-DCMAKE_BUILD_TYPE=MinSizeRel",
            "-DCMAKE_C_FLAGS_MINSIZEREL=-O2", f"-DCMAKE_C_FLAGS=-ffile-prefix-map={ROOT}=.",
            f"-DRAIM_SOURCES={sources}", "-DRAIM_WERROR=ON",
            f"-DCMAKE_TOOLCHAIN_FILE={ROOT}/client/platform/web/toolchain.cmake")
    run("cmake", "--build", build, "--target", "raim-page")
    return build / "bin/raim.wasm"


def main(directory):
    directory = pathlib.Path(directory).resolve()
    lacking = [tool for tool in ("clang", "wasm-ld", "cmake", "ninja") if shutil.which(tool) is None]
    if lacking or not WASI_LIBC.is_file():
        print("web.py: no page without", *lacking, *([] if WASI_LIBC.is_file() else ["wasi-libc"]), file=sys.stderr)
        return 77
    try:
        packages = fetch_sources(directory / "sources", list(LIBRARIES))
    except SystemExit as problem:
        print(f"web.py: no page without the sources of its libraries: {problem}", file=sys.stderr)
        return 77
    prepare_sodium(packages["libsodium"])
    wasm = configure_and_build(directory, directory / "sources")
    page, fresh = directory / "page", directory / "page.new"
    parts = [wasm, *(path for path in PAGE.iterdir() if path.suffix in COMPRESSED)]
    if not is_current(page, [*parts, ROOT / "LICENSE", pathlib.Path(__file__)]):
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir()
        for path in parts:
            shutil.copy(path, fresh)
        for path in fresh.iterdir():
            path.chmod(0o644)
        (fresh / "licences.html").write_text(licences(packages), encoding="utf-8")
        for path in sorted(fresh.iterdir()):
            if path.suffix in COMPRESSED:
                compress(path)
        # A server may have the folder open.
        page.mkdir(exist_ok=True)
        for path in page.iterdir():
            if not (fresh / path.name).exists():
                path.unlink()
        for path in fresh.iterdir():
            path.replace(page / path.name)
        fresh.rmdir()
    sizes = [sum(path.stat().st_size for path in page.glob(f"*.{kind}")) for kind in ("br", "gz")]
    print(f"web: page={page} brotli_kB={sizes[0] / 1000:.0f} gzip_kB={sizes[1] / 1000:.0f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
