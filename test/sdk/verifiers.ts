import { sign } from "node:crypto";
import { afterEach } from "vitest";
import { createAuthsvc, type AuthsvcOptions } from "../../packages/sdk/src/index.ts";
import * as operatorTokens from "../../src/sessions/operator-tokens.ts";
import * as signingKeys from "../../src/tokens/signing-keys.ts";
import { signedUp } from "../support/person.ts";
import type { TestApp, TestService } from "../support/service.ts";

/** `intercept`: what the client gets instead of the service's answer. */
type Options = AuthsvcOptions & { intercept?: (path: string, response: Response) => Promise<Response> };

/** Clients of the package, which are closed after each test. */
export function verifiers(current: () => TestService, create = createAuthsvc) {
  const clients: { close(): void }[] = [];
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });

  /** A client that counts its calls. `blocked` ones find no service. */
  function clientOf(app: TestApp, { intercept, ...options }: Options = {}) {
    const calls: string[] = [];
    const blocked = new Set<string>();
    const client = create({
      issuer: current().url,
      appId: app.id,
      apiKey: app.apiKey,
      now: () => current().clock.now,
      async fetch(url, init) {
        const path = new URL(url).pathname;
        calls.push(path);
        if (blocked.has(path)) throw new TypeError("fetch failed");
        const response = await fetch(url, init);
        return intercept ? await intercept(path, response) : response;
      },
      ...options,
    });
    clients.push(client);
    const asked = (): number => calls.filter((path) => path === "/auth/validate").length;
    return { client, calls, blocked, asked };
  }

  /** A client that has listened for so long that new tokens are not in doubt. */
  async function listeningClient(app: TestApp, options: Options = {}) {
    const made = clientOf(app, options);
    await made.client.verify((await signedUp(current(), app)).accessToken);
    current().clock.advance(6 * 60_000);
    made.calls.splice(0);
    return made;
  }

  /** The same of a new application, with somebody who has signed in since. */
  async function listening(options: Options = {}) {
    const app = await current().createApp();
    const made = await listeningClient(app, options);
    return { app, ...made, ...(await signedUp(current(), app)) };
  }

  /** A token of a new user of the application, valid for a day. */
  async function mint(app: TestApp): Promise<string> {
    const userId = String((await signedUp(current(), app)).user["id"]);
    const { ctx } = current().server.app;
    const input = { userId, scopes: undefined, seconds: 86_400 };
    const minted = await operatorTokens.mint(ctx, input, { dryRun: false }, { kind: "cli", name: "test" });
    return minted.accessToken ?? "";
  }

  /** The token with other claims, signed by the service's key. */
  async function signedWith(accessToken: string, changes: object, header: object = {}): Promise<string> {
    const key = await signingKeys.forSigning(current().server.app.ctx, "ES256");
    const [, payload = ""] = accessToken.split(".");
    const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const claims: object = JSON.parse(Buffer.from(payload, "base64url").toString());
    const input = `${encoded({ typ: "at+jwt", alg: "ES256", kid: key.id, ...header })}.${encoded({ ...claims, ...changes })}`;
    const signature = sign("sha256", Buffer.from(input), { key: key.privateKey, dsaEncoding: "ieee-p1363" });
    return `${input}.${signature.toString("base64url")}`;
  }

  return { clientOf, listening, listeningClient, mint, signedWith };
}
