#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes libraimclient for Windows, x86-64: windows.py DIRECTORY writes raimclient-VERSION.zip there,
with a DLL, its import library and .def, the headers, squad.c and all licences. ENet, libsodium and
xxHash come from Debian's source packages and are inside of the DLL; mingw-w64 compiles."""

import concurrent.futures
import os
import pathlib
import re
import shutil
import sys
import zipfile

from sources import OF_WINDOWS, fetch_sources, prepare_sodium, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOST = "x86_64-w64-mingw32"
CMAKE_LISTS = (ROOT / "client/package/CMakeLists.txt").read_text(encoding="utf-8")
# The components that it compiles, in their folders.
COMPONENTS = ["lib/common", *(
    name.replace("_", "/", 1) if name.startswith("client_") else name if name == "proto"
    else f"lib/{name}" for name in re.search(r"foreach\(component ([\w ]+)\)", CMAKE_LISTS)[1].split())]
COMMON = ["-O2", f"-ffile-prefix-map={ROOT}=."]
FLAGS = [*COMMON, "-std=c17", "-ffp-contract=off", "-fno-math-errno", "-fno-tree-slp-vectorize",
         "-Wall", "-Wextra", "-Werror", "-DSODIUM_STATIC", *(f"-I{ROOT / component}" for component in COMPONENTS)]


def sodium_sources(root):
    """What to compile of libsodium, and how."""
    include = root / "src/libsodium/include"
    prepare_sodium(root)
    flags = [*COMMON, "-w", "-DSODIUM_STATIC", "-DCONFIGURED=1", "-DHAVE_TI_MODE=1",
             *(f"-DHAVE_{name}MINTRIN_H=1" for name in ("", "E", "P", "T", "S")),
             f"-I{include}", f"-I{include}/sodium"]
    return [(path, flags) for path in sorted((root / "src/libsodium").rglob("*.c"))]


def public_headers():
    """What client/package/CMakeLists.txt installs."""
    names = set(re.findall(r"(\w+)\.h\b", CMAKE_LISTS))
    for words in re.findall(r"foreach\(name ([\w ]+)\)", CMAKE_LISTS):
        names |= set(words.split())
    return [path for component in COMPONENTS for path in sorted((ROOT / component).glob("*.h"))
            if path.stem in names]


def exports(headers):
    pattern = re.compile(r"^(?!static|typedef)[a-z][\w *]*?\b(raim_\w+)\(", re.MULTILINE)
    return sorted({name for header in headers
                   for name in pattern.findall(header.read_text(encoding="utf-8"))})


def compile_all(sources, objects):
    def compile_one(job):
        source, flags = job
        target = objects / ("_".join(source.parts[-4:]) + ".o")
        run(f"{HOST}-gcc", *flags, "-c", source, "-o", target)
        return target
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(compile_one, sources))


def write_archive(stage):
    """A zip of the folder beside it, whose bytes depend on nothing but the files."""
    path = stage.with_name(f"{stage.name}.zip")
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(file for file in stage.rglob("*") if file.is_file()):
            info = zipfile.ZipInfo(file.relative_to(stage.parent).as_posix())
            info.external_attr = 0o644 << 16
            archive.writestr(info, file.read_bytes(), zipfile.ZIP_DEFLATED)
    return path


def main(directory):
    directory = pathlib.Path(directory).resolve()
    version = re.search(r"VERSION ([\d.]+) LANG", (ROOT / "CMakeLists.txt").read_text())[1]
    stage, objects = directory / f"raimclient-{version}", directory / "objects"
    shutil.rmtree(directory, ignore_errors=True)
    for path in ("bin", "lib", "include/raim", "licences"):
        (stage / path).mkdir(parents=True)
    objects.mkdir()
    packages = fetch_sources(directory, OF_WINDOWS)
    other = [*COMMON, f"-I{packages['enet']}/include", f"-I{packages['xxhash']}"]
    own = [*FLAGS, f'-DRAIM_VERSION="{version}"', *other[2:], f"-I{packages['libsodium']}/src/libsodium/include"]
    sources = [(path, own) for component in COMPONENTS for path in sorted((ROOT / component).glob("*.c"))
               if not path.stem.endswith("_posix")]
    sources += [(path, other) for path in sorted(packages["enet"].glob("*.c"))]
    sources += [(packages["xxhash"] / "xxhash.c", other), *sodium_sources(packages["libsodium"])]
    headers = public_headers()
    definition = stage / "lib/raimclient.def"
    definition.write_text("\n    ".join(["EXPORTS", *exports(headers)]) + "\n", encoding="utf-8")
    # By default ld takes the time, and the base address from the path of its output.
    run(f"{HOST}-gcc", "-shared", "-static-libgcc", *compile_all(sources, objects), definition,
        "-lws2_32", "-lwinmm", "-s", "-Wl,--no-insert-timestamp,--image-base,0x180000000",
        "-o", stage / "bin/raimclient.dll",
        f"-Wl,--out-implib,{stage}/lib/libraimclient.dll.a")
    for header in headers:
        shutil.copy(header, stage / "include/raim")
    shutil.copy(ROOT / "client/examples/c/squad.c", stage)
    for name, path in (("raimd", ROOT), *packages.items()):
        shutil.copy(path / "LICENSE", stage / f"licences/{name}")
    print(write_archive(stage))


if __name__ == "__main__":
    main(sys.argv[1])
