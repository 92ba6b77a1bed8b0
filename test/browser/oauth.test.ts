import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import * as providers from "../../src/applications/providers/provider-clients.ts";
import { sampled } from "../support/long-run.ts";
import { initiate, newEmail, redeem } from "../support/person.ts";
import type { KindName } from "../support/providers/kinds.ts";
import { startProvider, type FakeProvider } from "../support/providers/provider.ts";
import { atProvider, mustBeContent, setProvider, startRound } from "../support/providers/round.ts";
import { usersOf } from "./support/records.ts";
import { describeInBrowser } from "./support/stage.ts";
import { backAtTheApp, button, createApp, heading, openSignIn } from "./support/steps.ts";

const kinds: KindName[] = ["github", "openid", "apple"];

describeInBrowser("signing in with a provider", (stage) => {
  describe.each(sampled(kinds, 2))("%s", (kind) => {
    let provider: FakeProvider;
    beforeAll(async () => {
      provider = await startProvider(kind);
    });
    afterEach(() => {
      mustBeContent(provider);
      provider.reset();
    });
    afterAll(async () => await provider.close());

    const somebody = () => ({ subject: "4711", email: newEmail(), verified: true, name: "Ada Lovelace" });

    async function appWithProvider() {
      stage.allowOrigin(provider.origin);
      const app = await createApp(stage, { methods: ["password", "oauth"] });
      await setProvider(stage.service, app, provider);
      return app;
    }

    async function pressButton(page: Page): Promise<void> {
      await button(page, `Continue with ${provider.displayName}`).click();
    }

    it("goes from its button there and straight back to the app, past the page's strict policy", async () => {
      const app = await appWithProvider();
      provider.person = somebody();
      const page = await stage.newPage();
      const session = await openSignIn(stage, page, app, { state: "st" });
      await pressButton(page);
      const brought = await backAtTheApp(stage, page);
      expect(brought.get("state")).toBe("st");
      const { user } = await redeem(stage.service, app, { session, code: brought.get("code") ?? "" }, { state: "st" });
      expect(user).toMatchObject({ email: provider.person.email, emailVerified: true, name: "Ada Lovelace" });
    });

    it("goes there, where the person is asked, and back", async () => {
      const app = await appWithProvider();
      provider.person = somebody();
      provider.asks = true;
      const page = await stage.newPage();
      await openSignIn(stage, page, app);
      await pressButton(page);
      await page.getByRole("link", { name: "Agree" }).click();
      expect((await backAtTheApp(stage, page)).get("code")).toHaveLength(43);
    });

    it("goes there from the app's own button, without a page of ours in between", async () => {
      const app = await appWithProvider();
      provider.person = somebody();
      const { authUrl } = await initiate(stage.service, app, { authMethod: "oauth", provider: provider.name });
      const page = await stage.newPage();
      await page.goto(stage.site.show("/start", `<a href="${authUrl}">Sign in</a>`));
      await page.getByRole("link", { name: "Sign in" }).click();
      expect((await backAtTheApp(stage, page)).get("code")).toHaveLength(43);
    });

    it("starts once for a double click, and signs in once", async () => {
      const app = await appWithProvider();
      provider.person = somebody();
      const page = await stage.newPage();
      await openSignIn(stage, page, app);
      await button(page, `Continue with ${provider.displayName}`).dblclick();
      expect((await backAtTheApp(stage, page)).get("code")).toHaveLength(43);
      expect(provider.received.filter(({ path }) => path === "/authorize")).toHaveLength(1);
      expect(provider.received.filter(({ path }) => path === "/token")).toHaveLength(1);
      expect(stage.site.callbacks).toHaveLength(1);
      expect(await usersOf(stage.service, app)).toHaveLength(1);
    });

    it("S7: signs no victim in whom an attacker sends to the end of the attacker's own round", async () => {
      const app = await appWithProvider();
      const round = await startRound(stage.service, app, provider);
      const { url, fields } = await atProvider(round.address, provider, somebody());
      const inputs = Object.entries(fields ?? {}).map(
        ([name, value]) => `<input type="hidden" name="${name}" value="${value.replaceAll('"', "&quot;")}">`,
      );
      const form = `<form method="post" action="${url}">${inputs.join("")}<button>Win</button></form>`;
      const trap = fields ? form : `<a role="button" href="${url.replaceAll("&", "&amp;")}">Win</a>`;
      const victim = await stage.newPage();
      await victim.goto(stage.site.show("/trap", trap));
      await button(victim, "Win").click();
      await heading(victim).filter({ hasText: "another browser" }).waitFor();
      expect(stage.site.callbacks).toEqual([]);
      expect(await usersOf(stage.service, app)).toEqual([]);
    });
  });

  it("goes to an issuer whose document sends people to another origin", async () => {
    const corp = await startProvider("openid");
    const issuer = corp.origin.replace("127.0.0.1", "localhost");
    corp.instead.set("/.well-known/openid-configuration", () => ({ body: { ...corp.discovery(), issuer } }));
    corp.makeIdToken = async (claims) => await corp.key.sign({ ...claims, iss: issuer });
    corp.person = { subject: "4711", email: newEmail(), verified: true };
    stage.allowOrigin(corp.origin);
    const app = await createApp(stage, { methods: ["oauth"] });
    const actor = { kind: "cli", name: "test" } as const;
    await providers.set(stage.service.server.app.ctx, app.id, { ...corp.settings(), issuer }, actor);
    const page = await stage.newPage();
    await openSignIn(stage, page, app);
    await button(page, "Continue with Corp").click();
    expect((await backAtTheApp(stage, page)).get("code")).toHaveLength(43);
    await corp.close();
  });

  it("goes to any of several providers from one page", async () => {
    const providers = await Promise.all([startProvider("google"), startProvider("github"), startProvider("discord")]);
    const app = await createApp(stage, { methods: ["oauth"] });
    for (const provider of providers) {
      stage.allowOrigin(provider.origin);
      provider.person = { subject: "4711", email: newEmail(), verified: true };
      await setProvider(stage.service, app, provider);
    }
    const page = await stage.newPage();
    for (const [n, provider] of providers.entries()) {
      await openSignIn(stage, page, app);
      await button(page, `Continue with ${provider.displayName}`).click();
      await backAtTheApp(stage, page);
      expect(stage.site.callbacks).toHaveLength(n + 1);
    }
    expect(await usersOf(stage.service, app)).toHaveLength(3);
    await Promise.all(providers.map((provider) => provider.close()));
  });
});
