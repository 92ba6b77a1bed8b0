import { and, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import * as providers from "../../../src/applications/providers/provider-clients.ts";
import type { ProviderRow } from "../../../src/applications/providers/provider-store.ts";
import { useService } from "../../support/one-service.ts";
import { openPage, goodPassword, initiate, newEmail, signUp, Visitor } from "../../support/person.ts";
import { startProvider, useProviders } from "../../support/providers/provider.ts";
import { identitiesOf, usersOf } from "../../support/providers/records.ts";
import {
  atProvider,
  codeOf,
  comeBack,
  setProvider,
  signInAt,
  startRound,
  appWith,
} from "../../support/providers/round.ts";
import type { TestApp, TestService } from "../../support/service.ts";

const [google, github] = await useProviders("google", "github");

const actor = { kind: "cli", name: "test" } as const;

/**
 * What can become of a provider's row: edited by hand, restored from another backup, or its
 * provider is gone.
 */
const damages: [title: string, damage: Partial<ProviderRow>][] = [
  ["an encrypted secret that is none", { encryptedSecret: "garbage" }],
  ["an empty secret", { encryptedSecret: "" }],
  ["an authorization address that is none", { authorizationUrl: "not an address" }],
  ["a token address that is none", { tokenUrl: "not an address" }],
  ["a token address where nobody listens", { tokenUrl: "http://127.0.0.1:1/token" }],
  ["keys that are nowhere", { jwksUrl: "not an address" }],
  ["keys where nobody listens", { jwksUrl: "http://127.0.0.1:1/keys" }],
  ["another client", { clientId: "client-of-somebody-else" }],
  ["another issuer", { issuer: "https://other.example" }],
];

const service = useService();

describe("a provider whose configuration is broken", () => {
  it.each(damages)(
    "O12, GHSA-8fpg-xm3f-6cx3: by %s, signs nobody in and says so on a page, is in no other's way, and is well again once it is set again",
    async (_title, damage) => {
      const app = await appWith(service, [google, github]);
      const email = newEmail();
      await signUp(service, app, { email });
      const ada = () => ({ subject: "1", email: newEmail(), verified: true });
      await change(service, app, "google", damage);
      const visitor = new Visitor();
      const start = await visitor.get(
        (await initiate(service, app, { authMethod: "oauth", provider: "google" })).authUrl,
      );
      expect(start.status).toBeLessThan(500);
      if (start.status === 303 && start.location.origin === google.origin && damage.clientId === undefined) {
        const done = await comeBack(visitor, await atProvider(start.location, google, ada()));
        expect(done.status).toBe(400);
        expect(done.text).toContain("Google didn&#39;t answer as expected");
      }
      expect(await identitiesOf(service, app)).toEqual([]);
      const other = await openPage(service, app);
      expect(other.page.status).toBe(200);
      expect(other.page.text).toContain("Continue with GitHub");
      codeOf(await other.visitor.submit(other.page, "/password", { email, password: goodPassword }));
      codeOf((await signInAt(service, app, github, ada())).done);
      await setProvider(service, app, google);
      codeOf((await signInAt(service, app, google, ada())).done);
    },
  );

  it("O12, GHSA-8fpg-xm3f-6cx3: an issuer that is gone is in no other's way, and the page does not wait for it", async () => {
    const app = await appWith(service, [github]);
    const gone = { name: "corp", clientId: "c", secret: "s", issuer: "http://127.0.0.1:1" };
    await providers.set(service.server.app.ctx, app.id, gone, actor);
    const page = await new Visitor().get((await initiate(service, app)).authUrl);
    expect(page.status).toBe(200);
    expect(page.text).toContain("Continue with GitHub");
    const session = await initiate(service, app, { authMethod: "oauth", provider: "corp" });
    expect((await new Visitor().get(session.authUrl)).status).toBe(400);
    codeOf((await signInAt(service, app, github, { subject: "1", email: newEmail(), verified: true })).done);
  });

  it("O12: a configuration that breaks in the middle of a round, when its secret is changed at the provider but not here", async () => {
    const app = await appWith(service, [github]);
    const round = await startRound(service, app, github);
    await providers.set(service.server.app.ctx, app.id, { ...github.settings(), secret: "old" }, actor);
    const back = await atProvider(round.address, github, { subject: "1", email: newEmail(), verified: true });
    expect((await comeBack(round.visitor, back)).status).toBe(400);
    expect(github.complaints).toEqual(["github: token: The client credentials are wrong, or not in the body."]);
    expect(await usersOf(service, app)).toEqual([]);
  });
});

describe("an issuer whose document sends people to another origin", () => {
  it("H2: an issuer on another origin than its own is reached by a page of its own, because the policy of the sign-in page cannot name that origin", async () => {
    const corp = await startProvider("openid");
    const issuer = corp.origin.replace("127.0.0.1", "localhost");
    const app = await service.createApp({ methods: ["oauth"] });
    await providers.set(service.server.app.ctx, app.id, { ...corp.settings(), issuer }, actor);
    corp.instead.set("/.well-known/openid-configuration", () => ({ body: { ...corp.discovery(), issuer } }));
    const visitor = new Visitor();
    const page = await visitor.get((await initiate(service, app)).authUrl);
    const left = await visitor.submit(page, "/oauth/corp", {});
    expect(left.status).toBe(200);
    const [, address = ""] = /^0; url=(\S+)$/u.exec(left.headers.get("refresh") ?? "") ?? [];
    expect(new URL(address).origin).toBe(corp.origin);
    expect(left.text).toContain(address.replaceAll("&", "&amp;"));
    corp.makeIdToken = async (claims) => await corp.key.sign({ ...claims, iss: issuer });
    const person = { subject: "1", email: newEmail(), verified: true };
    codeOf(await comeBack(visitor, await atProvider(new URL(address), corp, person)));
    await corp.close();
  });
});

describe("an issuer whose name ends with a slash", () => {
  it.each(["found by its document", "with every address given by hand"])("works %s", async (how) => {
    const corp = await startProvider("openid");
    const issuer = `${corp.origin}/`;
    const app = await service.createApp({ methods: ["oauth"] });
    const { authorizationUrl, tokenUrl, jwksUrl } = {
      authorizationUrl: `${corp.origin}/authorize`,
      tokenUrl: `${corp.origin}/token`,
      jwksUrl: `${corp.origin}/keys`,
    };
    const byHand = how.startsWith("with") ? { authorizationUrl, tokenUrl, jwksUrl } : {};
    await providers.set(service.server.app.ctx, app.id, { ...corp.settings(), issuer, ...byHand }, actor);
    corp.instead.set("/.well-known/openid-configuration", () => ({ body: { ...corp.discovery(), issuer } }));
    corp.makeIdToken = async (claims) => await corp.key.sign({ ...claims, iss: issuer });
    codeOf((await signInAt(service, app, corp, { subject: "1", email: newEmail(), verified: true })).done);
    await corp.close();
  });
});

async function change(service: TestService, app: TestApp, name: string, damage: Partial<ProviderRow>): Promise<void> {
  await service.server.app.ctx.storage.write(async ({ db, tables: { oauthProviders } }) => {
    await db
      .update(oauthProviders)
      .set(damage)
      .where(and(eq(oauthProviders.appId, app.id), eq(oauthProviders.name, name)));
  });
}
