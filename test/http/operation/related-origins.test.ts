import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Finding } from "../../../src/upkeep/doctor/finding.ts";
import { examine } from "../../../src/upkeep/doctor/service.ts";
import { describeOnSqlite, updateApp } from "../../support/service.ts";

const domain = "passkeys.example";
let server: Server;
let answer = { status: 200, type: "application/json", body: "" };
let asked: { host: string | undefined; path: string | undefined; cookie: string | undefined }[] = [];

/** As the world resolves the domain: at a server of this machine. */
const resolved: typeof fetch = async (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input);
  if (url.hostname !== domain) return await fetch(input, init);
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}${url.pathname}`, init);
  return Object.defineProperty(response, "url", { value: url.href });
};

const related = ["https://one.test", "https://shop.co.uk"];

describeOnSqlite("doctor and related origins", { surroundings: { fetch: resolved } }, (current) => {
  beforeAll(async () => {
    server = createServer(({ headers, url }, response) => {
      asked.push({ host: headers.host, path: url, cookie: headers.cookie });
      response.writeHead(answer.status, { "content-type": answer.type }).end(answer.body);
    });
    await new Promise<void>((listening) => {
      server.listen(0, "127.0.0.1", listening);
    });
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const baseUrl = "https://auth.elsewhere.test";
  const found = async (options = {}): Promise<Finding[]> =>
    (await examine({ ...current().server.app.ctx, baseUrl }, options)).filter(({ check }) => check === "passkeys");

  it("asks for the file as a browser does", async () => {
    expect(await found()).toMatchObject([{ status: "ok" }]);
    const settings = { relyingPartyId: domain, relatedOrigins: related };
    const { id } = await current().createApp({ domain, settings });
    const fix = `serve the file there that this prints: authsvc app show ${id}`;
    const expected = [baseUrl, ...related];
    const file = (origins: unknown): string => JSON.stringify({ origins });
    const cases: [change: Partial<typeof answer>, words: string][] = [
      [{ body: file(related) }, `does not allow origins of ${id}: ${baseUrl}.`],
      [{ body: file([...expected, "https://evil.test"]) }, `allows origins that ${id} does not have: 1.`],
      [{ status: 404 }, "status 404"],
      [{ type: "text/html" }, "its content type is not application/json"],
      [{ body: "{" }, "it is not JSON with a list of origins"],
      [{ body: file("https://one.test") }, "it is not JSON with a list of origins"],
      [{ body: file(["https://one.test"]) }, "https://shop.co.uk"],
      [{ body: " ".repeat(256 * 1024 + 1) }, "it is larger than 256 KiB"],
      // The sixth name is ignored.
      [{ body: file([...["a", "b", "c"].map((name) => `https://${name}.test`), ...expected]) }, "https://shop.co.uk."],
    ];
    for (const [change, words] of cases) {
      answer = { status: 200, type: "application/json; charset=utf-8", body: file(expected), ...change };
      asked = [];
      const findings = await found();
      expect(findings).toMatchObject([{ status: "warning", fix, message: expect.stringContaining(words) as unknown }]);
      expect(asked).toMatchObject([{ path: "/.well-known/webauthn", cookie: undefined }]);
    }
    answer = { status: 200, type: "application/json; charset=utf-8", body: file(expected) };
    expect(await found()).toMatchObject([{ status: "ok" }]);
    asked = [];
    expect(await found({ isQuick: true })).toMatchObject([{ status: "ok" }]);
    expect(asked).toEqual([]);
    // Below the domain, the service's address need not be in the file.
    const ctx = { ...current().server.app.ctx, baseUrl: `https://auth.${domain}` };
    answer.body = file(related);
    expect((await examine(ctx)).filter(({ check }) => check === "passkeys")).toMatchObject([{ status: "ok" }]);
    asked = [];
    await updateApp(current(), { id }, { settings: { relatedOrigins: null } });
    expect(await found()).toMatchObject([{ status: "ok" }]);
    expect(asked).toEqual([]);
  });

  it("finds those that a change of baseUrl made invalid, and a domain that became shared", async () => {
    const { id } = await current().createApp({ domain: "localhost", settings: { relatedOrigins: related } });
    expect(await found()).toMatchObject([
      { status: "problem", message: expect.stringContaining("only with a domain to which") as unknown },
    ]);
    const other = await current().createApp({ settings: { relyingPartyId: "elsewhere.example" } });
    await current().server.app.ctx.storage.write(async ({ db, tables }) => {
      await db.update(tables.applications).set({ domain: "localhost" }).where(eq(tables.applications.id, other.id));
    });
    const findings = (await examine(current().server.app.ctx)).filter(({ check }) => check === "passkeys");
    expect(findings).toMatchObject([
      { status: "problem", message: expect.stringContaining(`${other.id} has it too`) as unknown },
    ]);
    expect(findings[0]?.message).toContain(id);
    current().clock.now += 1000;
    expect((await fetch(`${current().url}/.well-known/webauthn`)).status).toBe(404);
  });
});
