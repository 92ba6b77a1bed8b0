import { createServer, type Server } from "node:net";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import type { NewClient } from "../../../src/applications/clients/rules.ts";
import * as clientSecrets from "../../../src/applications/clients/secrets.ts";
import * as clients from "../../../src/applications/clients/service.ts";
import { clientUses } from "../../../src/applications/clients/uses.ts";
import * as providers from "../../../src/applications/providers/provider-clients.ts";
import * as applications from "../../../src/applications/service.ts";
import { recordFactorTries } from "../../../src/factors/store.ts";
import { minute } from "../../../src/lib/clock.ts";
import type { Finding } from "../../../src/upkeep/doctor/finding.ts";
import { examine } from "../../../src/upkeep/doctor/service.ts";
import { smtpProblem } from "../../../src/records/mail/smtp.ts";
import * as webhooks from "../../../src/records/webhooks/service.ts";
import * as userImport from "../../../src/people/import.ts";
import { givePasskey } from "../../support/methods.ts";
import { createProxy } from "../../support/forward-auth.ts";
import { givePersonalToken } from "../../support/personal-tokens.ts";
import { useProviders } from "../../support/providers/provider.ts";
import { describeEachDatabase, updateApp, type TestService } from "../../support/service.ts";

const actor = { kind: "cli", name: "test" } as const;

async function findingsOf(service: TestService, check: Finding["check"], id = ""): Promise<Finding[]> {
  const findings = await examine(service.server.app.ctx);
  return findings.filter((finding) => finding.check === check && finding.message.includes(id));
}

const [oldIssuer, newIssuer] = await useProviders("openid", "openid");

