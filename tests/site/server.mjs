// A plain server of files: a folder below an address of its own, index.html for a folder, 404.html for what is missing.
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { gzipSync } from "node:zlib";

const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml",
  ".png": "image/png", ".json": "application/json", ".md": "text/markdown; charset=utf-8", ".txt": "text/plain",
  ".xml": "text/xml" };

/// Serves `folder` below `base` on a free port. Returns the server with its `url`; `sent` counts the bytes of answers.
export async function serve(folder, base = "/") {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://site").pathname);
    let file = path.startsWith(base) ? join(folder, normalize(path.slice(base.length - 1))) : "";
    if (file && existsSync(file) && statSync(file).isDirectory()) file = join(file, "index.html");
    const found = file && existsSync(file);
    if (!found) file = join(folder, "404.html");
    const body = gzipSync(readFileSync(file));
    server.sent += body.length;
    response.writeHead(found ? 200 : 404, { "content-type": types[extname(file)] ?? "application/octet-stream",
      "content-encoding": "gzip" });
    response.end(body);
  });
  server.sent = 0;
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  server.url = `http://127.0.0.1:${server.address().port}${base}`;
  return server;
}
