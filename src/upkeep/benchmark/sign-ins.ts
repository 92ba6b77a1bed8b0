import { openBrowser, type ClientApplication } from "./browser.ts";
import type { OpenWorks } from "./load.ts";

/**
 * Full password sign-ins: initiate, the page, its form, callback. Each person has a browser of
 * their own, and has already signed in once, because the first time in a new browser differs.
 */
export async function openSignIns(
  url: string,
  app: ClientApplication,
  people: { email: string; password: string }[],
  atOnce: number,
): Promise<OpenWorks> {
  const browsers = await Promise.all(people.map(async (person) => await openBrowser(url, app, person)));
  for (const browser of browsers) await browser.signIn();
  // The browser that has waited longest is next. Fixed turns would make a slow one delay others.
  const free = [...browsers];
  async function signIn(): Promise<void> {
    const browser = free.shift();
    if (!browser) throw new Error("there are fewer browsers than sign-ins at once");
    try {
      await browser.signIn();
    } finally {
      free.push(browser);
    }
  }
  return {
    works: Array.from({ length: atOnce }, () => signIn),
    [Symbol.dispose]: () => browsers.forEach((browser) => browser.close()),
  };
}
