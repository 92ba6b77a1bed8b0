import { expect, test } from "vitest";
import * as applications from "../../src/applications/service.ts";
import { openConsole, type Console } from "../support/console.ts";
import { describeOnSqlite, updateApp } from "../support/service.ts";
import { filled } from "./support-forms.ts";
import type { Page } from "../support/person.ts";

const at = "shows=mail.reset&lang=de";

/** The preview that a page shows. */
async function previewOf(console: Console, page: Page): Promise<string> {
  const [, source = ""] = /<iframe[^>]*\ssrc="([^"]*)"/u.exec(page.text) ?? [];
  return (await console.visitor.get(`${console.url}${source.replaceAll("&amp;", "&")}`)).text;
}

async function press(console: Console, page: Page, values: Record<string, string>): Promise<Page> {
  return await console.submit(page, "/texts/change", { ...filled(page, "/texts/change"), ...values });
}

describeOnSqlite("an application's own words in the console", {}, (current) => {
  const textsOf = async (id: string) => {
    const { ctx } = current().server.app;
    return (await applications.find(ctx, ctx.storage.reader, id))?.settings.texts;
  };

  test("are shown before they are saved, as the mail or page that people get", async () => {
    const app = await current().createApp({ name: "Acme" });
    await updateApp(current(), app, { settings: { texts: [{ place: "sign-in.title", text: { en: "Hi" } }] } });
    const console = await openConsole(current());
    const path = `/applications/${app.id}/texts`;
    const page = await console.get(`${path}?${at}`);
    const words = { subject: "Neues Wort für {app}", intro: "Wähle <3 es." };
    const checked = await press(console, page, { ...words, check: "yes" });
    const preview = await previewOf(console, checked);
    expect(preview).toContain("Neues Wort für Acme");
    expect(preview).toContain("Wähle &lt;3 es.");
    expect(checked.text).toContain("--texts");
    expect(await textsOf(app.id)).toHaveLength(1);
    const saved = await press(console, checked, {});
    expect(saved.text).toContain("The words were saved.");
    expect(await textsOf(app.id)).toEqual([
      { place: "sign-in.title", text: { en: "Hi" } },
      { place: "mail.reset.subject", text: { de: words.subject } },
      { place: "mail.reset.intro", text: { de: words.intro } },
    ]);
    const mail = await console.get(`/mail/texts/preview?kind=reset&language=de&app=${app.id}`);
    const undated = (html: string) => html.replaceAll(/\d+[.:]\d+[^<]*/gu, "");
    expect(undated(await previewOf(console, saved))).toBe(undated(mail.text));
    for (const [shows, title] of [
      ["sign-up", "Join Acme"],
      ["account", "Hello Ada Example"],
    ] as const) {
      const form = await console.get(`${path}?shows=${shows}&lang=en`);
      const shown = await press(console, form, { title: title.replace("Ada Example", "{name}"), check: "yes" });
      expect(await previewOf(console, shown)).toContain(`<h1>${title}</h1>`);
    }
  });

  test("keep the other languages and places, and follow what somebody else has written there", async () => {
    const app = await current().createApp();
    const both = { place: "footer.link", text: { en: "Imprint", de: "Impressum" }, url: "https://acme.example/i" };
    await updateApp(current(), app, { settings: { texts: [both] } });
    const console = await openConsole(current());
    const page = await console.get(`/applications/${app.id}/texts?shows=footer&lang=en`);
    expect(filled(page, "/texts/change")["link"]).toBe("https://acme.example/i Imprint");
    await updateApp(current(), app, { settings: { texts: [both, { place: "account.title", text: { en: "Me" } }] } });
    await press(console, page, { link: "mailto:help@acme.example Write to us\r\n", text: "Acme Ltd" });
    expect(await textsOf(app.id)).toEqual([
      { place: "footer.link", text: { de: "Impressum" }, url: "https://acme.example/i" },
      { place: "account.title", text: { en: "Me" } },
      { place: "footer.text", text: { en: "Acme Ltd" } },
      { place: "footer.link", text: { en: "Write to us" }, url: "mailto:help@acme.example" },
    ]);
    const late = await press(console, page, { text: "Another" });
    expect(late.status).toBe(422);
    expect(late.text).toContain("Somebody else has changed this in the meantime: Text.");
  });

  test("a refused text is kept, with its rule", async () => {
    const app = await current().createApp();
    const console = await openConsole(current());
    const page = await console.get(`/applications/${app.id}/texts?${at}`);
    const refused = await press(console, page, { subject: "Für {email}" });
    expect([refused.status, filled(refused, "/texts/change")["subject"]]).toEqual([422, "Für {email}"]);
    expect(refused.text).toContain("mail.reset.subject (de): no");
    expect(await textsOf(app.id)).toBeUndefined();
  });

  test("H1: another site chooses no words of a preview, which runs no script", async () => {
    const app = await current().createApp({ name: "Acme" });
    const console = await openConsole(current());
    const query = "shows=sign-in&lang=en&title=Evil&intro=x";
    const url = `${console.url}/console/applications/${app.id}/texts/preview?${query}`;
    const preview = await console.visitor.get(url, { "sec-fetch-site": "cross-site" });
    expect(preview.text).not.toContain("Evil");
    expect(preview.headers.get("content-security-policy")).toContain("script-src 'none'");
    expect((await console.visitor.get(url)).text).toContain("<h1>Evil</h1>");
  });

  test("a viewer reads them and has no form", async () => {
    const app = await current().createApp();
    await updateApp(current(), app, { settings: { texts: [{ place: "sign-in.title", text: { en: "Hi there" } }] } });
    const console = await openConsole(current(), { role: "viewer" });
    const page = await console.get(`/applications/${app.id}/texts`);
    expect(page.text).toContain("Hi there");
    expect(page.text).not.toContain('method="post" action="/console/applications/');
  });
});
