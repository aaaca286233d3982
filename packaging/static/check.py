"""Checks the tarball, the npm packages and the bill of materials in a folder: the driver answers the README's question
in an empty root and by npx without a network, and reaches servers from a root with modules of another system.
Usage: check.py FOLDER amd64|arm64"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER, ARCH = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
VERSION = re.search(r"^project\(weft VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
NODE_ARCH = {"amd64": "x64", "arm64": "arm64"}[ARCH]
QUESTION = "How did sales vary between Q1 and Q2 of 2024 in percentage and amount?"
HERE = {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine]
MACHINE = {"amd64": "x86-64", "arm64": "ARM aarch64"}[ARCH]
COMPILER = "gcc" if ARCH == HERE else "aarch64-linux-gnu-gcc"
NAMES = [f"weft-{VERSION}-linux-{ARCH}.tar.gz", f"weft-linux-{NODE_ARCH}-{VERSION}.tgz", f"weft-{VERSION}.tgz",
         f"weft-{VERSION}-linux-{ARCH}.spdx.json"]


def run(words, **more):
    start = time.monotonic()
    seen = subprocess.run([str(word) for word in words], text=True, capture_output=True, stdin=subprocess.DEVNULL,
                          **more)
    if seen.returncode:
        raise SystemExit(f"{words}: exit code {seen.returncode}\n{seen.stdout}{seen.stderr}")
    print(f"{time.monotonic() - start:6.2f} s  {' '.join(map(str, words))[:100]}")
    return seen.stdout


def expect_answer(text):
    if "11,700" not in text.replace("11700", "11,700") or "212.73" not in text:
        raise SystemExit(f"the README's answer is 11700 and 212.73 %, and it was: {text}")


def check_tarball(work):
    with tarfile.open(FOLDER / NAMES[0]) as packed:
        for entry in packed:
            if entry.uid or entry.gid or entry.name.startswith("/"):
                raise SystemExit(f"{entry.name} in the tarball belongs to user {entry.uid}")
        packed.extractall(work)
    top = work / NAMES[0].removesuffix(".tar.gz")
    told = run(["file", "-b", top / "bin" / "weft"])
    if MACHINE not in told or "static" not in told or ", stripped" not in told:
        raise SystemExit(f"the driver is not for {ARCH}, not static or not stripped: {told}")
    # An empty root: no library, no /proc, no /etc, no terminal's description.
    root = work / "root"
    (root / "tmp").mkdir(parents=True)
    shutil.copy(top / "bin" / "weft", root / "weft")
    inside = ["chroot", root, "/weft"] if os.geteuid() == 0 else ["unshare", "-r", "chroot", root, "/weft"]
    if ARCH != HERE:
        shutil.copy(shutil.which("qemu-aarch64-static"), root / "qemu")
        inside[-1:] = ["/qemu", "/weft"]
    run([*inside, "--version"])
    expect_answer(run([*inside, "react", QUESTION]))
    # It asks about most of what a system may lack. A signal is below 0, or above 128 by qemu.
    seen = subprocess.run([*inside, "doctor"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if not 0 <= seen.returncode < 128 or "database" not in seen.stdout:
        raise SystemExit(f"weft doctor in an empty root: exit code {seen.returncode}\n{seen.stdout}{seen.stderr}")
    if os.geteuid() == 0:
        run(["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc", sys.executable, "-B",
             ROOT / "packaging" / "static" / "network.py", root, COMPILER, QUESTION])
    else:
        print("left out, because it needs root: names, certificates and PostgreSQL")


def check_npm(work):
    with tarfile.open(FOLDER / NAMES[1]) as packed:
        about = json.load(packed.extractfile("package/package.json"))
    if (about["cpu"], about["os"]) != ([NODE_ARCH], ["linux"]):
        raise SystemExit(f"npm installs the driver for {ARCH} on {about['cpu']} and {about['os']}")
    project = work / "project"
    project.mkdir()
    (project / "package.json").write_text('{"name": "project", "private": true}')
    packages = [FOLDER / name for name in NAMES[1:3]]
    quiet = ["--offline", "--no-audit", "--no-fund", f"--cache={work / 'npm_cache'}"]
    if ARCH != HERE:  # npm installs nothing for another machine unless it is forced
        run(["npm", "install", *quiet, "--force", *packages], cwd=project)
        driver = project / "node_modules" / "@weft-engine" / f"linux-{NODE_ARCH}" / "bin" / "weft"
        expect_answer(run(["qemu-aarch64-static", driver, "react", QUESTION]))
        return
    run(["npm", "install", *quiet, *packages], cwd=project)
    expect_answer(run(["npx", *quiet, "@weft-engine/weft", "react", QUESTION], cwd=project))
    # The driver's file alone.
    expect_answer(run(["npx", *quiet, "--yes", f"file:{packages[0]}", "react", QUESTION], cwd=work))
    shutil.rmtree(project / "node_modules" / "@weft-engine" / f"linux-{NODE_ARCH}")
    seen = subprocess.run(["npx", "--offline", "@weft-engine/weft", "list"], cwd=project, text=True,
                          capture_output=True)
    if seen.returncode != 3 or "install weft again" not in seen.stderr:
        raise SystemExit(f"npx weft without its driver's package said: {seen.stderr}")


def check_bill():
    """Nothing is linked from another processor's packages, and nothing but the kernel is outside of the program."""
    bill = json.loads((FOLDER / NAMES[3]).read_text())
    linked = {}
    for each in bill["relationships"]:
        if each["relationshipType"] == "DYNAMIC_LINK":
            raise SystemExit(f"a static driver has no shared library, and the bill names one: {each}")
        if each["relationshipType"] == "STATIC_LINK":
            linked[each["relatedSpdxElement"]] = each
    for part in bill["packages"]:
        if part["SPDXID"] not in linked:
            continue
        place = part["externalRefs"][0]["referenceLocator"]
        arch = re.search(r"[?&]arch=([^&]+)", place)[1]
        if arch not in (ARCH, "all", "source"):
            raise SystemExit(f"{place} is linked into the driver for {ARCH}")
    print(f"{len(linked)} packages are linked: {', '.join(name.removeprefix('SPDXRef-') for name in linked)}")


with tempfile.TemporaryDirectory() as folder:
    run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=FOLDER)
    check_bill()
    check_tarball(pathlib.Path(folder))
    check_npm(pathlib.Path(folder))
