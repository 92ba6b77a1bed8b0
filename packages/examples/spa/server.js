import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

// Static files, and what is not secret of the settings.
const { AUTHSVC_ISSUER: issuer, AUTHSVC_APP_ID: appId, PORT = 3000 } = process.env;
const sdk = dirname(fileURLToPath(import.meta.resolve("@authsvc/sdk/browser")));

async function contentOf(path) {
  if (path === "/settings.json") return ["application/json", JSON.stringify({ issuer, appId })];
  const [, script] = /^\/sdk\/([\w-]+\.js)$/.exec(path) ?? [];
  if (script) return ["text/javascript", await readFile(join(sdk, script))];
  return ["text/html", await readFile(new URL("index.html", import.meta.url))];
}

async function answer(request, response) {
  const [type, content] = await contentOf(request.url.split("?")[0]);
  response.setHeader("content-type", type).end(content);
}

createServer((request, response) => {
  // Nothing that a visitor asks for may end the program.
  answer(request, response).catch(() => response.writeHead(404).end());
}).listen(PORT);
