import { beforeAll, describe, expect, test } from "vitest";
import * as providers from "../../src/applications/providers/provider-clients.ts";
import * as applications from "../../src/applications/service.ts";
import { pathOf, type Act } from "../../src/console/route.ts";
import { consoleRoutes } from "../../src/console/routes.ts";
import * as operators from "../../src/operators/service.ts";
import * as audit from "../../src/records/audit/audit.ts";
import { openConsole } from "../support/console.ts";
import { freePort } from "../support/free-port.ts";
import { useService } from "../support/one-service.ts";
import { makeOperator, signInTo, type TestOperator } from "../support/operators.ts";
import { Visitor, type Page } from "../support/person.ts";
import { filled } from "./support-forms.ts";

const minute = 60_000;
const by = { actor: { kind: "cli", name: "test" } } as const;
const port = await freePort();
const consoleUrl = `http://127.0.0.1:${port}`;
const service = useService({ console: { host: "127.0.0.1", port, baseUrl: consoleUrl } });
const ctx = () => service.server.app.ctx;

const acts = consoleRoutes
  .filter((route): route is Act => route.method === "POST" && route.path !== "/console/sign-out")
  .map((act) => [act.path, act] as const);

const secret = "it-was-a-secret";
const entered = {
  act: "Do “it”",
  page: "/console/people?q=ada",
  name: `<b onclick="alert(1)">Ada & 'Grace'</b>`,
  "was.name": "Ada",
  lines: "one\r\ntwo",
  "methods.passkey": "on",
  unchanged: "as it was",
  "was.unchanged": "as it was",
  secret,
  privateKey: secret,
};
const { secret: _secret, privateKey: _privateKey, ...open } = entered;

let owner: TestOperator;

async function signIn(operator = owner, visitor = new Visitor()): Promise<Visitor> {
  const begun = await visitor.get(`${consoleUrl}/console/sign-in`);
  const { text } = await signInTo(service, begun, operator, visitor);
  expect(text).toContain("Close this tab, and press “Send again” in the other one.");
  return visitor;
}

async function tokenOf(visitor: Visitor): Promise<string> {
  return (await visitor.get(`${consoleUrl}/console/overview`)).form("/sign-out").fields["token"] ?? "";
}

function addressOf({ path }: { path: string }): string {
  const names = [...path.matchAll(/:(\w+)/gu)].map(([, name = ""]) => name);
  return consoleUrl + pathOf({ path }, Object.fromEntries(names.map((name) => [name, "nothing"])));
}

const fieldsOf = ({ path }: Act, page: Page) => page.form(new URL(addressOf({ path })).pathname).fields;
const tellsNothing = ({ text }: Page) => !text.includes("Ada") && !text.includes(secret);
const entries = async () => (await audit.list(ctx(), { limit: 1000 })).length;

beforeAll(async () => {
  owner = await makeOperator(service, "owner");
});

