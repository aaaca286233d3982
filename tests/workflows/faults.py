"""Faults between the driver and a model server: each in a command, with its exit code and its sentence."""
import email.utils
import json
import os
import socket
import ssl
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(__file__))
import driver
from driver import Case, weft

KEY = "sk-canary-faults-4711"
SLOW = '{"error": {"message": "slow down"}}'
DONE = "data: [DONE]\n\n"


def event(text, finish=None):
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish}
    return "data: " + json.dumps({"choices": [choice]}) + "\n\n"


ANSWER = event("Answer: ") + event("42", "stop") + DONE


def answer(status, body, *headers):
    """Returns the bytes of a whole answer."""
    head = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body.encode())}", "Connection: close", *headers]
    return ("\r\n".join(head) + "\r\n\r\n" + body).encode()


def good(connection):
    connection.sendall(answer(200, ANSWER, "Content-Type: text/event-stream"))


def fails(status, body="{}", *headers):
    return lambda connection: connection.sendall(answer(status, body, *headers))


def begins(connection, text=""):
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + text.encode())


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")


def breaks_off(connection):
    begins(connection, event("Answer: 4"))
    reset(connection)


def never_ends(connection):
    begins(connection)
    piece = b": " + b"x" * 65536 + b"\n"
    try:
        while True:
            connection.sendall(piece)
    except OSError:  # the client has closed the connection
        pass


class Rude:
    """A server that treats each connection by the next function, further ones by the last function."""

    def __init__(self, *acts, tls=None):
        self.acts, self.tls, self.asked = list(acts), tls, []
        self.listener = socket.create_server(("127.0.0.1", 0))

    def __enter__(self):
        threading.Thread(target=self.serve, daemon=True).start()
        return self, f"{'https' if self.tls else 'http'}://127.0.0.1:{self.listener.getsockname()[1]}/v1"

    def __exit__(self, *_):
        self.listener.close()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            act = self.acts.pop(0) if len(self.acts) > 1 else self.acts[0]
            threading.Thread(target=self.treat, args=(connection, act), daemon=True).start()

    def treat(self, connection, act):
        try:
            with (self.tls.wrap_socket(connection, server_side=True) if self.tls else connection) as peer:
                head = b""
                while b"\r\n\r\n" not in head:
                    head += peer.recv(65536)
                length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
                body = head.split(b"\r\n\r\n", 1)[1]
                while len(body) < length:
                    body += peer.recv(65536)
                self.asked.append((time.monotonic(), head.decode(), json.loads(body)))
                act(peer)
        except OSError:
            pass


def ask(url, *more):
    result = weft("react", "--model", "openai:any", "--base-url", url, *more, "6 * 7?", env={"OPENAI_API_KEY": KEY})
    assert KEY not in result.out + result.err, result
    return result


