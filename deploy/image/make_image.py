#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes an OCI image of raimd from Debian packages alone: no registry, no base image, no root needed.

make_image.py raimd_VERSION_ARCH.deb [--out DIR] writes DIR/oci (an image layout), DIR/raimd.oci.tar
(the same as one file, for `podman load` and `skopeo copy oci-archive:`) and DIR/raimd.spdx.json
(what is in it). --tree DIR unpacks the file system alone, for deploy/Containerfile. ./dev image
builds the package and calls this. The same packages and SOURCE_DATE_EPOCH give the same bytes.

The image holds raimd, raimctl, the maps and the shared libraries that they need, and nothing else:
no shell, no package manager. raimd runs as 65532 and writes to two volumes.
"""

import argparse
import gzip
import hashlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/system"), str(ROOT / "tools/generate")]

import sbom # pylint: disable=wrong-import-position
from tree import connection_settings, sources # pylint: disable=wrong-import-position

LARGEST_MB = 60 # unpacked
USER = 65532    # the customary one of images without root
VOLUMES = ("/run/raimd", "/var/lib/raimd")
# `kill` for the systemd unit.
NOT_NEEDED = {"procps"}
# Of no use without a shell, a manual reader, apt or systemd. Copyright files stay.
LEFT_OUT = ("dev/", "etc/apt/", "tmp/", "usr/lib/systemd/", "usr/share/bash-completion/",
            "usr/share/fish/", "usr/share/gcc/", "usr/share/lintian/", "usr/share/locale/",
            "usr/share/man/", "usr/share/zsh/", "var/cache/", "var/lib/apt/", "var/lib/dpkg/")
DPKG = "var/lib/dpkg/status.d/"
# Keeps what dpkg knows of each package where scanners of images without dpkg look for it.
EXTRACT_HOOK = """
mkdir -p "$1/var/lib/dpkg/status.d"
for deb in "$1"/var/cache/apt/archives/*.deb; do
    dpkg-deb -f "$deb" >"$1/var/lib/dpkg/status.d/$(dpkg-deb -f "$deb" Package)"
done
"""


def output(*command):
    return subprocess.run(command, check=True, capture_output=True).stdout


def control_fields(text):
    """The fields of a Debian control file, of those of several lines the first."""
    lines = (line.partition(": ") for line in text.splitlines() if line[:1].strip())
    return {key: value for key, _, value in lines}


def suite_of_this_machine():
    """The release that the package was built for."""
    lines = pathlib.Path("/etc/os-release").read_text(encoding="utf-8").splitlines()
    return control_fields("\n".join(lines).replace("=", ": "))["VERSION_CODENAME"].strip('"')


# --- the file system ---

def libraries(deb):
    """A tar of the packages that raimd's package depends on."""
    depends = output("dpkg-deb", "-f", deb, "Depends").decode()
    names = [part.split()[0] for part in depends.split(",")]
    suite = suite_of_this_machine()
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as settings:
        settings.write("".join(f"{line}\n" for line in connection_settings()))
        settings.flush()
        return output("mmdebstrap", "--quiet", "--variant=extract", f"--aptopt={settings.name}",
                      "--aptopt=APT::Install-Recommends false",
                      "--include=" + ",".join(name for name in names if name not in NOT_NEEDED),
                      f"--extract-hook={EXTRACT_HOOK}", suite, "-", *sources(suite))


def is_wanted(name):
    if name.startswith("usr/share/doc/"):
        return name.endswith("/copyright")
    return not name.startswith(LEFT_OUT) or name.startswith(DPKG)


class FileSystem:
    """Files by name, as a layer has them: sorted, all of one time."""

    def __init__(self, epoch):
        self.epoch, self.members = epoch, {}

    def add(self, info, data=None):
        info.name = info.name.removeprefix("./").rstrip("/")
        info.mtime, info.pax_headers = self.epoch, {}
        info.uname = info.gname = ""
        if info.name not in ("", "."):
            self.members[info.name] = (info, data)

    def add_tar(self, data):
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            for info in tar:
                if not info.isdir() and is_wanted(info.name.removeprefix("./")):
                    self.add(info, tar.extractfile(info).read() if info.isreg() else None)

    def add_file(self, name, text):
        info = tarfile.TarInfo(name)
        info.size = len(text.encode())
        self.add(info, text.encode())

    def add_directory(self, name, mode=0o755, user=0):
        info = tarfile.TarInfo(name)
        info.type, info.mode, info.uid, info.gid = tarfile.DIRTYPE, mode, user, user
        self.add(info)

    def add_links_of_merged_usr(self):
        """Debian 13's libraries are in /usr alone; the links to them are no package's."""
        for name in ("lib", "lib64"):
            if not any(member.startswith(f"{name}/") for member in self.members):
                info = tarfile.TarInfo(name)
                info.type, info.linkname = tarfile.SYMTYPE, f"usr/{name}"
                self.add(info)

    def add_parents(self):
        for name in list(self.members):
            for parent in pathlib.PurePosixPath(name).parents:
                if str(parent) not in self.members:
                    self.add_directory(str(parent))

    def size(self):
        return sum(info.size for info, _ in self.members.values())

    def tar(self):
        file = io.BytesIO()
        with tarfile.open(fileobj=file, mode="w", format=tarfile.GNU_FORMAT) as tar:
            for _, (info, data) in sorted(self.members.items()):
                tar.addfile(info, None if data is None else io.BytesIO(data))
        return file.getvalue()

    def packages(self):
        """What dpkg knows of each package, by name."""
        return {name.removeprefix(DPKG): control_fields(data.decode())
                for name, (_, data) in sorted(self.members.items())
                if name.startswith(DPKG) and data}


def make_file_system(deb, epoch):
    system = FileSystem(epoch)
    system.add_tar(libraries(deb))
    system.add_tar(output("dpkg-deb", "--fsys-tarfile", deb))
    system.add_file(DPKG + "raimd", output("dpkg-deb", "-f", deb).decode())
    system.add_file("etc/passwd", "root:x:0:0:root:/:/sbin/nologin\n"
                    f"raimd:x:{USER}:{USER}:raimd:/var/lib/raimd:/sbin/nologin\n")
    system.add_file("etc/group", f"root:x:0:\nraimd:x:{USER}:\n")
    system.add_directory("tmp", 0o1777)
    for name in ("dev", "proc", "sys"): # what a runtime mounts on a file system that is read-only
        system.add_directory(name)
    for volume in VOLUMES:
        system.add_directory(volume[1:], 0o700, USER)
    system.add_links_of_merged_usr()
    system.add_parents()
    return system


# --- what is in it ---

def bill_of_materials(packages, version, epoch):
    """The packages as SPDX 2.3."""
    libraries_of_raimd = [
        sbom.debian(name, fields["Version"], fields["Architecture"], fields["Maintainer"],
                    fields.get("Source", name))
        for name, fields in packages.items() if name != "raimd"]
    return sbom.document(f"raimd-{version}", epoch,
                         [(sbom.own("raimd", version), libraries_of_raimd)])


# --- the image ---

class Layout:
    """An OCI image layout in a directory."""

    def __init__(self, directory):
        self.directory = directory
        (directory / "blobs/sha256").mkdir(parents=True)
        self.write("oci-layout", {"imageLayoutVersion": "1.0.0"})

    def write(self, name, document):
        (self.directory / name).write_text(json.dumps(document), encoding="utf-8")

    def blob(self, media_type, data):
        """Stores bytes and returns their descriptor."""
        digest = hashlib.sha256(data).hexdigest()
        (self.directory / "blobs/sha256" / digest).write_bytes(data)
        return {"mediaType": f"application/vnd.oci.image.{media_type}",
                "digest": f"sha256:{digest}", "size": len(data)}

    def document(self, media_type, document):
        return self.blob(media_type, json.dumps(document).encode())


def labels(version):
    revision = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], text=True, check=False,
                              capture_output=True).stdout.strip()
    prefix = "org.opencontainers.image."
    return {prefix + "title": "raimd", prefix + "version": version, prefix + "licenses": "MIT",
            prefix + "description": "dedicated server for 2D arena shooters",
            **({prefix + "revision": revision} if revision else {})}


def container_config(version):
    """How a container runs by default."""
    ports = {"7246/tcp": {}, "7246/udp": {}, "7247/udp": {}}
    return {"User": f"{USER}:{USER}", "Entrypoint": ["/usr/bin/raimd"],
            "Cmd": ["-c", "/etc/raimd/raimd.conf"], "ExposedPorts": ports,
            "Env": ["PATH=/usr/bin", "RUNTIME_DIRECTORY=/run/raimd",
                    "STATE_DIRECTORY=/var/lib/raimd"],
            "Volumes": {volume: {} for volume in VOLUMES}, "WorkingDir": "/",
            "StopSignal": "SIGTERM", "Labels": labels(version),
            # No part of OCI's own format, but of Docker's extension of it.
            "Healthcheck": {"Test": ["CMD", "/usr/bin/raimctl", "status"],
                            "Interval": 10_000_000_000, "Timeout": 5_000_000_000, "Retries": 3}}


def write_image(directory, system, version, architecture, created):
    layout = Layout(directory)
    tar = system.tar()
    layer = layout.blob("layer.v1.tar+gzip", gzip.compress(tar, mtime=0))
    config = layout.document("config.v1+json", {
        "created": created, "architecture": architecture, "os": "linux",
        "config": container_config(version),
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(tar).hexdigest()}"]},
        "history": [{"created": created, "created_by": "deploy/image/make_image.py"}]})
    manifest = layout.document("manifest.v1+json", {
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": config, "layers": [layer], "annotations": labels(version)})
    layout.write("index.json", {"schemaVersion": 2, "manifests": [
        manifest | {"annotations": {"org.opencontainers.image.ref.name": f"raimd:{version}"}}]})
    return layer["size"]


def archive(directory, path):
    """The layout as one file."""
    with tarfile.open(path, "w", format=tarfile.GNU_FORMAT) as tar:
        for file in sorted(directory.rglob("*")):
            info = tar.gettarinfo(file, file.relative_to(directory).as_posix())
            info.mtime = info.uid = info.gid = 0
            info.uname = info.gname = ""
            info.mode = 0o755 if info.isdir() else 0o644
            tar.addfile(info, file.open("rb") if info.isreg() else None)


def epoch_of_sources():
    """The time that the image bears: SOURCE_DATE_EPOCH, or the last commit's."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    shown = subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%ct"], text=True,
                           capture_output=True, check=False).stdout
    return int(shown or 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("package", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/image")
    parser.add_argument("--tree", type=pathlib.Path, help="unpack the file system there instead")
    options = parser.parse_args()
    epoch = epoch_of_sources()
    created = output("date", "-u", f"--date=@{epoch}", "+%Y-%m-%dT%H:%M:%SZ").decode().strip()
    system = make_file_system(options.package, epoch)
    megabytes = system.size() / 1e6
    if megabytes > LARGEST_MB:
        sys.exit(f"the image has {megabytes:.1f} MB, more than {LARGEST_MB}")
    if options.tree:
        with tarfile.open(fileobj=io.BytesIO(system.tar())) as tar:
            tar.extractall(options.tree)
        return
    packages = system.packages()
    version, architecture = packages["raimd"]["Version"], packages["raimd"]["Architecture"]
    subprocess.run(["rm", "-rf", options.out], check=True)
    options.out.mkdir(parents=True)
    compressed = write_image(options.out / "oci", system, version, architecture, created)
    archive(options.out / "oci", options.out / "raimd.oci.tar")
    (options.out / "raimd.spdx.json").write_text(bill_of_materials(packages, version, epoch),
                                                 encoding="utf-8")
    print(f"{options.out}/raimd.oci.tar: {len(packages)} packages, {megabytes:.1f} MB,"
          f" {compressed / 1e6:.1f} compressed")


if __name__ == "__main__":
    main()
