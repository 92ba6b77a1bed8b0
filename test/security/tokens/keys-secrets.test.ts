import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { authsvc } from "../../cli/in-process.ts";
import { placeOf } from "../../cli/service-place.ts";
import { call } from "../../support/person.ts";
import { describeSqliteFirst, startTestService, type TestService } from "../../support/service.ts";

const tryKey = async (service: TestService, apiKey: string) =>
  await call(service, "GET", "/webhooks/endpoints", { authorization: `Bearer ${apiKey}` });

/** A key of another body whose checksum is right: only storage can tell that it is none. */
function completeKey(body: string): string {
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  let checksum = "";
  for (let rest = crc32(body); checksum.length < 6; rest = Math.floor(rest / 62))
    checksum = digits.charAt(rest % 62) + checksum;
  return `ak_${body}_${checksum}`;
}

describeSqliteFirst("API keys as secrets", (service) => {
  it("A1: a key is shown when it is made and by no command, call or log of changes afterwards", async () => {
    const app = await service.createApp();
    const place = placeOf(service);
    const rotated = await authsvc(["key", "rotate", "--app", app.id, "--overlap", "1h", "--json"], place);
    const { apiKey } = JSON.parse(rotated.stdout) as { apiKey: string };
    expect(apiKey).toMatch(/^ak_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/u);
    const shown = [];
    for (const args of [
      ["key", "list", "--app", app.id],
      ["key", "list"],
      ["app", "show", app.id],
      ["app", "list"],
      ["export"],
      ["audit", "list"],
      ["config", "show"],
      ["doctor"],
    ])
      for (const form of [[], ["--json"]]) {
        const { stdout, stderr } = await authsvc([...args, ...form], place);
        shown.push(stdout, stderr);
      }
    for (const path of [
      `/applications/${app.id}`,
      "/webhooks/endpoints",
      `/api/config?app_id=${app.id}`,
      "/openapi.json",
    ])
      shown.push(JSON.stringify(await call(service, "GET", path, { authorization: `Bearer ${apiKey}` })));
    expect(shown.join("").length).toBeGreaterThan(1000);
    for (const secret of [apiKey, app.apiKey])
      for (const form of [
        secret,
        secret.slice(3, 40),
        hash("sha256", secret, "base64url"),
        hash("sha256", secret, "hex"),
      ])
        expect(shown.join("\n").includes(form)).toBe(false);
  });

  it("A1: what is stored and compared is the key's SHA-256, so that no timing of the comparison says anything about the key", async () => {
    const app = await service.createApp();
    const { db, tables } = service.server.app.ctx.storage.reader;
    const [row] = await db.select().from(tables.apiKeys).where(eq(tables.apiKeys.appId, app.id));
    expect(row?.keyDigest).toBe(hash("sha256", app.apiKey, "base64url"));
    expect(JSON.stringify(row)).not.toContain(app.apiKey.slice(3, 20));
    // The digest itself opens nothing, in whichever form somebody who has read the database tries
    // it.
    for (const stolen of [
      row?.keyDigest ?? "",
      `ak_${row?.keyDigest}`,
      completeKey((row?.keyDigest ?? "").replaceAll(/[_-]/gu, "0")),
    ])
      expect(await tryKey(service, stolen)).toMatchObject({
        status: 401,
        body: { error: { code: "INVALID_API_KEY" } },
      });
  });

  it("A1: no part, form or neighbour of a key opens anything", async () => {
    const app = await service.createApp();
    const { apiKey } = app;
    const near = Array.from(
      { length: apiKey.length },
      (_, at) => apiKey.slice(0, at) + (apiKey[at] === "a" ? "b" : "a") + apiKey.slice(at + 1),
    );
    const forms = [
      apiKey.slice(0, -1),
      `${apiKey}0`,
      apiKey.toLowerCase(),
      apiKey.slice(3),
      apiKey.slice(3, 46),
      ` ${apiKey} x`,
      `${apiKey}%00`,
      "%",
      "*",
    ];
    for (const other of [...near, ...forms, completeKey(near[5]?.slice(3, 46) ?? "")])
      expect([other, (await tryKey(service, other)).status]).toEqual([other, 401]);
    const basic = `Basic ${Buffer.from(`${apiKey}:`).toString("base64")}`;
    for (const authorization of [
      apiKey,
      basic,
      `Token ${apiKey}`,
      `Bearer "${apiKey}"`,
      `Bearer ${apiKey}, Bearer ${apiKey}`,
    ])
      expect((await call(service, "GET", "/webhooks/endpoints", { authorization })).status, authorization).toBe(401);
    expect((await tryKey(service, apiKey)).status).toBe(200);
  });
});

describe("without its database", () => {
  it("A1: the service still refuses a mistyped key, by its checksum alone", async () => {
    const { service, stop } = await startTestService("sqlite");
    const { apiKey } = await service.createApp();
    await service.server.app.ctx.storage.close();
    const mistyped = `${apiKey.slice(0, 10)}${apiKey[10] === "a" ? "b" : "a"}${apiKey.slice(11)}`;
    for (const key of [mistyped, apiKey.slice(0, 20), "short", ""])
      expect(await tryKey(service, key)).toMatchObject({ status: 401, body: { error: { code: "INVALID_API_KEY" } } });
    // Of a complete one nobody can tell.
    for (const key of [apiKey, completeKey(apiKey.slice(4, 46).padStart(43, "0"))])
      expect(await tryKey(service, key)).toMatchObject({ status: 500, body: { error: { code: "SERVER_ERROR" } } });
    await stop().catch(() => undefined);
  });
});
