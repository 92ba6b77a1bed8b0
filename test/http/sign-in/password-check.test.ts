import { expect, it } from "vitest";
import { addingSession, signedUpIn } from "../../support/adding.ts";
import { askForReset, linkIn, mailTo, newUser } from "../../support/mail-flows.ts";
import { useMailServer } from "../../support/mail.ts";
import { useService } from "../../support/one-service.ts";
import { openPage, goodPassword, initiate, newEmail, Visitor, type Page } from "../../support/person.ts";

const server = await useMailServer();
const current = useService();
const mailing = useService({ mail: server.mail });

/** What the page's script asks about a password in the form of a page, and the answer. */
async function ask(visitor: Visitor, page: Page, form: string, typed: Record<string, string>) {
  const [, path = ""] = /data-check="([^"]+)"/u.exec(page.text) ?? [];
  const { token = "", email = "" } = page.form(form).fields;
  const answer = await visitor.post(new URL(path, page.url).href, { token, email, ...typed });
  return { status: answer.status, problem: (JSON.parse(answer.text) as { problem?: string | null }).problem };
}

const passwords = [
  "short",
  "x".repeat(257),
  "password12345678",
  "qwertyuiopasdfgh",
  "abcdefghijklmnopqrst",
  "wilhelmina grasshopper",
  "one of the good ones: sixty herons",
];

it("says of a new password what the form says: for a new account, with its name and address", async () => {
  const app = await current().createApp();
  const person = { email: "wilhelmina.grasshopper@example.com", name: "Wilhelmina Grasshopper" };
  let refused = 0;
  for (const password of [...passwords, person.email]) {
    const visitor = new Visitor();
    const page = await visitor.get(`${(await initiate(current(), app)).authUrl}/create-account`);
    const { problem } = await ask(visitor, page, "/create-account", { ...person, password });
    const done = await visitor.submit(page, "/create-account", { ...person, password });
    const [, beside = ""] = /id="password-problem"[^>]*>([^<]*)</u.exec(done.text) ?? [];
    expect(problem ?? "", password).toBe(beside.replaceAll("&#39;", "'"));
    refused += done.status === 422 ? 1 : 0;
  }
  expect(refused).toBe(passwords.length);
});

it("knows the owner where a password is changed or reset, as the form does, and nobody without a proof", async () => {
  const password = "wilhelmina grasshopper";
  const isPersonal = expect.stringMatching(/^This is mostly your name/u);
  const app = await current().createApp();
  const email = `wilhelmina.grasshopper.${newEmail()}`;
  const owner = await signedUpIn(current(), app, new Visitor(), email);
  const adding = await addingSession(current(), app, owner.accessToken, { type: "password" });
  const form = await owner.visitor.get(adding.authUrl);
  expect((await ask(owner.visitor, form, "/add/password", { password })).problem).toEqual(isPersonal);
  const stranger = new Visitor();
  const { token = "" } = (await stranger.get(adding.authUrl)).form("/password").fields;
  const guess = await stranger.post(`${adding.authUrl}/password-check`, { token, password });
  expect(JSON.parse(guess.text)).toEqual({ problem: null });

  const other = await mailing().createApp();
  const address = `wilhelmina.grasshopper.${newEmail()}`;
  await newUser(mailing(), other, { email: address });
  const asked = await askForReset(mailing(), other, address);
  expect((await ask(asked.visitor, asked.page, "/reset", { password })).problem).toEqual(isPersonal);
  const link = linkIn(await mailTo(server, address, 1, /password/u));
  const anywhere = new Visitor();
  const page = await anywhere.get(link);
  expect((await ask(anywhere, page, new URL(link).pathname, { password })).problem).toEqual(isPersonal);
  // Nothing was used up.
  const done = await anywhere.submit(page, new URL(link).pathname, { password: goodPassword });
  expect(done.status).toBe(200);
});

it("speaks the language of the page", async () => {
  const visitor = new Visitor({ "accept-language": "de" });
  const page = await visitor.get(`${(await initiate(current(), await current().createApp())).authUrl}/create-account`);
  const { problem } = await ask(visitor, page, "/create-account", { password: "qwertyuiopasdfgh" });
  expect(problem).toMatch(/^Das ist ein Tastaturmuster/u);
});

it("answers only a form of its own page, and leaves the session to anybody who uses it first", async () => {
  const app = await current().createApp();
  const { session, visitor, page } = await openPage(current(), app, {}, "/create-account");
  const path = `${session.authUrl}/password-check`;
  const { token = "" } = page.form("/create-account").fields;
  const password = "qwertyuiopasdfgh";
  for (const refused of [
    await visitor.post(path, { token: "x", password }),
    await visitor.post(path, { token, password }, { "sec-fetch-site": "cross-site" }),
    await new Visitor().post(path, { token, password }),
    await visitor.post(`${current().url}/reset/${"x".repeat(43)}/password-check`, { token, password }),
  ]) {
    expect(refused.status).toBe(400);
    expect(JSON.parse(refused.text)).toMatchObject({ error: { code: "INVALID_REQUEST" } });
  }
  expect((await ask(visitor, page, "/create-account", { password })).status).toBe(200);
  // Another browser may still take the session.
  const other = new Visitor();
  const form = await other.get(`${session.authUrl}/create-account`);
  const done = await other.submit(form, "/create-account", { email: newEmail(), name: "", password: goodPassword });
  expect(done.status).toBe(303);
});

it("is counted apart: anybody who types much can still sign in", async () => {
  const app = await current().createApp();
  const visitor = new Visitor();
  const page = await visitor.get(`${(await initiate(current(), app)).authUrl}/create-account`);
  const left = async (): Promise<number> => {
    const answer = await visitor.submit(page, "/create-account", { email: "", password: "x" });
    return Number(answer.headers.get("x-ratelimit-remaining"));
  };
  const before = await left();
  const limits: number[] = [];
  const { token = "" } = page.form("/create-account").fields;
  for (const password of ["one", "two"]) {
    const answer = await visitor.post(page.url.replace("create-account", "password-check"), { token, password });
    limits.push(Number(answer.headers.get("x-ratelimit-remaining")));
  }
  expect((limits[0] ?? 0) - (limits[1] ?? 0)).toBe(1);
  expect(before - (await left())).toBe(1);
});
