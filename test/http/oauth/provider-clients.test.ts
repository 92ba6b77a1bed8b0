import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import * as providers from "../../../src/applications/providers/provider-clients.ts";
import type { ProviderInput } from "../../../src/applications/providers/provider-input.ts";
import * as applications from "../../../src/applications/service.ts";
import { auditOf } from "../../support/providers/records.ts";
import { describeSqliteFirst, withApp } from "../../support/service.ts";

const actor = { kind: "cli", name: "test" } as const;
const secret = "canary-of-a-client-secret-0123456789";

function pem(type: "ec" | "rsa" | "ed25519", namedCurve = "P-256", form: "pkcs8" | "sec1" = "pkcs8"): string {
  const pair =
    type === "ec"
      ? generateKeyPairSync("ec", { namedCurve })
      : type === "rsa"
        ? generateKeyPairSync("rsa", { modulusLength: 2048 })
        : generateKeyPairSync("ed25519");
  return pair.privateKey.export({ type: form, format: "pem" });
}

const p8 = pem("ec");
const github: ProviderInput = { name: "github", clientId: "Iv1.8a61f9b3a7aba766", secret };
const apple: ProviderInput = {
  name: "apple",
  clientId: "com.example.web",
  secret: p8,
  teamId: "TEAM123456",
  keyId: "KEY1234567",
};
const corp: ProviderInput = { name: "corp", clientId: "c", secret, issuer: "https://id.corp.example" };

