import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import { Webhook } from "standardwebhooks";
import { createHandler, type HandlerOptions } from "../../packages/sdk/src/handler.ts";
import { createAuthsvc } from "../../packages/sdk/src/index.ts";
import { useService } from "../support/one-service.ts";
import { cookieSecret } from "./app-server.ts";

const current = useService();
afterEach(() => vi.unstubAllEnvs());

async function rightOptions(): Promise<Required<Pick<HandlerOptions, "issuer" | "appId" | "apiKey" | "cookieSecret">>> {
  const app = await current().createApp({ redirectUris: ["http://localhost:3000/callback"] });
  return { issuer: current().url, appId: app.id, apiKey: app.apiKey, cookieSecret };
}

describe("settings that are wrong stop the start: each names its variable and the command that fixes it", () => {
  test.each([
    ["no issuer", { issuer: "" }, "AUTHSVC_ISSUER is not set", "authsvc serve --dev"],
    ["an issuer that is no URL", { issuer: "auth.example" }, "AUTHSVC_ISSUER is not a URL", "authsvc config show"],
    [
      "http to auth.example",
      { issuer: "http://auth.example" },
      "AUTHSVC_ISSUER must begin with https://",
      "authsvc config show",
    ],
    [
      "http to notlocalhost",
      { issuer: "http://notlocalhost" },
      "AUTHSVC_ISSUER must begin with https://",
      "authsvc config show",
    ],
    [
      "http to localhost.example",
      { issuer: "http://localhost.example" },
      "AUTHSVC_ISSUER must begin with https://",
      "authsvc config show",
    ],
    [
      "http to 127.0.0.1.example",
      { issuer: "http://127.0.0.1.example" },
      "AUTHSVC_ISSUER must begin with https://",
      "authsvc config show",
    ],
    ["no app", { appId: "" }, "AUTHSVC_APP_ID is not set", "authsvc app list"],
    ["no key", { apiKey: "" }, "AUTHSVC_API_KEY is not set", "authsvc key create"],
    ["no secret", { cookieSecret: "" }, "AUTHSVC_COOKIE_SECRET is not set", "openssl rand -base64 32"],
    ["a feed without time to wait", { maxStalenessSeconds: 1.9 }, "maxStalenessSeconds must be", "at least 2"],
    ["knowledge without an age", { maxStalenessSeconds: Number.NaN }, "maxStalenessSeconds must be", "at least 2"],
    ["knowledge that never ages", { maxStalenessSeconds: Infinity }, "maxStalenessSeconds must be", "at least 2"],
    ["proxies that are no number", { trustedProxies: "1" as never }, "trustedProxies must be", "from 0 to 10"],
    ["a part of a proxy", { trustedProxies: 0.5 }, "trustedProxies must be", "from 0 to 10"],
    ["less than no proxy", { trustedProxies: -1 }, "trustedProxies must be", "from 0 to 10"],
    ["a short secret", { cookieSecret: "short" }, "AUTHSVC_COOKIE_SECRET has fewer than 32", "openssl rand -base64 32"],
  ])("%s, before any call", async (_, wrong, name, command) => {
    const options = { ...(await rightOptions()), ...wrong };
    const failure = expect.objectContaining({ code: "CONFIGURATION", message: expect.stringContaining(name) });
    expect(() => createHandler(options)).toThrow(failure);
    expect(() => createHandler(options)).toThrow(command);
  });

  test.each([
    [
      "a key of nobody",
      { apiKey: `ak_${"x".repeat(43)}` },
      "AUTHSVC_API_KEY is not a valid",
      "authsvc key create --app",
    ],
    ["another app", { appId: "app_elsewhere" }, 'AUTHSVC_APP_ID is "app_elsewhere"', "authsvc app list"],
    [
      "a redirect URI that is not registered",
      { redirectUri: "https://a.example/cb" },
      "is not registered",
      "--add-redirect-uri https://a.example/cb",
    ],
  ])("%s, by asking the service", async (_, wrong, name, command) => {
    const handler = createHandler({ ...(await rightOptions()), ...wrong });
    const failure = await handler.ready().catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "CONFIGURATION", message: expect.stringContaining(name) });
    expect(failure).toMatchObject({ message: expect.stringContaining(command) });
  });

  test("an address of another program", async () => {
    const other = createServer((_, response) => response.writeHead(404).end("not found"));
    await once(other.listen(0, "127.0.0.1"), "listening");
    const issuer = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const handler = createHandler({ ...(await rightOptions()), issuer });
    await expect(handler.ready()).rejects.toThrow(`There is no authsvc at AUTHSVC_ISSUER (${issuer})`);
    other.close();
  });

  test("another name of the service than its own", async () => {
    const issuer = current().url.replace("127.0.0.1", "localhost");
    const handler = createHandler({
      ...(await rightOptions()),
      issuer: issuer === current().url ? issuer.replace("localhost", "127.0.0.1") : issuer,
    });
    await expect(handler.ready()).rejects.toThrow(`Set AUTHSVC_ISSUER=${current().url}`);
  });

  test("and right ones come from the environment", async () => {
    const { issuer, appId, apiKey } = await rightOptions();
    vi.stubEnv("AUTHSVC_ISSUER", `${issuer}/`);
    vi.stubEnv("AUTHSVC_APP_ID", appId);
    vi.stubEnv("AUTHSVC_API_KEY", apiKey);
    vi.stubEnv("AUTHSVC_COOKIE_SECRET", cookieSecret);
    await createHandler().ready();
  });
});

describe("a webhook delivery", () => {
  const secret = `whsec_${Buffer.from("a secret of the test").toString("base64")}`;
  const body = JSON.stringify({
    event: "user.login",
    timestamp: "2026-11-23T10:00:00.000Z",
    data: { userId: "usr_1" },
  });

  async function receive(
    change: { id?: string; body?: string; signature?: string; offset?: number; secret?: string } = {},
  ) {
    const client = createAuthsvc({ ...(await rightOptions()), now: () => Date.now() + (change.offset ?? 0) });
    const now = new Date();
    const headers = {
      "webhook-id": change.id ?? "evt_1",
      "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
      "webhook-signature": change.signature ?? new Webhook(secret).sign("evt_1", now, body),
    };
    const request = new Request("https://app.example/hooks", { method: "POST", headers, body: change.body ?? body });
    return await client.verifyWebhook(request, change.secret ?? secret);
  }

  test("is the event, with the id that its repetitions share", async () => {
    expect(await receive()).toMatchObject({ id: "evt_1", event: "user.login", data: { userId: "usr_1" } });
  });

  test("may be signed by a secret of any form, and by two during a change", async () => {
    const timestamp = Math.floor(Date.now() / 1000);
    const signature = createHmac("sha256", "any text").update(`evt_1.${timestamp}.${body}`).digest("base64");
    const event = await receive({ secret: "any text", signature: `v1,AAAA v1,${signature}` });
    expect(event.event).toBe("user.login");
  });

  test.each([
    ["of another id", { id: "evt_2" }],
    ["of a changed body", { body: `${body} ` }],
    ["of another secret", { secret: "another secret" }],
    ["without a signature", { signature: "" }],
    ["of another version", { signature: "v2,AAAA" }],
    ["older than five minutes", { offset: 302_000 }],
    ["from the future", { offset: -302_000 }],
  ])("is refused %s", async (_, change) => {
    await expect(receive(change)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  });
});