describeEachDatabase("doctor", (current) => {
  it("finds people whose codes are blocked and who have no passkey that works", async () => {
    const service = current();
    const { id } = await service.createApp();
    const { ctx } = service.server.app;
    const line = { emailVerified: true, totpSecret: "GEZDGNBVGY3TQOJQ" };
    const people = ["usr_blocked", "usr_with_passkey", "usr_fine"].map((name) => `${name}_${service.dialect}`);
    const lines = people.map((name, index) => ({
      line: index + 1,
      json: JSON.stringify({ ...line, id: name, email: `${name}@example.org` }),
    }));
    expect(await userImport.importLines(ctx, id, lines, { dryRun: false }, actor)).toHaveLength(3);
    const [blocked = "", withPasskey = ""] = people;
    await givePasskey(service, withPasskey);
    expect(await findingsOf(service, "second-factors", id)).toEqual([]);
    await ctx.storage.write(async (tx) => {
      for (const userId of [blocked, withPasskey])
        await recordFactorTries(tx, { userId, failures: 100, blockedUntil: 0 });
    });
    const finding = {
      check: "second-factors",
      status: "warning",
      message: `${blocked} of ${id} cannot sign in: too many wrong codes were entered, and the user has no passkey.`,
      fix: `authsvc user recovery-link ${blocked}`,
    };
    expect(await findingsOf(service, "second-factors", id)).toEqual([finding]);
    await applications.update(ctx, id, { authMethods: { passkey: { enabled: false } } }, actor);
    expect(await findingsOf(service, "second-factors", id)).toMatchObject([finding, { status: "warning" }]);
  });

  it("finds live personal access tokens that allow nothing", async () => {
    const service = current();
    const app = await service.createApp({ settings: { personalTokens: true } });
    const { id } = app;
    const { ctx } = service.server.app;
    const json = JSON.stringify({ id: `usr_tokens_${service.dialect}`, email: "tokens@example.org" });
    await userImport.importLines(ctx, id, [{ line: 1, json }], { dryRun: false }, actor);
    const userId = `usr_tokens_${service.dialect}`;
    expect(await findingsOf(service, "personal-tokens", id)).toEqual([]);
    const place = await createProxy(service, app);
    for (const changes of [
      {},
      { scopes: [], hosts: [place.host] },
      { scopes: ["read"], resource: "https://gone.test" },
    ])
      await givePersonalToken(service, userId, changes);
    const words = async () =>
      (await findingsOf(service, "personal-tokens", id)).map(({ message, fix }) => [message, fix]);
    const fix = `authsvc user tokens ${userId} --end-all, for`;
    const gone = "the scopes, resources and hosts are gone or disabled.";
    expect(await words()).toEqual([
      [`1 live personal access token of ${id} allows nothing: ${gone}`, `${fix} its owner`],
    ]);
    await clients.remove(ctx, place.client.id, { actor });
    expect(await words()).toEqual([
      [`2 live personal access tokens of ${id} allow nothing: ${gone}`, `${fix} one of the owners`],
    ]);
    await updateApp(service, app, { settings: { organizations: "required" } });
    expect(String(await words())).toContain("3 live personal access tokens");
    expect(String(await words())).toContain("each token must name an organization");
    await updateApp(service, app, { settings: { organizations: "off", personalTokens: false } });
    expect(String(await words())).toContain("--personal-tokens is off");
  });

  it("finds a provider without an account, until it has one", async () => {
    const service = current();
    const { id } = await service.createApp({ methods: ["oauth"] });
    const { ctx } = service.server.app;
    await applications.update(ctx, id, { authMethods: { oauth: { providers: ["github"] } } }, actor);
    expect(await findingsOf(service, "providers", id)).toEqual([
      {
        check: "providers",
        status: "problem",
        message: `${id} offers github, which is not configured.`,
        fix: `authsvc app provider set ${id} github --client-id ID --client-secret-stdin`,
      },
    ]);
    await providers.set(ctx, id, { name: "github", clientId: "Iv1", secret: "secret" }, actor);
    expect(await findingsOf(service, "providers", id)).toEqual([]);
  });

  it("finds identities of another directory than the provider's, and how to keep them", async () => {
    const service = current();
    const { id } = await service.createApp({ methods: ["oauth"] });
    const { ctx } = service.server.app;
    const [from, to] = [oldIssuer.origin, newIssuer.origin];
    const corp = { name: "corp", clientId: "shop", secret: "secret", issuer: to };
    await providers.set(ctx, id, corp, actor);
    const identities = [{ provider: "corp", subject: "1", issuer: from }];
    const json = JSON.stringify({ email: "ada@example.org", identities });
    await userImport.importLines(ctx, id, [{ line: 1, json }], { dryRun: false }, actor);
    expect(await findingsOf(service, "providers", id)).toEqual([
      {
        check: "providers",
        status: "warning",
        message: `1 identity of corp of ${id} cannot sign in: it is from ${from}, but corp now uses ${to}.`,
        fix: `if that is the same directory: set corp to the endpoints of ${from}, then to the new ones with --keep-identities`,
      },
    ]);
    await providers.set(ctx, id, { ...corp, issuer: from }, actor);
    await providers.set(ctx, id, corp, actor, { keepIdentities: true });
    expect(await findingsOf(service, "providers", id)).toEqual([]);
  });

  it("finds a webhook that fails, and one that was disabled for it", async () => {
    const service = current();
    const { id: appId } = await service.createApp();
    const { ctx } = service.server.app;
    const endpoint = { url: "https://shop.example/hook", events: ["user.login"], secret: "0123456789abcdef" };
    const { id } = await webhooks.create(ctx, appId, endpoint, { actor });
    expect(await findingsOf(service, "webhooks", id)).toEqual([]);
    const set = async (values: { failingSince?: number; enabled?: boolean; disabledReason?: "failing" }) =>
      await service.server.app.ctx.storage.write(async ({ db, tables: { webhookEndpoints } }) => {
        await db.update(webhookEndpoints).set(values).where(eq(webhookEndpoints.id, id));
      });
    await set({ failingSince: service.clock.now });
    expect(await findingsOf(service, "webhooks", id)).toMatchObject([
      { status: "warning", fix: `authsvc webhook test ${id}` },
    ]);
    await set({ enabled: false, disabledReason: "failing" });
    expect(await findingsOf(service, "webhooks", id)).toMatchObject([
      { status: "problem", fix: `authsvc webhook update ${id} --enabled on` },
    ]);
  });

  it("finds sign-up that is open without mail, and closed it is content", async () => {
    const service = current();
    const { id } = await service.createApp();
    expect(await findingsOf(service, "sign-up", id)).toMatchObject([{ status: "warning" }]);
    await applications.update(service.server.app.ctx, id, { settings: { signUp: "closed" } }, actor);
    expect(await findingsOf(service, "sign-up", id)).toEqual([]);
  });

  describe("OpenID Connect clients", () => {
    const day = 24 * 60 * minute;
    const ctx = () => current().server.app.ctx;
    const create = async (input: Partial<NewClient> = {}) => {
      const { id: appId } = await current().createApp();
      const redirectUris = ["https://graphs.example/cb"];
      const { client } = await clients.create(ctx(), { appId, name: "Graphs", redirectUris, ...input }, {}, { actor });
      return { appId, id: client.id };
    };
    const found = async (id: string) =>
      (await findingsOf(current(), "clients", id)).map(({ status, message, fix }) => [status, message, fix]);

    it("are fine with https and a secret that lasts", async () => {
      const { id } = await create();
      expect(await found(id)).toEqual([]);
    });

    it("without a redirect URI, or with plain http", async () => {
      const { id } = await create({ redirectUris: [] });
      const fix = `authsvc client update ${id} --redirect-uri URI`;
      expect(await found(id)).toEqual([["warning", `Nobody can sign in to ${id}: it has no redirect URI.`, fix]]);
      await clients.update(ctx(), id, { redirectUris: ["http://localhost:3000/cb"] }, { actor });
      expect(await found(id)).toEqual([
        ["warning", `${id} redirects to http://localhost:3000/cb, which is not https.`, fix],
      ]);
      await clients.update(ctx(), id, { enabled: false }, { actor });
      expect(await found(id)).toEqual([]);
      const native = await create({ kind: "native", redirectUris: ["http://127.0.0.1/cb"] });
      expect(await found(native.id)).toEqual([]);
    });

    it("that nobody has used for a year", async () => {
      const { id } = await create();
      const { now } = current().clock;
      current().clock.advance(365 * day - 1);
      expect(await found(id)).toEqual([]);
      current().clock.advance(1);
      expect(await found(id)).toEqual([["warning", `${id} has never been used.`, `authsvc client delete ${id}`]]);
      clientUses(ctx()).note(id, current().clock.now);
      await clients.sweep(ctx());
      expect(await found(id)).toEqual([]);
      current().clock.now = now;
    });

    it("whose last secret ends soon, or has ended", async () => {
      const { id } = await create();
      const [first] = await clientSecrets.listSecrets(ctx(), id);
      const second = await clientSecrets.rotateSecret(ctx(), { clientId: id, overlap: day }, actor);
      expect(await found(id)).toEqual([]);
      await clientSecrets.revokeSecret(ctx(), second.id, actor);
      expect(await found(id)).toEqual([
        [
          "warning",
          `The last secret of ${id} ends at ${new Date(current().clock.now + day).toISOString()}.`,
          `authsvc client secret rotate ${id}`,
        ],
      ]);
      await clientSecrets.revokeSecret(ctx(), first?.id ?? "", actor);
      expect(await found(id)).toEqual([
        [
          "problem",
          `${id} cannot authenticate: it has no live secret, no keys and no credential of an issuer.`,
          `authsvc client secret create ${id}`,
        ],
      ]);
    });

    it("that request addresses which some users do not have", async () => {
      const { id, appId } = await create();
      const json = JSON.stringify({ id: `usr_${appId}` });
      await userImport.importLines(ctx(), appId, [{ line: 1, json }], { dryRun: false }, actor);
      expect(await found(id)).toEqual([
        [
          "warning",
          `Users of ${appId} without an address may not get into ${id}, which may request the scope email.`,
          `authsvc client update ${id} --scope openid profile`,
        ],
      ]);
      await clients.update(ctx(), id, { scopes: ["openid", "profile"] }, { actor });
      expect(await found(id)).toEqual([]);
    });
  });
});

it("a mail server is tried, and one that says nothing is given up", async () => {
  const silent: Server = createServer(() => {});
  await new Promise<void>((listening) => silent.listen(0, "127.0.0.1", listening));
  const { port } = silent.address() as { port: number };
  const server = { host: "127.0.0.1", port, user: undefined, password: undefined, tls: "none" as const };
  expect(await smtpProblem(server, 200)).toMatch(/^it sent no greeting|^it did not answer/u);
  silent.close();
  expect(await smtpProblem({ ...server, port: 1 }, 5000)).toBe("the connection was refused");
});
