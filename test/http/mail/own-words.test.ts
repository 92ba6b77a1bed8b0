import { expect, it, vi } from "vitest";
import { renderMail } from "../../../src/records/mail/render.ts";
import { mailKinds, sampleMail } from "../../../src/records/mail/sample.ts";
import { mailLanguages } from "../../../src/records/mail/texts/texts.ts";
import * as applications from "../../../src/applications/service.ts";
import type { OwnText } from "../../../src/storage/column-types.ts";
import { openAccount, proveAt } from "../../support/account.ts";
import { enqueue, resetMail } from "../../support/mail-flows.ts";
import { useMailServer } from "../../support/mail.ts";
import { initiate, newEmail, signUp, Visitor } from "../../support/person.ts";
import { describeOnSqlite, updateApp, type TestApp, type TestService } from "../../support/service.ts";

const server = await useMailServer();

const footer: OwnText[] = [
  { place: "footer.text", text: { de: "Acme GmbH, Berlin", en: "Acme Ltd, Berlin" } },
  { place: "footer.link", text: { de: "Impressum" }, url: "https://acme.example/impressum" },
  { place: "footer.link", text: { en: "Write to us" }, url: "mailto:help@acme.example" },
];

async function set(service: TestService, app: TestApp, texts: OwnText[] | null): Promise<void> {
  await updateApp(service, app, { settings: { texts } });
  service.clock.advance(1000);
}

async function signInPage(service: TestService, app: TestApp, locale?: string) {
  const { authUrl } = await initiate(service, app, locale === undefined ? {} : { locale });
  return await new Visitor().get(authUrl);
}

