import { expect, it } from "vitest";
import { pageLanguages } from "../../../src/look/texts/texts.ts";
import { accountUrl } from "../../support/account.ts";
import { call, goodPassword, initiate, newEmail, Visitor, type Page } from "../../support/person.ts";
import { useApp, describeOnSqlite } from "../../support/service.ts";

/** The first lines of a page: which language, which way, which heading. */
function opening({ text }: Page): {
  lang?: string | undefined;
  dir?: string | undefined;
  heading?: string | undefined;
} {
  const [, lang, dir] = /<html lang="([^"]*)" dir="([^"]*)">/u.exec(text) ?? [];
  // The isolates around a name are not seen.
  const heading = /<h1>([^<]*)<\/h1>/u.exec(text)?.[1]?.replaceAll(/[\u2068\u2069]/gu, "");
  return { lang, dir, heading };
}

const german = { lang: "de", dir: "ltr", heading: "Bei Acme anmelden" };
const french = { lang: "fr", dir: "ltr", heading: "Se connecter à Acme" };
const arabic = { lang: "ar", dir: "rtl", heading: "تسجيل الدخول إلى Acme" };
const english = { lang: "en", dir: "ltr", heading: "Sign in to Acme" };

describeOnSqlite("the language of the pages", (current) => {
  const app = useApp(current, { name: "Acme" });

  async function signInPage(locale: string | undefined, accepted?: string): Promise<Page> {
    const { authUrl } = await initiate(current(), app, locale === undefined ? {} : { locale });
    return await new Visitor(accepted === undefined ? {} : { "accept-language": accepted }).get(authUrl);
  }

  it("is what the app asks for, whatever the browser accepts", async () => {
    expect(opening(await signInPage("de"))).toEqual(german);
    expect(opening(await signInPage("de-AT", "fr"))).toEqual(german);
    expect(opening(await signInPage("ar", "en"))).toEqual(arabic);
  });

  it("is otherwise the first that the browser accepts and the service speaks, else English", async () => {
    expect(opening(await signInPage(undefined, "fr-CA,fr;q=0.9,en;q=0.8"))).toEqual(french);
    expect(opening(await signInPage("tlh", "it, ar;q=0.8"))).toEqual(arabic);
    expect(opening(await signInPage("tlh", "it"))).toEqual(english);
    expect(opening(await signInPage(undefined))).toEqual(english);
  });

  it("stays the same on every page of a sign-in, mistakes and messages included", async () => {
    const { authUrl } = await initiate(current(), app, { locale: "de" });
    const visitor = new Visitor();
    const page = await visitor.get(`${authUrl}/create-account`);
    expect(opening(page)).toEqual({ ...german, heading: "Konto bei Acme anlegen" });
    const refused = await visitor.submit(page, "/create-account", { email: newEmail(), name: "", password: "short" });
    expect(refused.text).toContain("<title>Fehler: Konto bei Acme anlegen</title>");
    expect(refused.text).toContain("Zu kurz. Es müssen mindestens 15 Zeichen sein.");
    expect(opening(await visitor.get(`${authUrl}/forgot-password`)).heading).toBe("Passwort zurücksetzen");
    current().clock.advance(600_000);
    expect(opening(await visitor.get(authUrl))).toEqual({ ...german, heading: "Diese Anmeldung ist abgelaufen" });
  });

  it("is kept for the account page, where no app asks for one", async () => {
    const { authUrl } = await initiate(current(), app, { locale: "ar" });
    const visitor = new Visitor();
    const page = await visitor.get(`${authUrl}/create-account`);
    await visitor.submit(page, "/create-account", { email: newEmail(), name: "", password: goodPassword });
    const account = await visitor.get(accountUrl(current(), app));
    expect(opening(account)).toEqual({ ...arabic, heading: "حسابك في Acme" });
    expect(account.text).not.toMatch(/\bSign\b|\bPassword\b|\bAdded\b|\bnow\b/u);
  });

  it("is one of those that the discovery document lists", async () => {
    const { body } = await call(current(), "GET", "/.well-known/openid-configuration", {});
    expect(body.ui_locales_supported).toEqual(["en", "de", "fr", "es", "pt", "ja", "ar"]);
    expect(body.ui_locales_supported).toEqual([...pageLanguages.keys()]);
  });
});
