"""Tells which packages of Debian are in the driver of a build folder, and their licences.

usage: sbom.py BUILD [--built FOLDER] [--sbom FILE] [--licences FILE]

The linker tells the files that it links, and Ninja the headers that were compiled; dpkg tells whose they are. FILE is
an SPDX 2.3 document in JSON, or the licences of all packages whose code is in the program itself. A build folder always
makes the same bytes: the time is SOURCE_DATE_EPOCH. --built is a folder of packaging/static/libraries.sh, whose
libraries come from sources of Debian. Its folder sysroot has the packages of another architecture.
"""
import argparse
import datetime
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.parse
import uuid

# The licence of a source package of Debian, for the part of it that a program links.
LICENCES = {
    "abseil": "Apache-2.0", "boost1.81": "BSL-1.0", "cli11": "BSD-3-Clause",
    "fmtlib": "MIT", "gcc-12": "GPL-3.0-or-later WITH GCC-exception-3.1", "glibc": "LGPL-2.1-or-later",
    "libbsd": "BSD-3-Clause", "libedit": "BSD-3-Clause", "libmd": "BSD-3-Clause",
    "linux": "GPL-2.0-only WITH Linux-syscall-note",
    "muparser": "BSD-2-Clause", "musl": "MIT", "ncurses": "X11-distribute-modifications-variant",
    "nlohmann-json3": "MIT", "openssl": "Apache-2.0", "postgresql-15": "PostgreSQL", "re2": "BSD-3-Clause",
    "spdlog": "MIT", "sqlite3": "blessing", "valijson": "BSD-2-Clause", "xxhash": "BSD-2-Clause", "zlib": "Zlib",
}
# Headers that declare what the program finds at run time, in the kernel or in a library that it loads itself.
DECLARATIONS = {"linux": "BUILD_DEPENDENCY_OF", "postgresql-15": "OPTIONAL_DEPENDENCY_OF"}
LONG = 100_000  # of Boost: two million characters, most of them about files that nothing uses
FIELDS = ("binary:Package", "Package", "Version", "Architecture", "source:Package", "source:Version", "Homepage")


def run(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def link_command(build):
    """The command that links the driver, without what may follow it."""
    line = run("ninja", "-C", build, "-t", "commands", "weft_driver").splitlines()[-1]
    return next((part for part in line.split(" && ") if " -o " in part), line)


def linked_files(build, command):
    """The files that the linker reads for the driver, in one more link of it, and the program's shared libraries."""
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "weft")
        command, count = re.subn(r" -o \S*weft\b", f" -Wl,--trace -o {program} ", command, count=1)
        if not count:
            sys.exit(f"sbom: the last command of weft_driver in {build} is no link: {command[:200]}")
        read = set(run("sh", "-c", command, cwd=build).split("\n"))
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", program))
    files = {os.path.realpath(os.path.join(build, re.sub(r"\(.*\)$", "", name))) for name in read if name}
    shared = {name for name in files if re.search(r"\.so(\.|$)", name)}
    used = {name for name in shared if any(os.path.basename(name).startswith(soname) for soname in needed)}
    return files - shared, used


def headers(build, command):
    """The headers of the driver and of weft's libraries in it."""
    read, wanted = set(), False
    targets = {"weft_driver", *re.findall(r"/lib(weft_\w+)\.a", command)}
    for line in run("ninja", "-C", build, "-t", "deps").splitlines():
        if not line.startswith(" "):
            wanted = bool(targets & set(re.findall(r"/CMakeFiles/(\w+)\.dir/", line)))
        elif wanted:
            read.add(os.path.realpath(os.path.join(build, line.strip())))
    return read


# Libraries that packaging/static builds: the source package of Debian, and the file of its licence.
BUILT = {"libmuparser.a": ("muparser", "muparser"), "libpq.a": ("postgresql-15", "libpq"),
         "libpgcommon.a": ("postgresql-15", "libpq"), "libpgport.a": ("postgresql-15", "libpq")}