describe("J12: when its session has ended", () => {
  let [ended, other] = [new Visitor(), new Visitor()];
  let [token, otherToken] = ["", ""];
  let before = 0;

  beforeAll(async () => {
    [ended, other] = [await signIn(), await signIn()];
    [token, otherToken] = [await tokenOf(ended), await tokenOf(other)];
    service.clock.advance(61 * minute);
    before = await entries();
  });

  test.each(acts)("%s does nothing and comes back filled, without secrets", async (_path, act) => {
    const page = await ended.post(addressOf(act), { ...entered, token });
    expect(page.status).toBe(403);
    expect(page.text).toContain("Your session has ended");
    const names = act.secrets.map(({ name }) => name);
    const hidden = Object.fromEntries(names.map((name) => [name, ""]));
    const { ticket, ...fields } = fieldsOf(act, page);
    expect(fields).toEqual({ ...entered, ...hidden, token });
    expect(ticket).toMatch(/^\d+\.[\w-]+$/u);
    if (names.length > 0) expect(page.text).not.toContain(secret);
    expect(page.text).not.toContain("<b onclick");
    expect(page.text).not.toContain("<dt>Unchanged</dt>");
    expect(page.text).toContain("<dt>Methods</dt>");
    expect(await entries()).toBe(before);
  });

  test.each(acts)("%s tells nothing to another site", async (_path, act) => {
    for (const headers of [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "", origin: "https://evil.example" },
    ]) {
      const page = await ended.post(addressOf(act), { ...entered, token }, headers as Record<string, string>);
      expect({ status: page.status, tellsNothing: tellsNothing(page) }).toEqual({ status: 403, tellsNothing: true });
    }
  });

  test.each(acts)("%s tells nothing where the token does not fit the cookie", async (_path, act) => {
    const [actor = "", mac = ""] = token.split(".");
    const another = Buffer.from("operator:usr_another").toString("base64url");
    const wrong = ["", "x", otherToken, `${token}x`, `${another}.${mac}`, `${actor}.`, mac];
    for (const sent of wrong) {
      const page = await ended.post(addressOf(act), { ...entered, token: sent });
      expect({ status: page.status, tellsNothing: tellsNothing(page) }).toEqual({ status: 303, tellsNothing: true });
    }
    const page = await new Visitor().post(addressOf(act), { ...entered, token });
    expect({ status: page.status, tellsNothing: tellsNothing(page) }).toEqual({ status: 303, tellsNothing: true });
  });

  test.each(acts)("%s is shown once more to its operator, and only then sent", async (_path, act) => {
    const again = fieldsOf(act, await ended.post(addressOf(act), { ...entered, token }));
    // Without a session it comes back again, instead of being lost.
    const twice = await ended.post(addressOf(act), again);
    expect(fieldsOf(act, twice)).toMatchObject({ ...open, token });
    const visitor = (signedInAgain ??= await signIn(owner, ended.copy()));
    const now = await entries();
    const page = await visitor.post(addressOf(act), again);
    expect(page.status).toBe(200);
    expect(page.text).toContain("Send it now?");
    const { token: fresh, ...fields } = fieldsOf(act, page);
    expect(fields).toMatchObject(open);
    expect(fields).not.toHaveProperty("ticket");
    expect(fresh).toBe(await tokenOf(visitor));
    expect(await entries()).toBe(now);
  });
  let signedInAgain: Visitor | undefined;

  test("a ticket is for one operator, one address and one hour", async () => {
    const [, act] = acts.find(([path]) => path === "/console/people/:userId/profile") ?? [];
    const [, another] = acts.find(([path]) => path === "/console/people/:userId/address") ?? [];
    if (!act || !another) throw new Error("no such act");
    const again = fieldsOf(act, await ended.post(addressOf(act), { ...entered, token }));
    const colleague = await signIn(await makeOperator(service, "owner"));
    // Without the cookie of the session before.
    const visitor = await signIn();
    const refused = async (by: Visitor, to: Act, fields = again) => {
      const page = await by.post(addressOf(to), fields);
      expect({ status: page.status, tellsNothing: tellsNothing(page) }).toEqual({ status: 403, tellsNothing: true });
      expect(page.text).toContain("This form is not of this session.");
    };
    await refused(colleague, act);
    await refused(visitor, another);
    const [expiresAt = "", mac = ""] = (again["ticket"] ?? "").split(".");
    for (const ticket of ["", "x", mac, `${Number(expiresAt) + 1}.${mac}`, `${expiresAt}.`])
      await refused(visitor, act, { ...again, ticket });
    expect((await visitor.post(addressOf(act), again)).status).toBe(200);
    for (let minutes = 0; minutes < 60; minutes += 30) {
      service.clock.advance(30 * minute);
      await tokenOf(visitor);
    }
    await refused(visitor, act);
  });

  test("after a role was taken away, no form is shown once more", async () => {
    const colleague = await makeOperator(service, "owner");
    const visitor = await signIn(colleague);
    const own = await tokenOf(visitor);
    service.clock.advance(61 * minute);
    const { id } = await service.createApp();
    const address = `${consoleUrl}/console/applications/${id}/settings/names`;
    const again = (await visitor.post(address, { ...entered, token: own })).form("/settings/names").fields;
    await operators.update(ctx(), colleague.id, { role: "viewer" }, {}, by);
    const page = await (await signIn(colleague, visitor)).post(address, again);
    expect({ status: page.status, tellsNothing: tellsNothing(page) }).toEqual({ status: 403, tellsNothing: true });
  });
});

test("what comes back is saved with the third press", async () => {
  const app = await service.createApp();
  const visitor = await signIn();
  const page = await visitor.get(`${consoleUrl}/console/applications/${app.id}`);
  service.clock.advance(61 * minute);
  const address = new URL(page.form("/settings/names").action, consoleUrl).href;
  const back = await visitor.post(address, { ...filled(page, "/settings/names"), name: "Entered before" });
  await signIn(owner, visitor);
  const more = await visitor.submit(back, "/settings/names", {});
  const found = async () => await applications.find(ctx(), ctx().storage.reader, app.id);
  expect(await found()).not.toMatchObject({ name: "Entered before" });
  expect((await visitor.submit(more, "/settings/names", {})).status).toBe(303);
  expect(await found()).toMatchObject({ name: "Entered before", redirectUris: [app.redirectUri] });
});

