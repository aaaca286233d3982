"""The static driver reaches servers by /etc/hosts and by DNS, by https and in PostgreSQL, from a root that names
modules. Each module ends a program that loads it. Runs as root in a network of its own, where names and ports are free:
network.py ROOT COMPILER QUESTION; ROOT has /weft, and for another processor /qemu."""
import fcntl
import http.server
import json
import os
import pathlib
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading

ROOT, COMPILER, QUESTION = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
INSIDE = [shutil.which("chroot"), ROOT, *(["/qemu"] if (ROOT / "qemu").exists() else [])]
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
STORE = f"postgres://weft@store.weft.test/postgres?sslmode=verify-full&sslrootcert={CERTIFICATES}"
MODEL = ["--model", "openai:any", "--base-url", "https://model.weft.test/v1"]
KEY = {"OPENAI_API_KEY": "sk-canary-of-the-check-of-packages"}
ANSWER = "The model has answered."
asked = set()  # names, as DNS writes them


def run(words, **more):
    seen = subprocess.run([str(word) for word in words], text=True, capture_output=True, stdin=subprocess.DEVNULL,
                          **more)
    if seen.returncode:
        raise SystemExit(f"{words}: exit code {seen.returncode}\n{seen.stdout}{seen.stderr}")
    return seen.stdout


def weft(*words, **variables):
    return subprocess.run([*INSIDE, "/weft", *words], text=True, capture_output=True, stdin=subprocess.DEVNULL,
                          env={"PATH": "/bin", "PGPASSWORD": "secret", "OPENSSL_CONF": "/openssl.cnf", **variables})


def expect(text, seen, code=0):
    if seen.returncode != code or text not in seen.stdout + seen.stderr:
        raise SystemExit(f"expected {text!r} and exit code {code}, and it was {seen}")


def write(name, text):
    (ROOT / name).parent.mkdir(parents=True, exist_ok=True)
    (ROOT / name).write_text(text)


def set_traps(folder):
    (folder / "trap.c").write_text("__attribute__((constructor)) static void load(void) { __builtin_trap(); }")
    module = ROOT / "lib" / run([COMPILER, "-print-multiarch"]).strip() / "libnss_trap.so.2"
    module.parent.mkdir(parents=True)
    run([COMPILER, "-shared", "-fPIC", "-nostdlib", folder / "trap.c", "-o", module])
    # A static program of no such care loads the module, and ends.
    (folder / "careless.c").write_text("#include <pwd.h>\nint main(void) { return getpwnam(\"any\") != 0; }")
    run([COMPILER, "-static", folder / "careless.c", "-o", ROOT / "careless"])
    run([*INSIDE, "/careless"])
    databases = ("hosts", "passwd", "group", "services", "protocols", "networks")
    write("etc/nsswitch.conf", "".join(f"{name}: trap files dns\n" for name in databases))
    write("openssl.cnf", "openssl_conf = all\n[all]\nproviders = list\n[list]\ntrap = trap\n[trap]\nactivate = 1\n"
          f"module = /{module.relative_to(ROOT)}\n")
    if subprocess.run([str(word) for word in [*INSIDE, "/careless"]], capture_output=True).returncode == 0:
        raise SystemExit("the check's module ends no program: glibc searches modules elsewhere")


def answer_names():
    """A DNS server: each name has the address 127.0.0.1."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 53))
    while True:
        query, client = server.recvfrom(4096)
        end = query.index(0, 12) + 5
        asked.add(query[12:end - 4])
        is_address = query[end - 4:end - 2] == b"\0\1"
        reply = query[:2] + b"\x81\x80" + struct.pack(">4H", 1, is_address, 0, 0) + query[12:end]
        if is_address:
            reply += b"\xc0\x0c\0\1\0\1\0\0\0\0\0\4\x7f\0\0\1"
        server.sendto(reply, client)


class Model(http.server.BaseHTTPRequestHandler):
    def send(self, kind, text):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def do_GET(self):
        self.send("application/json", '{"data": []}')

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        part = {"choices": [{"index": 0, "delta": {"content": ANSWER}, "finish_reason": "stop"}]}
        self.send("text/event-stream", f"data: {json.dumps(part)}\n\ndata: [DONE]\n\n")

    def log_message(self, *_):
        pass


def start_servers(folder):
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh14x", b"lo", 1))  # SIOCSIFFLAGS: up
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
         "/CN=weft.test", "-addext", "subjectAltName=DNS:model.weft.test,DNS:store.weft.test", "-keyout", key, "-out",
         certificate])
    threading.Thread(target=answer_names, daemon=True).start()
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 443), Model)
    server.socket = tls.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    programs = max(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name),
                   default=None)
    if not programs:
        raise SystemExit("PostgreSQL's server is missing: install postgresql-15")
    (folder / "password").write_text("secret")
    for path in (folder, *folder.iterdir()):
        shutil.chown(path, "postgres", "postgres")
    postgres = {"user": "postgres", "group": "postgres", "extra_groups": [], "cwd": folder, "env": {"LC_ALL": "C"}}
    data = folder / "data"
    run([programs / "initdb", "-D", data, "-U", "weft", "--auth=scram-sha-256", f"--pwfile={folder / 'password'}",
         "-E", "UTF8", "--no-sync"], **postgres)
    with open(data / "pg_hba.conf", "w", encoding="utf-8") as file:
        file.write("hostssl all all 127.0.0.1/32 scram-sha-256\n")
    run([programs / "pg_ctl", "-D", data, "-l", folder / "log", "-w", "start", "-o",
         f"-h 127.0.0.1 -k {folder} -c ssl=on -c ssl_cert_file={certificate} -c ssl_key_file={key}"], **postgres)
    return certificate, [programs / "pg_ctl", "-D", data, "-m", "immediate", "stop"], postgres


def check(certificate):
    write("etc/hosts", "127.0.0.1 store.weft.test\n")
    write("etc/resolv.conf", "nameserver 127.0.0.1\n")
    expect("certificate", weft("doctor", *MODEL, **KEY), 3)
    write(CERTIFICATES[1:], certificate.read_text())
    seen = weft("doctor", *MODEL, "--store", STORE, "--json", **KEY)
    expect('"ready":true', seen)
    expect("https://model.weft.test answers", seen)
    expect(ANSWER, weft("react", "Who are you?", *MODEL, **KEY))
    expect("212.73", weft("react", QUESTION, "--store", STORE))
    expect("done", weft("runs", "--store", STORE))
    if b"\5model\4weft\4test\0" not in asked or b"\5store\4weft\4test\0" in asked:
        raise SystemExit(f"/etc/hosts has store.weft.test, and DNS model.weft.test; asked of DNS: {asked}")


with tempfile.TemporaryDirectory() as name:
    set_traps(pathlib.Path(name))
    certificate, stop, postgres = start_servers(pathlib.Path(name))
    try:
        check(certificate)
    finally:
        run(stop, **postgres)
