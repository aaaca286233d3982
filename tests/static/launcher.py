"""The launcher of the npm package ends as its driver ends, and passes signals, words and streams on. A small program
stands for the driver. Usage: launcher.py ROOT FOLDER"""
import json
import os
import pathlib
import platform
import shutil
import signal
import subprocess
import sys

ROOT, FOLDER = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
PACKAGE = "@weft-engine/linux-" + {"x86_64": "x64", "aarch64": "arm64"}[platform.machine()]
LAUNCHER = "node_modules/@weft-engine/weft"
NODE = shutil.which("node")
DRIVER = r"""#!/usr/bin/env python3
import os, signal, sys
word, rest = sys.argv[1], sys.argv[2:]
if word == "words": print(rest)
if word == "copy": print(sys.stdin.read().upper(), end="")
if word == "read": print(open(rest[0]).read(), end="")
if word == "code": sys.exit(int(rest[0]))
if word == "die": os.kill(os.getpid(), int(rest[0])), signal.pause()
if word == "wait":
    waited = [signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR2]
    signal.pthread_sigmask(signal.SIG_BLOCK, waited)
    print("ready", flush=True)
    print(signal.sigwait(waited).name, flush=True)
    sys.exit(8)
"""


def install():
    shutil.rmtree(FOLDER, ignore_errors=True)
    shutil.copytree(ROOT / "packaging" / "npm" / "weft", FOLDER / LAUNCHER)
    driver = FOLDER / "node_modules" / PACKAGE / "bin" / "weft"
    driver.parent.mkdir(parents=True)
    driver.write_text(DRIVER)
    driver.chmod(0o755)
    (driver.parent.parent / "package.json").write_text(json.dumps({"name": PACKAGE, "version": "1.0.0"}))
    return driver


def command(*words, options=()):
    return [NODE, *options, str(FOLDER / LAUNCHER / "bin" / "weft.js"), *words]


def run(*words, options=(), **more):
    return subprocess.run(command(*words, options=options), text=True, capture_output=True, **more)


def expect(seen, expected, about):
    if seen != expected:
        raise SystemExit(f"{about}: expected {expected!r}, and it was {seen!r}")


driver = install()
expect(run("words", "a b", "", "--x=ä", "*").stdout, "['a b', '', '--x=ä', '*']\n", "words")
expect(run("copy", input="line\n").stdout, "LINE\n", "standard input and output")
for code in (0, 1, 3, 8, 11, 255):
    expect(run("code", str(code)).returncode, code, "exit code")
for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL, signal.SIGABRT):
    expect(run("die", str(int(each))).returncode, -each, f"the end of a driver by {each.name}")

for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR2):
    launcher = subprocess.Popen(command("wait"), stdout=subprocess.PIPE, text=True)
    expect(launcher.stdout.readline(), "ready\n", "start")
    launcher.send_signal(each)
    expect(launcher.stdout.read(), each.name + "\n", "a signal to the launcher alone")
    expect(launcher.wait(), 8, "exit code after a signal")

reader, writer = os.pipe()
os.write(writer, b"by a pipe\n")
os.close(writer)
expect(run("read", f"/dev/fd/{reader}", pass_fds=[reader]).stdout, "by a pipe\n", "the shell's <(command)")
os.close(reader)
expect(run("words", "in /dev/fd/77").stdout, "['in /dev/fd/77']\n", "a question that ends like a file's name")


def refused(about, sentence, **more):
    seen = run("words", **more)
    expect((seen.returncode, seen.stdout), (3, ""), about)
    if sentence not in seen.stderr or seen.stderr.count("\n") != 1:
        raise SystemExit(f"{about}: no sentence with {sentence!r}, but: {seen.stderr}")


def other(system, machine):
    file = FOLDER / f"{system}_{machine}.js"
    file.write_text(f"Object.defineProperty(process, 'platform', {{value: '{system}'}});"
                    f"Object.defineProperty(process, 'arch', {{value: '{machine}'}});")
    return ["-r", str(file)]


refused("macOS", "there is no weft for macOS on arm64", options=other("darwin", "arm64"))
refused("Windows", "run it in WSL", options=other("win32", "x64"))
refused("another processor", "there is no weft for Linux on riscv64", options=other("linux", "riscv64"))
driver.chmod(0o644)
if os.geteuid() == 0 or not os.access(driver, os.X_OK):
    refused("a driver that is not executable", "must be executable")
driver.write_text("")
shutil.rmtree(driver.parent.parent)
refused("a package that npm has left out", f"the package {PACKAGE} is missing: install weft again")