test("J12: a form that was open in another tab while its operator signed in again is shown once more, to nobody else", async () => {
  const app = await service.createApp();
  const path = `/console/applications/${app.id}`;
  const visitor = await signIn();
  const [one, two] = [await visitor.get(consoleUrl + path), await visitor.get(`${consoleUrl + path}/branding`)];
  const stranger = visitor.copy();
  service.clock.advance(61 * minute);
  await signIn(owner, visitor);
  const found = async () => await applications.get(ctx(), app.id);
  const more = await visitor.submit(one, "/settings/names", { ...filled(one, "/settings/names"), name: "Kept" });
  expect([more.status, more.text.includes("Send it now?")]).toEqual([200, true]);
  expect((await found()).name).not.toBe("Kept");
  expect((await visitor.submit(more, "/settings/names", {})).status).toBe(303);
  expect((await found()).name).toBe("Kept");
  // The cookie of before opens no page.
  const other = new Visitor();
  const name = [...visitor.cookies.keys()].find((cookie) => cookie.includes("console-before")) ?? "";
  const key = visitor.cookies.get(name) ?? "";
  expect(key).not.toBe("");
  other.cookies.set(name, key);
  other.cookies.set(name.replace("-before", ""), key);
  expect((await other.get(`${consoleUrl}/console/overview`)).status).toBe(303);
  const post = { ...filled(two, "/branding"), companyName: "Kept" };
  await signIn(await makeOperator(service, "owner"), stranger);
  const refused = await stranger.submit(two, "/branding", post);
  expect([refused.status, refused.text.includes("Kept")]).toEqual([403, false]);
  expect((await visitor.submit(two, "/branding", post)).text).toContain("Send it now?");
  // Nor does it come back after another sign-in.
  await signIn(owner, visitor);
  expect((await visitor.submit(two, "/branding", post)).status).toBe(403);
});

test("J12: a secret is entered again where a form is shown once more", async () => {
  const app = await service.createApp();
  const visitor = await signIn();
  service.clock.advance(11 * minute);
  const page = await visitor.get(`${consoleUrl}/console/applications/${app.id}/providers/google`);
  const values = { ...filled(page, "/providers"), clientId: "123", secret };
  const address = new URL(page.form("/providers").action, consoleUrl).href;
  const back = await visitor.post(address, values);
  expect(back.text).toContain("Confirm with your passkey");
  expect(back.text).not.toContain(secret);
  await signIn(owner, visitor);
  const more = await visitor.submit(back, "/providers", {});
  expect(more.text).toMatch(/name="secret"\s+type="password" autocomplete="new-password"/u);
  expect((await visitor.submit(more, "/providers", { secret: "entered again" })).status).toBe(303);
  const [google] = await providers.settings(ctx(), app.id);
  expect(google?.secret()).toBe("entered again");
});

test("J12: with authsvc console it comes back with the command that signs in", async () => {
  const console = await openConsole(service);
  const app = await service.createApp();
  const page = await console.get(`/applications/${app.id}`);
  await console.submit(page, "/sign-out");
  const back = await console.submit(page, "/settings/names", { ...filled(page, "/settings/names"), name: "Kept" });
  expect(back.status).toBe(403);
  expect(back.text).toContain("<code>authsvc console</code>");
  expect(back.form("/settings/names").fields).toMatchObject({ name: "Kept" });
  const nothing = await new Visitor().post(`${console.url}/console/applications/${app.id}/settings/names`, {
    ...back.form("/settings/names").fields,
  });
  expect(nothing.text).not.toContain("Kept");
});

test("a form of the console may have 256 KiB, and not more", async () => {
  const app = await service.createApp();
  const visitor = await signIn();
  const page = await visitor.get(`${consoleUrl}/console/applications/${app.id}`);
  const { action } = page.form("/settings/names");
  const send = async (size: number) =>
    await visitor.post(consoleUrl + action, { ...filled(page, "/settings/names"), more: "x".repeat(size * 1024) });
  expect((await send(250)).text).toContain("You have not changed anything in this form.");
  expect((await send(256)).status).toBe(413);
});
