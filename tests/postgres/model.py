"""A model server whose answer depends only on the request, except for a token: a worker that repeats a request gets the
same answer. It records the worker, the content and the time of each request.

Each reply has its own token. The tokens in a stored run show the replies that the run has received.
"""
import hashlib
import http.server
import json
import re
import secrets
import threading
import time

from audit import Effect

TOKEN = re.compile(r"T[0-9a-f]{16}")
CASE = re.compile(r"case (\d+)")


def react_reply(body, token):
    done = len(TOKEN.findall(body))
    if done < 2:
        return (f"Thought: I multiply {token}.\nAction: math_calculator\n"
                f'Action Input: {{"expression": "{6 + done} * 7"}}\n')
    return f"Thought: I know.\nAnswer: It is 42, as {token} says."


def reflect_reply(messages, token):
    system, text = messages[0]["content"], messages[1]["content"]
    question = text.rpartition("QUESTION\n")[2].partition("\n\n")[0]
    if "Now you reflect" in system:
        return f"REFLECTION >> I think {token} of {question}"
    if "Take the question apart" in system:
        case = CASE.search(question)[0]
        return json.dumps({"sub_questions": [f"What is first in {case} by {token}?", f"What is second in {case}?"]})
    if "Now you act" not in system:
        return json.dumps({"summary": f"First one, second two by {token}."})
    if "first" in question or "second" in question:
        return json.dumps({"request": "final_answer", "argument": f"one by {token}"})
    if "First one" in text:
        return json.dumps({"request": "final_answer", "argument": f"one and two by {token}"})
    return json.dumps({"request": "decomposition", "argument": f"{question} by {token}"})


class Model:
    """`asked`: an Effect for each request, with the number of its case in place of the run."""

    def __init__(self, takes):
        asked = self.asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                at = time.time()
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                messages = json.loads(body)["messages"]
                plain = "\n".join(each["content"] for each in messages)
                token = "T" + secrets.token_hex(8)
                key = hashlib.sha1(TOKEN.sub("T", plain).encode()).hexdigest()
                case = CASE.findall(plain)
                asked.append(Effect(int(case[-1]) if case else -1, key, None, "model", token, at,
                                    self.path.split("/")[1]))
                threading.Event().wait(takes)
                is_reflect = messages[1]["content"].startswith(("CONTEXTUAL INFORMATION", "QUESTION\n"))
                text = reflect_reply(messages, token) if is_reflect else react_reply(plain, token)
                data = json.dumps({"choices": [{"index": 0, "finish_reason": "stop", "message": {
                    "role": "assistant", "content": text}}]}).encode()
                try:
                    self.send_response(200)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                except OSError:
                    pass  # the client is dead

            def log_message(self, *_):
                pass

        class Listener(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 200

            def handle_error(self, *_):
                pass  # the client is dead

        self.server = Listener(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, name):
        return f"http://127.0.0.1:{self.server.server_address[1]}/{name}/v1"

    def close(self):
        self.server.shutdown()
        self.server.server_close()
