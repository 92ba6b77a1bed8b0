import { describe, expect, test } from "vitest";
import * as applications from "../../src/applications/service.ts";
import * as loginAdministration from "../../src/sessions/login-administration.ts";
import { commandsOn, openConsole, runShown, type Console } from "../support/console.ts";
import { useService } from "../support/one-service.ts";
import { goodPassword, newEmail, Visitor, type Page } from "../support/person.ts";
import type { TestApp } from "../support/service.ts";

const service = useService();

async function ready(): Promise<{ app: TestApp; console: Console; path: string }> {
  const app = await service.createApp({ methods: ["password"] });
  const console = await openConsole(service);
  const path = `/applications/${app.id}/try`;
  await console.submit(await console.get(path), "/add-address");
  return { app, console, path };
}

/** Where the sign-in page sends a person who creates an account. */
async function signUpThrough(console: Console, path: string): Promise<URL> {
  const start = await console.visitor.submit(await console.get(path), "/start", {});
  const person = new Visitor();
  const page = await person.get(`${start.location.href}/create-account`);
  const done = await person.submit(page, "/create-account", { email: newEmail(), name: "", password: goodPassword });
  return done.location;
}

async function back(console: Console, location: URL): Promise<Page> {
  const answer = await console.visitor.get(location.href);
  return answer.status === 303 ? await console.visitor.get(answer.location.href) : answer;
}

async function liveLogins(page: Page): Promise<number> {
  const [userId = ""] = /usr_\w+/u.exec(page.text) ?? [];
  return (await loginAdministration.list(service.server.app.ctx, userId, { all: false })).length;
}

describe("Try it", () => {
  test("adds and removes the console's address, as by the shown commands", async () => {
    const app = await service.createApp();
    const { ctx } = service.server.app;
    const addresses = async () => (await applications.get(ctx, app.id)).redirectUris;
    const before = await addresses();
    const console = await openConsole(service);
    const callback = `${console.url}/console/applications/${app.id}/try/back`;
    const page = await console.get(`/applications/${app.id}/try`);
    expect(page.text).not.toContain("/try/start");
    const added = await console.submit(page, "/add-address");
    expect(await addresses()).toEqual([...before, callback]);
    const removal = commandsOn(added).find((line) => line.includes("--remove-redirect-uri")) ?? "";
    expect((await runShown(service, removal)).code).toBe(0);
    expect(await addresses()).toEqual(before);
    const addition = commandsOn(page).find((line) => line.includes("--add-redirect-uri")) ?? "";
    expect((await runShown(service, addition)).code).toBe(0);
    await console.submit(added, "/remove-address");
    expect(await addresses()).toEqual(before);
  });

  test("redeems, validates, refreshes and logs out, without any token on the page", async () => {
    const { console, path } = await ready();
    const location = await signUpThrough(console, path);
    const redeemed = await back(console, location);
    expect(redeemed.text).toContain("4. Validate the access token");
    expect(await liveLogins(redeemed)).toBe(1);
    const refreshed = await console.submit(redeemed, "/refresh");
    const over = await console.submit(refreshed, "/log-out");
    expect(over.text).toContain("INVALID_TOKEN");
    expect(await liveLogins(over)).toBe(0);
    const secrets = [...location.searchParams.values()];
    for (const page of [redeemed, refreshed, over]) {
      for (const secret of secrets) expect(page.text).not.toContain(secret);
      expect(page.text).not.toMatch(/eyJ[\w-]{20}/u);
    }
  });

  test("a code that another console's session or page asked for is not redeemed", async () => {
    const { console, path } = await ready();
    const location = await signUpThrough(console, path);
    const other = await openConsole(service);
    const elsewhere = new URL(location.pathname + location.search, other.url);
    expect((await other.visitor.get(elsewhere.href)).status).toBe(422);
    const forged = new URL(location);
    forged.searchParams.set("state", "x".repeat(43));
    expect((await console.visitor.get(forged.href)).status).toBe(422);
    expect((await back(console, location)).text).toContain("&quot;valid&quot;: true");
    expect((await console.visitor.get(location.href)).status).toBe(422);
  });

  test("starting again ends the login of before", async () => {
    const { console, path } = await ready();
    const redeemed = await back(console, await signUpThrough(console, path));
    expect(await liveLogins(redeemed)).toBe(1);
    await signUpThrough(console, path);
    expect(await liveLogins(redeemed)).toBe(0);
  });

  test("tells why the browser came back without a code", async () => {
    const { console, path } = await ready();
    const start = await console.visitor.submit(await console.get(path), "/start", {});
    const cancelled = await new Visitor().get(`${start.location.href}/cancel`);
    expect((await back(console, cancelled.location)).text).toContain("access_denied");
  });

  test("is forgotten after ten minutes", async () => {
    const { console, path } = await ready();
    const redeemed = await back(console, await signUpThrough(console, path));
    service.clock.advance(10 * 60_000 - 1);
    expect((await console.get(path)).text).toContain("1. Start the sign-in");
    service.clock.advance(1);
    expect((await console.get(path)).text).not.toContain("1. Start the sign-in");
    expect((await console.submit(redeemed, "/refresh")).status).toBe(409);
  });
});
