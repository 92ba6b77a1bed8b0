import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { render } from "../../src/lib/html.ts";
import { loadAssets } from "../../src/pages/assets/assets.ts";
import type { OptionsAnswer } from "./sample.ts";
import { samples } from "./samples.ts";

/** The pages' content security policy in the service. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
  "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

const logo = `<svg xmlns="http://www.w3.org/2000/svg" width="168" height="40" viewBox="0 0 168 40"><path d="M4 32 18 6l8 15 4-6 9 17z" fill="#fb8500"/><path d="m18 6 8 15-5 11H4z" fill="#ffb703"/><text x="50" y="28" font-family="system-ui" font-size="22" font-weight="700" fill="#023047">Northwind</text></svg>`;

const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 40"><path fill="#8ecae6" d="M0 0h60v40H0z"/><circle cx="30" cy="16" r="8" fill="#fb8500"/><path fill="#023047" d="M14 40a16 14 0 0 1 32 0z"/></svg>`;

/** Serves every sample at /{name}, with its assets and made-up answers to its passkey code. */
export async function startSampleServer(): Promise<{ origin: string; server: Server }> {
  const assets = loadAssets({ demo: true });
  let origin = "";

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname } = new URL(request.url ?? "/", origin);
    const [, name, ...rest] = pathname.split("/");
    const sample = samples.find((candidate) => candidate.name === name);
    if (sample !== undefined && rest.length === 0) {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8", "content-security-policy": policy });
      response.end(render(sample.page(assets.links, origin, `/${sample.name}`)));
      return;
    }
    if (sample !== undefined && rest.at(-1) === "options") {
      answerOptions(response, sample.options ?? "never");
      return;
    }
    if (sample !== undefined && rest.at(-1) === "password-check") {
      json(response, 200, { problem: sample.weak ?? null });
      return;
    }
    const drawing = { "/logo.svg": logo, "/face.svg": picture }[pathname];
    const file = drawing === undefined ? assets.findAsset(pathname) : { body: drawing, type: "image/svg+xml" };
    response.writeHead(file === undefined ? 404 : 200, { "content-type": file?.type ?? "text/plain" });
    response.end(file?.body);
  }

  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // Passkeys need a host name, not an IP address.
  origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  return { origin, server };
}

function answerOptions(response: ServerResponse, kind: OptionsAnswer): void {
  const challenge = "c2FtcGxlLWNoYWxsZW5nZS1zYW1wbGUtY2hhbGxlbmdl";
  switch (kind) {
    case "never":
      return;
    case "offline":
      response.destroy();
      return;
    case "expired":
      json(response, 400, { error: { code: "INVALID_REQUEST", message: "", details: "", requestId: "" } });
      return;
    case "limited":
      response.setHeader("retry-after", "52");
      json(response, 429, { error: { code: "RATE_LIMITED", message: "", details: "", requestId: "" } });
      return;
    case "get":
      json(response, 200, { options: { challenge, rpId: "localhost", timeout: 1000, userVerification: "required" } });
      return;
    case "create":
      json(response, 200, {
        options: {
          challenge,
          rp: { id: "localhost", name: "Acme" },
          user: { id: "dXNlcg", name: "ada@example.com", displayName: "Ada" },
          pubKeyCredParams: [{ type: "public-key", alg: -7 }],
          timeout: 1000,
        },
      });
  }
}

function json(response: ServerResponse, status: number, content: unknown): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(content));
}