describeOnSqlite("an application's own words", { mail: server.mail }, (current) => {
  it("stand on its sign-in and sign-up pages, in the language that has them", async () => {
    const service = current();
    const app = await service.createApp({ name: "Acme" });
    await set(service, app, [
      { place: "sign-in.title", text: { en: "Welcome to {app}", de: "Willkommen bei {app}" } },
      { place: "sign-in.intro", text: { en: "For our members." } },
      { place: "sign-up.title", text: { en: "Join {app}" } },
      { place: "sign-up.intro", text: { en: "It is free." } },
      ...footer,
    ]);
    const { authUrl } = await initiate(service, app, { locale: "en" });
    const visitor = new Visitor();
    const english = await visitor.get(authUrl);
    expect(english.text).toContain("<h1>Welcome to Acme</h1>");
    expect(english.text).toContain("<title>Welcome to Acme</title>");
    expect(english.text).toContain("<p>For our members.</p>");
    expect(english.text).toContain(">Acme Ltd, Berlin</p>");
    expect(english.text).toContain('href="mailto:help@acme.example"');
    // In another language rather than not at all: it may be the law.
    expect(english.text).toContain('<bdi lang="de">Impressum</bdi>');
    const signUp = await visitor.get(`${authUrl}/create-account`);
    expect(signUp.text).toContain("<h1>Join Acme</h1>");
    expect(signUp.text).toContain("<p>It is free.</p>");
    const german = await signInPage(service, app, "de");
    expect(german.text).toContain("<h1>Willkommen bei Acme</h1>");
    expect(german.text).not.toContain("For our members.");
    const french = await signInPage(service, app, "fr");
    expect(french.text).not.toContain("Welcome");
    expect(french.text).toContain(">Acme Ltd, Berlin</p>");
  });

  it("stand in a sent mail as its subject and intro, behind the code, with the footer", async () => {
    const service = current();
    const app = await service.createApp({ name: "Acme" });
    await set(service, app, [
      { place: "mail.reset.subject", text: { en: "Your new {app} password" } },
      { place: "mail.reset.intro", text: { en: "Choose it now." } },
      ...footer,
    ]);
    const to = newEmail();
    await enqueue(service, resetMail(service, app.id, { to }));
    const mail = await vi.waitUntil(() => server.received.find((each) => each.to.includes(to)), 60_000);
    expect(mail.subject).toBe("12345678 – Your new Acme password");
    for (const part of [mail.text, mail.html])
      for (const words of ["Choose it now.", "Acme Ltd, Berlin", "Impressum", "mailto:help@acme.example"])
        expect(part).toContain(words);
    expect(mail.text).toContain("If it wasn't you");
  });

  it("change nothing where there are none, and every mail of which there are", async () => {
    const service = current();
    const app = await service.createApp({ name: "Acme" });
    const before = await signInPage(service, app);
    const places = mailKinds.flatMap((kind) => [`mail.${kind}.subject`, `mail.${kind}.intro`]);
    await set(service, app, [...places.map((place) => ({ place, text: { en: `${place} {app}` } })), ...footer]);
    const { ctx } = service.server.app;
    const application = await applications.find(ctx, ctx.storage.reader, app.id);
    if (!application) throw new Error("no application");
    const render = (kind: (typeof mailKinds)[number], locale: string, texts: OwnText[] | null | undefined) =>
      renderMail(sampleMail(kind, { appId: app.id, to: "a@b.example", locale, baseUrl: "https://a.example", now: 0 }), {
        id: "mail_1",
        application: { ...application, settings: texts === undefined ? {} : { texts } },
        baseUrl: "https://a.example",
        askedAt: 0,
      });
    for (const kind of mailKinds) {
      const { subject, text, html } = render(kind, "en", application.settings.texts);
      expect(subject.endsWith(`mail.${kind}.subject Acme`)).toBe(true);
      for (const part of [text, html]) expect(part).toContain(`mail.${kind}.intro Acme`);
      for (const locale of mailLanguages.keys())
        expect(render(kind, locale, null)).toEqual(render(kind, locale, undefined));
    }
    await set(service, app, null);
    expect((await applications.find(ctx, ctx.storage.reader, app.id))?.settings).not.toHaveProperty("texts");
    const ids = /sis_[\w-]+|value="[^"]{20,}"/gu;
    expect((await signInPage(service, app)).text.replaceAll(ids, "")).toBe(before.text.replaceAll(ids, ""));
  });

  it.each<[string, OwnText[], string]>([
    ["an unknown place", [{ place: "sign-in.titel", text: { en: "Go" } }], "did you mean sign-in.title?"],
    ["a place twice", [...footer, { place: "footer.text", text: { en: "x" } }], "footer.text is given twice"],
    ["another language", [{ place: "sign-in.title", text: { en: "Hi", nl: "Hoi" } }], "text by language"],
    ["no text", [{ place: "sign-in.title", text: {} }], "sign-in.title: text by language"],
    ["blank text", [{ place: "sign-in.title", text: { en: " " } }], "sign-in.title (en): 1 to 120 characters"],
    ["two lines", [{ place: "sign-in.intro", text: { en: "a\nb" } }], "1 to 500 characters in one line"],
    ["a direction mark", [{ place: "sign-in.intro", text: { en: "a\u202Eb" } }], "no control characters"],
    ["a long title", [{ place: "sign-in.title", text: { en: "x".repeat(121) } }], "1 to 120 characters"],
    ["an unknown placeholder", [{ place: "sign-in.title", text: { de: "{App}" } }], "except in {app}"],
    ["an open brace", [{ place: "sign-in.title", text: { en: "{app" } }], "except in {app}"],
    ["a placeholder in the footer", [{ place: "footer.text", text: { en: "{app}" } }], "no '{' or '}'"],
    ["a link without an address", [{ place: "footer.link", text: { en: "x" } }], "url must be an https URL"],
    ["an address elsewhere", [{ place: "footer.text", text: { en: "x" }, url: "https://a.b/" }], "no url"],
    ["six links", Array.from({ length: 6 }, () => ({ ...footer[1] }) as OwnText), "footer.link: at most 5"],
  ])("are checked when they are written: %s", async (_what, texts, rule) => {
    const app = await current().createApp();
    await expect(updateApp(current(), app, { settings: { texts } })).rejects.toMatchObject({
      rejected: { field: "settings.texts", rule: expect.stringContaining(rule) as string },
    });
  });

  it("are bounded together, because each sign-in reads them", async () => {
    const app = await current().createApp();
    const text = Object.fromEntries([...mailLanguages.keys()].map((lang) => [lang, "x".repeat(500)]));
    const texts = mailKinds.slice(0, 15).map((kind) => ({ place: `mail.${kind}.intro`, text }));
    await expect(updateApp(current(), app, { settings: { texts } })).rejects.toThrow();
    await updateApp(current(), app, { settings: { texts: texts.slice(0, 14) } });
  });
});

describeOnSqlite("an application's own words on its account page", {}, (current) => {
  it("may name the person; without a name, the page has its own title", async () => {
    const service = current();
    const app = await service.createApp({ name: "Acme" });
    await set(service, app, [
      { place: "account.title", text: { en: "Hello {name}" } },
      { place: "account.intro", text: { en: "This is {email} at {app}." } },
    ]);
    const [named, nameless] = [newEmail(), newEmail()];
    await signUp(service, app, { email: named, name: "Ada {email}" });
    await signUp(service, app, { email: nameless });
    const open = async (email: string) => {
      const visitor = new Visitor();
      const begun = await openAccount(service, app, visitor);
      await proveAt(visitor, begun, email);
      return (await openAccount(service, app, visitor)).text;
    };
    const page = await open(named);
    expect(page).toContain("<h1>Hello Ada {email}</h1>");
    expect(page).toContain(`<p>This is ${named} at Acme.</p>`);
    const other = await open(nameless);
    expect(other).not.toContain("Hello");
    expect(other).toContain(`<p>This is ${nameless} at Acme.</p>`);
  });
});