class Faults(Case):
    def test_a_call_waits_as_long_as_a_limit_requires(self):
        def dated(connection):
            date = email.utils.formatdate(time.time() + 2, usegmt=True)
            fails(429, SLOW, f"Retry-After: {date}")(connection)

        for act, least in ((fails(429, SLOW, "Retry-After: 2"), 2), (dated, 0.9),
                           (fails(429, SLOW, "retry-after-ms: 300"), 0.3), (fails(429, SLOW), 0)):
            with self.subTest(least), Rude(act, good) as (server, url):
                result = ask(url)
                self.expect(result, 0)
                self.assertEqual(result.out, "42\n")
                self.assertIn("Model: openai:any limits how often it is asked (429): slow down; it is asked again in",
                              result.err)
                self.assertGreaterEqual(server.asked[1][0] - server.asked[0][0], least)

    def test_a_call_fails_when_a_limit_requires_more_than_a_minute(self):
        with Rude(fails(429, "{}", "Retry-After: 3600")) as (server, url):
            self.expect(ask(url), 4, "it asks to wait 3600 s before the next try")
            self.assertEqual(len(server.asked), 1)
        with Rude(fails(429, "{}", "Retry-After: 55")) as (server, url):
            self.expect(ask(url, "--timeout", "50"), 4, "would come too late for this run")

    def test_a_call_fails_when_the_credit_is_exhausted(self):
        body = json.dumps({"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}})
        with Rude(fails(429, body)) as (server, url):
            self.expect(ask(url), 4, "the account has no credit left (429)")
            self.assertEqual(len(server.asked), 1)

    def test_a_servers_fault_is_retried_or_reported(self):
        with Rude(fails(500), fails(503, "<html>overloaded</html>"), good) as (server, url):
            result = ask(url)
            self.expect(result, 0)
            self.assertEqual((result.out, len(server.asked)), ("42\n", 3))
        with Rude(fails(500, '{"error": "out of memory"}')) as (server, url):
            self.expect(ask(url), 5, "openai:any failed (500): out of memory; tried 3 times")

    def test_a_broken_off_reply_is_no_answer(self):
        with Rude(breaks_off, good) as (server, url):
            result = ask(url)
            self.expect(result, 5, "a part of its reply had been shown, so it was not asked again")
            self.assertEqual((result.out, len(server.asked)), ("", 1))
        with Rude(breaks_off, good) as (server, url):
            result = ask(url, "--restart")
            self.expect(result, 0)
            self.assertIn("what came of its reply is void", result.err)
            self.assertEqual((result.out, len(server.asked)), ("42\n", 2))
        with Rude(lambda peer: (begins(peer), reset(peer)), good) as (server, url):
            self.expect(ask(url), 0)
            self.assertEqual(len(server.asked), 2)

    def test_an_endless_body_is_aborted(self):
        with Rude(never_ends) as (_, url):
            self.expect(ask(url), 5, "sent too much")

    def test_an_endless_reply_and_unbounded_usage_do_no_harm(self):
        def babbles(connection):
            begins(connection)
            piece = event("x" * 60000).encode()
            try:
                while True:
                    connection.sendall(piece)
            except OSError:
                pass

        with Rude(babbles) as (_, url):
            self.expect(ask(url, "--quiet"), 5, "a reply of more than 4 MB")
        usage = {"prompt_tokens": 2 ** 63 - 1, "completion_tokens": 2 ** 63 - 1}
        huge = "data: " + json.dumps({"choices": [], "usage": usage})
        with Rude(lambda peer: begins(peer, ANSWER.replace(DONE, huge + "\n\n" + DONE))) as (_, url):
            self.expect(ask(url, "--budget", "tokens=1000"), 0)

    def test_an_error_in_a_stream_is_reported_as_an_error(self):
        error = "data: " + json.dumps({"error": {"message": "gone", "code": "invalid_api_key"}}) + "\n\n"
        with Rude(lambda peer: begins(peer, error)) as (_, url):
            self.expect(ask(url), 4, "refused the key")

    def test_untrusted_certificates_are_refused(self):
        certificate, key = driver.FOLDER / "bad.pem", driver.FOLDER / "bad.key"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                        "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-out", certificate, "-keyout", key],
                       check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        with Rude(good, tls=context) as (server, url):
            self.expect(ask(url), 4, "cannot be trusted: self-signed certificate")
            self.assertEqual(server.asked, [])

    def test_a_proxy_of_the_environment_is_used_except_for_this_machine(self):
        with Rude(good) as (server, url):
            proxy = url.replace("http://", "http://user:secret-4711@").removesuffix("/v1")
            env = {"OPENAI_API_KEY": KEY, "http_proxy": proxy, "https_proxy": "http://127.0.0.1:1"}
            words = ["react", "--model", "openai:any", "--base-url", "http://model.test/v1", "6 * 7?"]
            result = weft(*words, env=env)
            self.expect(result, 0)
            self.assertTrue(server.asked[0][1].startswith("POST http://model.test/v1/chat/completions HTTP/1.1"))
            self.assertIn("Proxy-Authorization: Basic ", server.asked[0][1])
            near = weft("react", "--model", "openai:any", "--base-url", url, "6 * 7?", env={**env, "http_proxy": "x:1"})
            self.expect(near, 0)
            secure = weft("react", "--model", "openai:any", "6 * 7?", env=env)
            self.expect(secure, 4, "the proxy http://127.0.0.1:1")
            self.assertNotIn("secret-4711", result.err + secure.err)

    def test_another_model_is_used_when_one_is_not_available(self):
        with Rude(fails(500)) as (_, url), Rude(good) as (second, other):
            env = {"OPENAI_API_KEY": KEY, "OLLAMA_HOST": "127.0.0.1:1"}
            result = weft("react", "--json", "--model", "ollama:none", "--fallback", "openai:any", "6 * 7?",
                          env={**env, "OPENAI_BASE_URL": other})
            self.expect(result, 0)
            self.assertEqual(json.loads(result.out)["response"], "42")
            self.assertIn("openai:any", result.err)
            result = weft("react", "--model", "ollama:none", "--fallback", "openai:any", "6 * 7?",
                          env={**env, "OPENAI_BASE_URL": url})
            self.expect(result, 5, "ollama:none")
        with Rude(fails(401)) as (_, url):
            result = ask(url, "--fallback", "ollama:none")
            self.expect(result, 4, "refused the key (401)")  # another model would not help

    def test_a_cached_reply_names_its_model_and_is_recorded(self):
        cache, record = driver.FOLDER / "replies.jsonl", driver.FOLDER / "from_cache.jsonl"

        def says_43(connection):
            connection.sendall(answer(200, ANSWER.replace("42", "43"), "Content-Type: text/event-stream"))

        with Rude(fails(500), fails(500), fails(500), says_43) as (first, url), Rude(good) as (second, other):
            def asked(*more):
                result = weft("react", "--model", "openai:any", "--base-url", url, "--fallback", "openai:other",
                              "--cache", str(cache), *more, "6 * 7?",
                              env={"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": other})
                self.expect(result, 0)
                return result.out, len(first.asked), len(second.asked)

            self.assertEqual(asked(), ("42\n", 3, 1))
            self.assertEqual(asked(), ("43\n", 4, 1))  # the first model replies again
            self.assertEqual(asked("--record", str(record)), ("43\n", 4, 1))
        again = weft("react", "--model", f"replay:{record}", "6 * 7?")
        self.expect(again, 0)
        self.assertEqual(again.out, "43\n")

    def test_a_recording_gives_the_models_replies(self):
        record = driver.FOLDER / "recording.jsonl"
        record.unlink(missing_ok=True)
        with Rude(good) as (_, url):
            self.expect(ask(url, "--record", str(record)), 0)
        self.assertNotIn(KEY, record.read_text())
        self.assertEqual(record.stat().st_mode & 0o777, 0o600)
        again = weft("react", "--model", f"replay:{record}", "6 * 7?")
        self.expect(again, 0)
        self.assertEqual(again.out, "42\n")
        kept = record.read_text()
        self.expect(weft("react", "--model", driver.script("Answer: 1"), "--record", str(record), "x"), 3,
                    "exists: give another name")
        self.assertEqual(record.read_text(), kept)
        changed = weft("react", "--model", f"replay:{record}", "6 * 8?")
        self.expect(changed, 5, "6 * 7?")
        self.assertIn("6 * 8?", changed.err)
        self.expect(weft("react", "--model", "replay:/no/file", "x"), 3, "/no/file")
        self.expect(weft("react", "--model", f"replay:{record}", "--record", "other.jsonl", "x"), 2, "leave one out")


driver.main()