def built_parts(folder, files):
    rows = {}
    for name in sorted(name for name in files if os.path.dirname(name) == folder + "/lib"):
        origin, licence = BUILT[os.path.basename(name)]
        sources = os.path.join(os.path.dirname(folder), "sources", origin)
        (control,) = (name for name in os.listdir(sources) if name.endswith(".dsc"))
        with open(os.path.join(sources, control), encoding="utf-8") as file:
            version = re.search(r"^Version: (.*)$", file.read(), re.M).group(1)
        rows[origin] = dict(zip(FIELDS, (origin, origin, version, "source", origin, version, "")))
        rows[origin]["text"] = os.path.join(folder, "licences", licence)
    return [(row, "STATIC_LINK") for row in rows.values()]


def dpkg_query(root, *words):
    command = ["dpkg-query", *(["--admindir", root + "/var/lib/dpkg"] if root else []), *words]
    return subprocess.run(command, capture_output=True, text=True).stdout.splitlines()


def owners(files, own, root):
    """The package of each file that is not in one of the folders `own`, or of each file in the folder `root`."""
    if root:
        files = {name.removeprefix(root) for name in files if name.startswith(root + "/")}
    else:
        files = {name for name in files if not any(name.startswith(folder + "/") for folder in own)}
    found = {}
    names = sorted(files) + sorted(name.removeprefix("/usr") for name in files)  # dpkg may know it as /lib/...
    for line in dpkg_query(root, "-S", *names) if files else []:
        package, _, name = line.partition(": ")
        if not package.startswith("diversion "):
            found[name if root else os.path.realpath(name)] = package.split(", ")[0]
    if files - found.keys():
        sys.exit("sbom: no package of Debian has " + ", ".join(sorted(files - found.keys())[:5]))
    return set(found.values())


def about(packages, root):
    form = "\t".join("${%s}" % field for field in FIELDS) + "\n"
    rows = {}
    for line in dpkg_query(root, "-W", "-f", form, *sorted(packages)) if packages else []:
        row = dict(zip(FIELDS, line.split("\t")))
        text = f"/usr/share/doc/{row['Package']}/copyright"
        rows[row["binary:Package"]] = row | {"text": root + text if os.path.exists(root + text) else text}
    return rows


def parts(build, built):
    """The packages by name, each with its relation to the program."""
    source = re.search(r"^CMAKE_HOME_DIRECTORY:\w+=(.*)$", cache(build), re.M).group(1)
    built = os.path.realpath(built or build)
    own = [os.path.realpath(build), os.path.realpath(source), built]
    command = link_command(build)
    code, shared = linked_files(build, command)
    files, known = {"code": code, "shared": shared, "headers": headers(build, command)}, {}
    whose = {kind: set() for kind in files}
    for root in ["", *([built + "/sysroot"] if os.path.isdir(built + "/sysroot") else [])]:
        here = {kind: owners(names, own, root) for kind, names in files.items()}
        known |= about(set().union(*here.values()), root)
        whose = {kind: whose[kind] | here[kind] for kind in files}
    relations = dict.fromkeys(whose["shared"], "DYNAMIC_LINK") | dict.fromkeys(whose["code"], "STATIC_LINK")
    more = built_parts(built, code) if built != own[0] else []
    libraries = {known[package]["source:Package"] for package in relations} | {row["Package"] for row, _ in more}
    for package in whose["headers"] - relations.keys():
        origin = known[package]["source:Package"]
        # Headers of a linked library declare its functions; other headers bring their code along.
        relations[package] = DECLARATIONS.get(origin) or (
            "BUILD_DEPENDENCY_OF" if origin in libraries else "STATIC_LINK")
    for row in known.values():
        if row["source:Package"] not in LICENCES:
            sys.exit(f"sbom: {row['Package']} is new in weft: name the licence of {row['source:Package']} in LICENCES")
    return [(known[package], relations[package]) for package in sorted(relations)] + more


def cache(build):
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as file:
        return file.read()


