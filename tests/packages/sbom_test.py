"""Compares the bill of materials of a build folder with what the loader says. Usage: sbom_test.py BUILD"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def loaded(driver):
    """The packages of the libraries that the driver itself needs."""
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", driver))
    places = dict(re.findall(r"(\S+) => (/\S+)", run("ldd", driver)))
    names = [os.path.realpath(places[name]) for name in needed if name in places]
    names += [name.removeprefix("/usr") for name in names]
    found = subprocess.run(["dpkg-query", "-S", *names], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                           check=False).stdout
    return {line.split(":")[0] for line in found.splitlines()}


def main(build):
    if not shutil.which("dpkg-query") or not shutil.which("ninja"):
        print("no packages of Debian here: nothing to compare")
        return
    with tempfile.TemporaryDirectory() as folder:
        bill, texts = os.path.join(folder, "bill"), os.path.join(folder, "texts")
        run(sys.executable, "-B", os.path.join(ROOT, "packaging/sbom.py"), build, "--sbom", bill, "--licences", texts)
        document = json.load(open(bill, encoding="utf-8"))
        texts = open(texts, encoding="utf-8").read()
    packages = {package["SPDXID"]: package for package in document["packages"]}
    assert len(packages) == len(document["packages"]), "each id is used once"
    assert all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", name) for name in packages), packages.keys()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", document["creationInfo"]["created"])
    names = {}
    for relation in document["relationships"]:
        ends = [relation["spdxElementId"], relation["relatedSpdxElement"]]
        other = next(end for end in ends if end != "SPDXRef-weft" or relation["relationshipType"] == "DESCRIBES")
        assert all(end in packages or end == "SPDXRef-DOCUMENT" for end in ends), relation
        names.setdefault(relation["relationshipType"], set()).add(packages.get(other, {}).get("name"))
    driver = os.path.join(build, "workflows/weft")
    assert names["DYNAMIC_LINK"] == loaded(driver), (names["DYNAMIC_LINK"], loaded(driver))
    assert {"libboost1.81-dev", "nlohmann-json3-dev", "libcli11-dev", "libvalijson-dev"} <= names["STATIC_LINK"], names
    assert names["OPTIONAL_DEPENDENCY_OF"] == {"libpq-dev"}, "weft loads libpq when a store needs it"
    for package in names["STATIC_LINK"]:
        (row,) = (row for row in packages.values() if row["name"] == package)
        assert row["licenseDeclared"] in texts, f"the licences lack that of {package}"


main(*sys.argv[1:])
