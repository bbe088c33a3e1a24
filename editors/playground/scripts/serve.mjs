// Serves GPULINT_SITE on this machine alone, as a server of static files would: with the headers docs/playground.md asks for.

import { createServer } from "node:http";
import { existsSync, readFileSync, statSync } from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";

const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".bin": "application/octet-stream",
  ".txt": "text/plain; charset=utf-8",
};

/** The policy of index.html, with what only a header can say. */
function policyOf(site) {
  const page = readFileSync(path.join(site, "index.html"), "utf8");
  return `${/Content-Security-Policy" content="([^"]+)"/.exec(page)[1]}; frame-ancestors 'none'`;
}

export function serve(site, port = 0) {
  const policy = policyOf(site);
  const asked = [];
  const server = createServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url, "http://localhost").pathname).replace(/\/$/, "/index.html").slice(1);
    asked.push(name);
    const file = path.join(site, name);
    if (request.method !== "GET" || !file.startsWith(site + path.sep) || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    const headers = {
      "Content-Type": types[path.extname(file)] ?? "application/octet-stream",
      "Content-Security-Policy": policy,
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
      "Cache-Control": "no-cache",
    };
    const packed = /\bbr\b/.test(request.headers["accept-encoding"] ?? "") && existsSync(`${file}.br`);
    if (packed) headers["Content-Encoding"] = "br";
    response.writeHead(200, headers).end(readFileSync(packed ? `${file}.br` : file));
  });
  return new Promise((resolve) => {
    server.listen(port, "127.0.0.1", () => resolve({ server, asked, url: `http://127.0.0.1:${server.address().port}/` }));
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { url } = await serve(process.env["GPULINT_SITE"], Number(process.env["PORT"] ?? 8000));
  console.log(`the playground is at ${url}; Ctrl-C ends it`);
}
