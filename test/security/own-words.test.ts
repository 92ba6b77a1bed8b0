import { describe, expect, it } from "vitest";
import { changedApplication } from "../../src/applications/change.ts";
import { mailPlaceholders } from "../../src/look/own-words.ts";
import { renderMail } from "../../src/records/mail/render.ts";
import { mailKinds, sampleMail } from "../../src/records/mail/sample.ts";
import type { MailKind, OwnText } from "../../src/storage/column-types.ts";
import * as applications from "../../src/applications/service.ts";
import { Visitor, initiate } from "../support/person.ts";
import { describeOnSqlite, updateApp } from "../support/service.ts";

/** What people type. */
const typed = ["name", "email", "organization", "person", "domain", "token", "method", "code", "link"];

/** By hand, not from the sources: mails that only people with a proved address get. */
const onlyToProved: Partial<Record<MailKind, string[]>> = {
  "domain-missing": ["email"],
  "domain-lost": ["email"],
  "organization-declined": ["email", "organization"],
  "organization-owner-added": ["email", "organization"],
  "organization-provider-changes": ["email", "organization"],
  "organization-provider-fails": ["email", "organization"],
  "organization-relink": ["email", "organization"],
  "organization-owner-removed": ["email", "organization"],
  "organization-deleted": ["email", "organization"],
  approved: ["email"],
  refused: ["email"],
  // The one exception: an invitation names its organization.
  "organization-invite": ["organization"],
};

describeOnSqlite("an application's own words", {}, (current) => {
  const applicationWith = async (texts: OwnText[]) => {
    const { ctx } = current().server.app;
    const { id } = await current().createApp({ name: "Acme" });
    const application = await applications.find(ctx, ctx.storage.reader, id);
    if (!application) throw new Error("no application");
    return changedApplication(application, { settings: { texts } }, () => true);
  };

  describe.each(mailKinds)("in the mail %s", (kind) => {
    it.each(["subject", "intro"])(
      "P15: the %s names nothing that a person typed, unless the address is always proved",
      async (part) => {
        const place = `mail.${kind}.${part}`;
        for (const name of typed) {
          const written = applicationWith([{ place, text: { de: `{app}: {${name}}` } }]);
          if (onlyToProved[kind]?.includes(name)) await written;
          else
            await expect(written).rejects.toMatchObject({
              code: "INVALID_REQUEST",
              rejected: {
                field: "settings.texts",
                rule: expect.stringMatching(/^mail\.\S+ \(de\): no '\{'/u) as string,
              },
            });
        }
      },
    );

    it("P15: a text that is in the database all the same shows no such value", async () => {
      const application = await applicationWith([]);
      const to = "typed-by-somebody@example.com";
      const mail = sampleMail(kind, { appId: "app_1", to, locale: "en", baseUrl: "https://auth.example", now: 0 });
      const rendered = (texts: OwnText[] | null) =>
        renderMail(mail, {
          id: "mail_1",
          application: { ...application, settings: { texts } },
          baseUrl: "https://auth.example",
          askedAt: 0,
        });
      const text = { en: "Hello {email}" };
      const own = rendered([
        { place: `mail.${kind}.subject`, text },
        { place: `mail.${kind}.intro`, text },
      ]);
      if (mailPlaceholders[kind].includes("email")) expect(own.text).toContain(`Hello ${to}`);
      else expect(own).toEqual(rendered(null));
    });
  });

  it("H6: they are text on pages and in mails, and HTML is refused", async () => {
    const service = current();
    const app = await service.createApp({ name: "Acme" });
    const attack = `a&b "c' <3`;
    const escaped = "a&amp;b &quot;c&#39; &lt;3";
    const places = ["sign-in.title", "sign-in.intro", "footer.text", "mail.verify.subject", "mail.verify.intro"];
    const texts: OwnText[] = places.map((place) => ({ place, text: { en: attack } }));
    texts.push({ place: "footer.link", text: { en: attack }, url: "https://acme.example/?a=1&b=2" });
    for (const html of ["<b>Hi</b>", "</p>", "<!--", "<script>"])
      for (const place of places)
        await expect(
          updateApp(service, app, { settings: { texts: [{ place, text: { en: html } }] } }),
        ).rejects.toThrow();
    await updateApp(service, app, { settings: { texts } });
    service.clock.advance(1000);
    const page = await new Visitor().get((await initiate(service, app)).authUrl);
    expect(page.text.split(escaped)).toHaveLength(7);
    expect(page.text).not.toContain(attack);
    expect(page.text).toContain('href="https://acme.example/?a=1&amp;b=2"');
    const application = await applicationWith(texts);
    const now = 1_800_000_000_000;
    const mail = sampleMail("verify", {
      appId: app.id,
      to: "a@b.example",
      locale: "en",
      baseUrl: "https://a.example",
      now,
    });
    const { html } = renderMail(mail, { id: "mail_1", application, baseUrl: "https://a.example", askedAt: now });
    expect(html).not.toContain(attack);
    expect(html.split(escaped)).toHaveLength(6);
  });

  it.each([
    "http://acme.example/",
    "javascript:alert(1)",
    "https://user:word@acme.example/",
    "https://acme.example/<b>",
    "mailto:",
    "mailto:help@acme.example?subject=Hi",
    "mailto:a@acme.example,b@acme.example",
    "MAILTO:a@acme.example",
    "mailto:a@acme.example%0Ab",
    "tel:112",
    "/imprint",
  ])("H6: a link of the footer is https or the mailto of one address, not %s", async (url) => {
    const link = { place: "footer.link", text: { en: "Imprint" }, url };
    await expect(applicationWith([link])).rejects.toMatchObject({
      rejected: { field: "settings.texts", rule: expect.stringContaining("url must be") as string },
    });
  });
});
