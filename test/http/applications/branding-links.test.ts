import { expect, it } from "vitest";
import { call, initiate, Visitor } from "../../support/person.ts";
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
    const { applications } = service.server.app.services;
    await applications.update(app.id, { branding: links }, actor);
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
        service.server.app.services.applications.update(id, { branding: { supportUrl } }, actor),
      ).rejects.toMatchObject({ details: expect.stringContaining("branding.supportUrl") });
    },
  );
});
