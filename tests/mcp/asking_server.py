"""An MCP server over stdio, with a handshake and one tool that reports its progress and asks for a colour. With the
arguments "until FILE" it continues without the answer when there is such a file; with "titled" it asks for choices with
titles."""
import json
import os
import sys
import threading
import time

calls = {}


def say(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def call(message):
    token = message["params"].get("_meta", {}).get("progressToken")
    if token is not None:
        say({"method": "notifications/progress",
             "params": {"progressToken": token, "progress": 1, "total": 2, "message": "mixes"}})
    form = {"type": "object", "required": ["colour", "shade"], "properties": {
        "shade": {"type": "string", "default": "dark"}, "colour": {"type": "string", "title": "Colour"}}}
    if "titled" in sys.argv:
        form["properties"] = {
            "shade": {"type": "string", "enum": ["d", "g"], "enumNames": ["Dark", "Grey"]},
            "colour": {"type": "string", "title": "Colour",
                       "oneOf": [{"const": "r", "title": "Red"}, {"const": "b", "title": "Blue"}]}}
    calls["q1"] = message["id"]
    say({"id": "q1", "method": "elicitation/create", "params": {"message": "Which colour?", "requestedSchema": form}})
    if "until" in sys.argv:
        threading.Thread(target=end_when, args=(sys.argv[-1], message["id"], "painted white"), daemon=True).start()


def end_when(file, *call):
    while not os.path.exists(file):
        time.sleep(0.05)
    end(*call)


def end(call, text):
    say({"id": call, "result": {"content": [{"type": "text", "text": text}]}})


for line in sys.stdin:
    message = json.loads(line)
    method = message.get("method")
    if method == "initialize":
        say({"id": message["id"], "result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                                             "serverInfo": {"name": "asking", "version": "1"}}})
    elif method == "tools/list":
        tool = {"name": "paint", "description": "Paints.", "inputSchema": {"type": "object"}}
        say({"id": message["id"], "result": {"tools": [tool]}})
    elif method == "tools/call":
        call(message)
    elif method is None:
        answer = message.get("result", {"action": "error"})
        text = answer["action"]
        if text == "accept":
            text = " ".join(["painted", *(answer["content"][name] for name in sorted(answer["content"]))])
        end(calls.pop(message["id"]), text)
    elif "id" in message:
        say({"id": message["id"], "error": {"code": -32601, "message": "no such method"}})
