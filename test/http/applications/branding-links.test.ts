import { expect, it } from "vitest";
import * as applications from "../../../src/applications/service.ts";
import { openAccount } from "../../support/account.ts";
import { signedUpIn } from "../../support/adding.ts";
import { call, initiate, Visitor, type Page } from "../../support/person.ts";
import { describeOnSqlite } from "../../support/service.ts";

const actor = { kind: "cli", name: "test" } as const;
const links = {
  termsUrl: "https://shop.example/terms",
  privacyUrl: "https://shop.example/privacy",
  supportUrl: "https://shop.example/help",
};

describeOnSqlite("an application's links", (current) => {
  it("stand below its pages, open in a new tab, and are not in the HTTP API's branding", async () => {
    const service = current();
    const app = await service.createApp();
    const { ctx } = service.server.app;
    await applications.update(ctx, app.id, { branding: links }, actor);
    const page = await new Visitor().get((await initiate(service, app)).authUrl);
    for (const [address, label] of [
      [links.termsUrl, "Terms"],
      [links.privacyUrl, "Privacy"],
      [links.supportUrl, "Support"],
    ])
      expect(page.text).toContain(`<a href="${address}" target="_blank" rel="noopener">${label}</a>`);
    const { body } = await call(service, "GET", `/applications/${app.id}`, app.headers);
    expect(Object.keys((body as { branding: object }).branding)).toEqual(["logo", "primaryColor", "companyName"]);
  });

  it.each(["http://shop.example/", "javascript:alert(1)", "https://a@shop.example/", "shop.example", ""])(
    "are https addresses, which %j is not",
    async (supportUrl) => {
      const service = current();
      const { id } = await service.createApp();
      await expect(
        applications.update(service.server.app.ctx, id, { branding: { supportUrl } }, actor),
      ).rejects.toMatchObject({ details: expect.stringContaining("branding.supportUrl") });
    },
  );
});

describeOnSqlite("an application's home", (current) => {
  const homeIn = ({ text }: Page) => /<a [^>]*href="([^"]+)"[^>]*>Back to Acme<\/a>/u.exec(text)?.[1];
  const redirectUris = ["http://localhost:8080/dev/demo/callback", "http://localhost:3000/signed-in"];

  it("is the origin of the first redirect URI that is not the demo page's", async () => {
    const service = current();
    const app = await service.createApp({ name: "Acme", redirectUris });
    const { visitor } = await signedUpIn(service, app);
    expect(homeIn(await openAccount(service, app, visitor))).toBe("http://localhost:3000/");
    await applications.update(service.server.app.ctx, app.id, { redirectUris: redirectUris.slice(0, 1) }, actor);
    expect(homeIn(await openAccount(service, app, visitor))).toBe("http://localhost:8080/");
  });

  it("is what its server sets as branding.homeUrl, on every page that leads back, until null", async () => {
    const service = current();
    const app = await service.createApp({ name: "Acme", redirectUris });
    const patch = async (homeUrl: unknown) =>
      await call(service, "PATCH", `/applications/${app.id}`, app.headers, { branding: { homeUrl } });
    const { visitor } = await signedUpIn(service, app);
    const homeUrl = "https://acme.example/welcome?from=sign-in";
    const branding = { logo: null, primaryColor: null, companyName: null };
    expect(await patch(homeUrl)).toMatchObject({ status: 200, body: { branding: { ...branding, homeUrl } } });
    expect(homeIn(await openAccount(service, app, visitor))).toBe(homeUrl);
    const { authUrl } = await initiate(service, app);
    service.clock.advance(11 * 60_000);
    expect(homeIn(await new Visitor().get(authUrl))).toBe(homeUrl);
    const publicConfig = await call(service, "GET", `/api/config?app_id=${app.id}`, {});
    expect((publicConfig.body as { branding: object }).branding).toEqual(branding);
    const { body } = await patch(null);
    expect((body as { branding: object }).branding).toEqual(branding);
    expect(homeIn(await openAccount(service, app, visitor))).toBe("http://localhost:3000/");
  });

  it.each(["http://shop.example/", "javascript:alert(1)", "https://a@shop.example/", "shop.example", ""])(
    "is an address that could be a redirect URI, which %j is not",
    async (homeUrl) => {
      const app = await current().createApp();
      const answer = await call(current(), "PATCH", `/applications/${app.id}`, app.headers, { branding: { homeUrl } });
      expect(answer).toMatchObject({
        status: 400,
        body: { error: { details: expect.stringMatching(/^branding\.homeUrl: /u) } },
      });
    },
  );
});