def document(version, rows):
    release = dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', open("/etc/os-release", encoding="utf-8").read(), re.M))
    time = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), datetime.timezone.utc)
    common = {"downloadLocation": "NOASSERTION", "filesAnalyzed": False}
    packages = [common | {
        "name": "weft", "SPDXID": "SPDXRef-weft", "versionInfo": version, "primaryPackagePurpose": "APPLICATION",
        "supplier": "Organization: The weft authors", "licenseConcluded": "MIT", "licenseDeclared": "MIT",
        "copyrightText": "Copyright (c) 2026 The weft authors"}]
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                  "relatedSpdxElement": "SPDXRef-weft"}]
    for row, relation in rows:
        name, origin = row["Package"], row["source:Package"]
        more = {"arch": row["Architecture"], "distro": f"{release['ID']}-{release['VERSION_ID']}", "upstream": origin}
        place = "pkg:deb/%s/%s@%s?%s" % (release["ID"], urllib.parse.quote(name), urllib.parse.quote(row["Version"]),
                                         urllib.parse.urlencode(more))
        spdx = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)
        packages.append(common | {
            "name": name, "SPDXID": spdx, "versionInfo": row["Version"], "primaryPackagePurpose": "LIBRARY",
            "supplier": "Organization: Debian", "homepage": row["Homepage"] or "NOASSERTION",
            "sourceInfo": f"built from {origin} {row['source:Version']}", "licenseConcluded": "NOASSERTION",
            "licenseDeclared": LICENCES[origin], "copyrightText": "NOASSERTION", "externalRefs": [{
                "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": place}]})
        ends = ("SPDXRef-weft", spdx) if relation.endswith("LINK") else (spdx, "SPDXRef-weft")
        relations.append({"spdxElementId": ends[0], "relationshipType": relation, "relatedSpdxElement": ends[1]})
    content = {"packages": packages, "relationships": relations}
    name = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(content, sort_keys=True))
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"weft-{version}", "documentNamespace": f"https://spdx.org/spdxdocs/weft-{version}-{name}",
            "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ"),
                             "creators": ["Organization: The weft authors", f"Tool: weft-sbom-{version}"]}} | content


def copyright_text(name):
    with open(name, encoding="utf-8", errors="replace") as file:
        text = file.read()
    if len(text) < LONG:
        return text
    holders, licences = {}, []
    for paragraph in re.split(r"\n\s*\n", text):
        if re.match(r"License:", paragraph):
            licences.append(paragraph)
        for block in re.findall(r"^Copyright:((?:.*)(?:\n[ \t].*)*)", paragraph, re.M):
            holders |= dict.fromkeys(line.strip() for line in block.splitlines() if line.strip(" ."))
    return "Copyright:\n " + "\n ".join(holders) + "\n\n" + "\n\n".join(licences) + "\n"


def licences(version, rows):
    texts = {}
    for row, relation in rows:
        if relation == "STATIC_LINK":
            texts.setdefault((row["source:Package"], row["source:Version"]), row["text"])
    names = ", ".join(origin for origin, _ in texts)
    yield f"weft {version} contains code of: {names}.\nTheir licences follow, as Debian's packages tell them.\n"
    for (origin, number), name in texts.items():
        yield f"\n{'=' * 80}\n{origin} {number}: {LICENCES[origin]}\n{'=' * 80}\n\n{copyright_text(name)}"


def main():
    options = argparse.ArgumentParser(usage=__doc__.split("\n")[2][7:])
    options.add_argument("build")
    options.add_argument("--built")
    options.add_argument("--sbom")
    options.add_argument("--licences")
    asked = options.parse_args()
    version = re.search(r"^CMAKE_PROJECT_VERSION:\w+=(.*)$", cache(asked.build), re.M).group(1)
    rows = parts(asked.build, asked.built)
    if asked.sbom:
        with open(asked.sbom, "w", encoding="utf-8") as file:
            file.write(json.dumps(document(version, rows), indent=1) + "\n")
    if asked.licences:
        with open(asked.licences, "w", encoding="utf-8") as file:
            file.writelines(licences(version, rows))
    if not asked.sbom and not asked.licences:
        for row, relation in rows:
            print(relation, row["Package"], row["Version"], LICENCES[row["source:Package"]])


if __name__ == "__main__":
    main()
