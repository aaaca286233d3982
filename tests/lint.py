"""Runs clang-tidy on every source of a build folder, except on sources that were clean before.

    python3 tests/lint.py build/clang JOBS

It reads sources in the form in which they are compiled, several joined, so that common includes are read once. A source
stays clean as long as its text, its includes, its command, the rules and the version of clang-tidy stay the same; the
folder `clean` of the build folder has their checksums.
"""
import concurrent.futures
import hashlib
import json
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIDY, CLANG = "clang-tidy-14", "clang++-14"


def preprocess(entry):
    words, kept = shlex.split(entry["command"])[1:], []
    while words:
        word = words.pop(0)
        if word == "-o":
            words.pop(0)
        elif word != "-c":
            kept.append(word)
    command = [CLANG, *kept, "-E", "-C"]
    done = subprocess.run(command, cwd=entry["directory"], capture_output=True)
    return (shlex.join(command).encode() + done.stdout) if done.returncode == 0 else None


def key_of(entry, rules):
    text = preprocess(entry)
    if text is None:
        return None  # clang-tidy reports the reason
    text += pathlib.Path(entry["file"]).read_bytes()
    return hashlib.sha256(rules + text.replace(str(ROOT).encode(), b"")).hexdigest()


def check(entry, folder, rules):
    """Returns clang-tidy's output; it is empty if the source is clean."""
    key = key_of(entry, rules)
    mark = folder / "clean" / (key or "none")
    if key and mark.exists():
        return ""
    done = subprocess.run([TIDY, "-quiet", "-p", folder, entry["file"]], capture_output=True, text=True)
    if done.returncode == 0 and key:
        mark.touch()
    return "" if done.returncode == 0 else done.stdout or done.stderr


def main(folder, jobs):
    (folder / "clean").mkdir(exist_ok=True)
    version = subprocess.run([TIDY, "--version"], capture_output=True, check=True).stdout
    rules = version + (ROOT / ".clang-tidy").read_bytes()
    commands = json.loads((folder / "compile_commands.json").read_text())
    sources = {entry["file"]: entry for entry in commands if pathlib.Path(entry["file"]).exists()}
    found = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for said in pool.map(lambda name: check(sources[name], folder, rules), sorted(sources)):
            if said:
                found += 1
                print(said, flush=True)
    if found:
        sys.exit(f"clang-tidy complains about {found} of {len(sources)} sources")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]))
