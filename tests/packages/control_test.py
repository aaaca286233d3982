"""Compares Build-Depends of the Debian packages with the list of ./dev."""
import re


def words(path, pattern):
    with open(path, encoding="utf-8") as file:
        return set(re.split(r"[\s,]+", re.sub(r"\(.*?\)", "", re.search(pattern, file.read(), re.S).group(1)).strip()))


dev = words("dev", r"\ndriver_packages=\((.*?)\)\n")
control = words("packaging/debian/control", r"\nBuild-Depends: (.*?)\n\n")
# g++ is of build-essential, which each package has anyway.
assert dev - {"g++"} == control - {"debhelper-compat", "python3"}, dev ^ control
