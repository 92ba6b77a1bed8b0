import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

// Static files, and what is not secret of the settings.
const { AUTHSVC_ISSUER: issuer, AUTHSVC_APP_ID: appId, PORT = 3000 } = process.env;
const sdk = dirname(fileURLToPath(import.meta.resolve("@authsvc/sdk/browser")));

createServer(async (request, response) => {
  const path = new URL(request.url, "http://localhost").pathname;
  if (path === "/settings.json") {
    response.setHeader("content-type", "application/json").end(JSON.stringify({ issuer, appId }));
  } else if (/^\/sdk\/[\w-]+\.js$/.test(path)) {
    response.setHeader("content-type", "text/javascript").end(await readFile(join(sdk, path.slice(5))));
  } else {
    response.setHeader("content-type", "text/html").end(await readFile(new URL("index.html", import.meta.url)));
  }
}).listen(PORT);