describeSqliteFirst("an app's accounts with providers", (current) => {
  it("are set, listed in the order of setting, and removed; and each time the app's methods follow", async () => {
    const { service, app } = await withApp(current());
    const { ctx } = service.server.app;
    const answer = await providers.set(ctx, app.id, { ...github, name: "GitHub" }, actor);
    expect(answer).toEqual({
      name: "github",
      displayName: "GitHub",
      callbackUrl: `${service.server.app.ctx.baseUrl}/oauth/github/callback`,
      clientId: github.clientId,
      enabled: true,
      endpoints: {
        authorizationUrl: "https://github.com/login/oauth/authorize",
        tokenUrl: "https://github.com/login/oauth/access_token",
        userinfoUrl: "https://api.github.com/user",
        jwksUrl: undefined,
        issuer: undefined,
      },
      trustsEmail: true,
      trustsSecondFactor: null,
      emailClaim: "email",
      updatedAt: new Date(service.clock.now).toISOString(),
    });
    service.clock.advance(1000);
    await providers.set(ctx, app.id, corp, actor);
    expect((await providers.list(ctx, app.id)).map(({ name }) => name)).toEqual(["github", "corp"]);
    const oauth = async () => (await applications.find(ctx, ctx.storage.reader, app.id))?.authMethods.oauth;
    expect(await oauth()).toEqual({ enabled: true, providers: ["github", "corp"] });
    await providers.remove(ctx, app.id, "GITHUB", actor);
    expect(await oauth()).toEqual({ enabled: true, providers: ["corp"] });
    await providers.remove(ctx, app.id, "corp", actor);
    expect(await oauth()).toMatchObject({ providers: [] });
    expect(await providers.list(ctx, app.id)).toEqual([]);
    const audit = (await auditOf(service, app)).filter(({ action }) => action.startsWith("provider."));
    expect(audit.map(({ action, details }) => `${action} ${String(details["provider"])}`).toSorted()).toEqual([
      "provider.remove corp",
      "provider.remove github",
      "provider.set corp",
      "provider.set github",
    ]);
    expect(JSON.stringify(audit)).not.toContain(secret);
  });

  it("are replaced whole by setting them again, in their place", async () => {
    const { service, app } = await withApp(current());
    const enterprise = { authorizationUrl: "https://git.corp.example/login/oauth/authorize" };
    await providers.set(service.server.app.ctx, app.id, { ...github, ...enterprise }, actor);
    service.clock.advance(1000);
    await providers.set(service.server.app.ctx, app.id, corp, actor);
    service.clock.advance(1000);
    await providers.set(service.server.app.ctx, app.id, { ...github, clientId: "other" }, actor);
    const [first, second] = await providers.list(service.server.app.ctx, app.id);
    expect(first).toMatchObject({ name: "github", clientId: "other" });
    expect(first?.endpoints.authorizationUrl).toBe("https://github.com/login/oauth/authorize");
    expect(second?.name).toBe("corp");
    const application = await applications.find(service.server.app.ctx, service.server.app.ctx.storage.reader, app.id);
    expect(application?.authMethods.oauth.providers).toEqual(["github", "corp"]);
  });

  it("belong to one app", async () => {
    const service = current();
    const [app, other] = [await service.createApp(), await service.createApp()];
    await providers.set(service.server.app.ctx, app.id, github, actor);
    expect(await providers.list(service.server.app.ctx, other.id)).toEqual([]);
    expect(await providers.isConfigured(service.server.app.ctx, other.id, "github")).toBe(false);
    await expect(providers.remove(service.server.app.ctx, other.id, "github", actor)).rejects.toMatchObject({
      code: "METHOD_NOT_FOUND",
    });
    expect(await providers.isConfigured(service.server.app.ctx, app.id, "github")).toBe(true);
  });

  it("need an app that exists", async () => {
    const unknown = { code: "APP_NOT_FOUND" };
    await expect(providers.set(current().server.app.ctx, "app_nowhere", github, actor)).rejects.toMatchObject(unknown);
    await expect(providers.list(current().server.app.ctx, "app_nowhere")).rejects.toMatchObject(unknown);
    await expect(providers.remove(current().server.app.ctx, "app_nowhere", "github", actor)).rejects.toMatchObject(
      unknown,
    );
  });

  it("keep their secrets encrypted, and show them to nobody", async () => {
    const { service, app } = await withApp(current());
    const answers = [];
    for (const input of [github, apple, corp])
      answers.push(await providers.set(service.server.app.ctx, app.id, input, actor));
    answers.push(...(await providers.list(service.server.app.ctx, app.id)));
    const config = await fetch(`${service.url}/api/config?app_id=${app.id}`);
    const shown = JSON.stringify([answers, await config.text()]);
    const stored = await service.databaseText();
    const body = p8.split("\n")[1] ?? "";
    expect(body.length).toBeGreaterThan(60);
    for (const hidden of [secret, body, body.slice(10, 40), Buffer.from(secret).toString("base64").slice(0, 30)]) {
      expect(stored).not.toContain(hidden);
      expect(shown).not.toContain(hidden);
    }
    expect(stored).toContain(github.clientId);
  });

  it("do not share a ciphertext: one app's cannot be put into another's place", async () => {
    const service = current();
    const [app, other] = [await service.createApp(), await service.createApp()];
    await providers.set(service.server.app.ctx, app.id, github, actor);
    await providers.set(service.server.app.ctx, other.id, { ...github, secret: "another" }, actor);
    const { storage } = service.server.app.ctx;
    const rows = await storage.reader.db.select().from(storage.reader.tables.oauthProviders);
    const stolen = rows.find(({ appId }) => appId === app.id)?.encryptedSecret ?? "";
    await storage.write(async ({ db, tables: { oauthProviders } }) => {
      await db.update(oauthProviders).set({ encryptedSecret: stolen });
    });
    const provider = await providers.find(service.server.app.ctx, other.id, "github");
    await expect(provider?.clientSecret()).rejects.toThrow();
    expect(await (await providers.find(service.server.app.ctx, app.id, "github"))?.clientSecret()).toBe(secret);
  });

  describe("refuse", () => {
    const nul = "\0";
    const addresses = [
      "",
      "example.org/x",
      "//example.org/x",
      "http://example.org/x",
      "http://localhost.evil.example/x",
      "http://127.0.0.1.evil.example/x",
      "http://10.0.0.1/x",
      "ftp://example.org/x",
      "javascript:alert(1)",
      "https://user@example.org/x",
      "https://:password@example.org/x",
      "https://example.org/x#fragment",
      "https://example.org/a b",
      " https://example.org/x",
      "https://example.org/\tx",
      `https://example.org/${nul}`,
      `https://example.org/${"x".repeat(3000)}`,
    ];
    const fields = ["issuer", "authorizationUrl", "tokenUrl", "userinfoUrl", "jwksUrl"] as const;
    const wrong: [input: ProviderInput, field: string][] = [
      ...[
        "",
        "1corp",
        "-corp",
        "corp_1",
        "co rp",
        "corp.example",
        "c".repeat(33),
        "cörp",
        "__proto__",
        `corp${nul}`,
        "a/b",
      ].map((name): [ProviderInput, string] => [{ ...corp, name }, "name"]),
      ...["", "   ", "x".repeat(513), `a${nul}b`, "a\nb"].map((clientId): [ProviderInput, string] => [
        { ...github, clientId },
        "clientId",
      ]),
      ...["", " \n ", "x".repeat(8193)].map((text): [ProviderInput, string] => [{ ...github, secret: text }, "secret"]),
      [{ ...corp, issuer: undefined }, "issuer"],
      [{ ...corp, issuer: "https://id.corp.example/?tenant=1" }, "issuer"],
      [{ ...apple, teamId: undefined }, "teamId"],
      [{ ...apple, keyId: undefined }, "keyId"],
      [{ ...apple, teamId: "" }, "teamId"],
      [{ ...apple, keyId: "" }, "keyId"],
      [{ ...apple, keyId: `K${nul}` }, "keyId"],
      [{ ...github, teamId: "TEAM123456" }, "teamId"],
      [{ ...corp, keyId: "KEY1234567" }, "keyId"],
      ...[
        secret,
        pem("rsa"),
        pem("ed25519"),
        pem("ec", "P-384"),
        pem("ec", "secp256k1"),
        p8.slice(0, 80),
        p8.replaceAll("-", ""),
      ].map((key): [ProviderInput, string] => [{ ...apple, secret: key }, "secret"]),
      ...fields.flatMap((field) =>
        addresses.map((address): [ProviderInput, string] => [{ ...corp, [field]: address }, field]),
      ),
    ];

    it.each(wrong.map(([input, field]) => [field, shownOf(input, field), input] as const))(
      "a wrong %s: %s",
      async (field, _shown, input) => {
        const { service, app } = await withApp(current());
        const refused = providers.set(service.server.app.ctx, app.id, input, actor);
        await expect(refused).rejects.toMatchObject({
          code: "INVALID_REQUEST",
          details: expect.stringContaining(field),
        });
        const { details } = (await refused.catch((error: unknown) => error)) as { details: string };
        expect(details).not.toContain("PRIVATE KEY");
        expect(details).not.toContain(secret);
        expect(await providers.list(service.server.app.ctx, app.id)).toEqual([]);
      },
    );
  });

  it.each([
    { ...corp, issuer: "http://localhost:1/realms/x" },
    { ...corp, issuer: "http://127.0.0.1:1" },
    { ...corp, issuer: "http://[::1]:1" },
    { ...github, userinfoUrl: "https://git.corp.example/api/v3/user" },
    { ...github, name: "microsoft", issuer: "https://login.microsoftonline.com/{tenantid}/v2.0" },
    { ...apple, secret: p8.replaceAll("\n", "\r\n") },
    { ...apple, secret: pem("ec", "P-256", "sec1") },
    { ...corp, name: "c", secret: ` ${secret}\n` },
  ])("take %o", async (input) => {
    const { service, app } = await withApp(current());
    await providers.set(service.server.app.ctx, app.id, input, actor);
    expect(await providers.list(service.server.app.ctx, app.id)).toHaveLength(1);
  });
});

/** A value for a title: short, with nothing in it that a terminal would act upon. */
function shownOf(input: ProviderInput, field: string): string {
  const value = JSON.stringify(input[field as keyof ProviderInput]) ?? "none";
  return value.length > 60 ? `${value.slice(0, 30)}… of ${value.length} characters` : value;
}
