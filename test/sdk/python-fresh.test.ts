import { expect, test } from "vitest";
import * as factors from "../../src/factors/service.ts";
import { codeAt, signedInWithTotp, signedUpWithTotp, type Authenticated } from "../support/factors.ts";
import { useService } from "../support/one-service.ts";
import { goodPassword, signedUp, Visitor } from "../support/person.ts";
import type { TestApp } from "../support/service.ts";
import { cookieSecret } from "./app-server.ts";
import { usePython, webSignInCalls } from "./python.ts";
import { verifiers } from "./verifiers.ts";

const two = "urn:authsvc:acr:2";
const current = useService();
const { mint } = verifiers(current);

const python = usePython(webSignInCalls);

type Reply = { status: number; headers: [string, string][]; body: string };
type Fresh = [user: { id: string } | null, headers: [string, string][], reply: Reply | null];

async function ask<Answer>(app: TestApp, call: string, args: unknown[], named: object = {}): Promise<Answer> {
  const client = [current().url, app.id, app.apiKey];
  const { redirectUri } = app;
  const now = current().clock.now / 1000;
  const given = { client, redirectUri, secret: cookieSecret, now, call, arguments: args, named };
  return await python<Answer>(given);
}

async function fresh(app: TestApp, cookie: string | null, bearer: string | null, named: object): Promise<Fresh> {
  return await ask(app, "require_fresh", [cookie, bearer === null ? null : `Bearer ${bearer}`], named);
}

/** What a browser sends after these headers. */
function cookiesOf(headers: [string, string][]): string {
  const lines = headers.filter(([name, value]) => name === "Set-Cookie" && !value.includes("Max-Age=0"));
  return lines.map(([, value]) => value.split(";", 1)[0]).join("; ");
}

function headerOf({ headers }: Reply, name: string): string {
  return headers.find(([each]) => each === name)?.[1] ?? "";
}

/** Signs in at the package's pages; the reply at the end of it. */
async function come(app: TestApp, started: Reply, prove: (visitor: Visitor, url: string) => Promise<URL>) {
  const back = await prove(new Visitor(), headerOf(started, "Location"));
  return await ask<Reply>(app, "finish", [Object.fromEntries(back.searchParams), cookiesOf(started.headers)]);
}

const byPassword = (email: string) => async (visitor: Visitor, url: string) => {
  const done = await visitor.submit(await visitor.get(url), "/password", { email, password: goodPassword });
  return done.location;
};

const byCode =
  ({ email, key }: Authenticated) =>
  async (visitor: Visitor, url: string) => {
    current().clock.advance(60_000);
    const page = await visitor.get((await byPassword(email)(visitor, url)).href);
    return (await visitor.submit(page, "/step/code", { code: codeAt(key, current().clock.now) })).location;
  };

test("a recent sign-in is enough; an old one is sent to another and back, and scripts get the challenge", async () => {
  const app = await current().createApp();
  const { email } = await signedUp(current(), app);
  const started = await ask<Reply>(app, "start", ["/transfer"]);
  const cookie = cookiesOf((await come(app, started, byPassword(email))).headers);
  const needs = { max_age: 300 };
  current().clock.advance(300_000);
  expect(await fresh(app, cookie, null, needs)).toEqual([expect.objectContaining({ email }), [], null]);
  current().clock.advance(1000);
  const [nobody, , scripts] = await fresh(app, cookie, null, needs);
  const challenge = 'Bearer error="insufficient_user_authentication", max_age="300"';
  expect([nobody, scripts?.status, scripts && headerOf(scripts, "WWW-Authenticate")]).toEqual([null, 401, challenge]);
  const [, , sent] = await fresh(app, cookie, null, { ...needs, return_to: "/transfer?to=2" });
  const back = await come(app, sent as Reply, byPassword(email));
  expect([back.status, headerOf(back, "Location")]).toEqual([303, "/transfer?to=2"]);
  const [user] = await fresh(app, cookiesOf(back.headers), null, needs);
  expect(user).toMatchObject({ email });
});

test.each([60, 300, 4_000_000_000])(
  "with a max_age of %d a token that nobody signed in for is refused",
  async (max_age) => {
    const app = await current().createApp();
    const token = await mint(app);
    expect((await ask<[object | null]>(app, "user", [null, `Bearer ${token}`]))[0]).not.toBeNull();
    for (const needs of [{ max_age }, { acr: "urn:authsvc:acr:1", max_age }]) {
      const [user, , reply] = await fresh(app, null, token, needs);
      expect([user, reply?.status, reply && headerOf(reply, "WWW-Authenticate")]).toEqual([
        null,
        401,
        expect.stringContaining(`max_age="${max_age}"`),
      ]);
    }
  },
);

test("M10: two factors are asked for, and count until the factor is removed", async () => {
  const app = await current().createApp({ settings: { secondFactor: "required" } });
  const person = await signedUpWithTotp(current(), app);
  const { tokens } = await signedInWithTotp(current(), app, person);
  const needs = { acr: two };
  const [, , weak] = await fresh(app, null, person.tokens.accessToken, { ...needs, return_to: "/" });
  const challenge = `Bearer error="insufficient_user_authentication", acr_values="${two}"`;
  expect([weak?.status, weak && headerOf(weak, "WWW-Authenticate")]).toEqual([401, challenge]);
  expect((await fresh(app, null, tokens.accessToken, needs))[0]).toMatchObject({ id: tokens.user["id"] });
  expect((await fresh(app, null, tokens.accessToken, { acr: "phr" }))[2]?.status).toBe(401);
  const [, , sent] = await fresh(app, null, null, { ...needs, return_to: "/transfer" });
  const back = await come(app, sent as Reply, byCode(person));
  const cookie = cookiesOf(back.headers);
  expect((await fresh(app, cookie, null, needs))[0]).toMatchObject({ id: tokens.user["id"] });
  const by = { actor: { kind: "cli", name: "test" } } as const;
  const options = { evenRequired: true };
  await factors.remove(current().server.app.ctx, String(tokens.user["id"]), by, options);
  expect((await fresh(app, cookie, null, needs))[2]?.status).toBe(401);
});

test("who has no second factor, or cancels, is not sent around in a circle", async () => {
  const app = await current().createApp();
  const { email } = await signedUp(current(), app);
  const [, , sent] = await fresh(app, null, null, { acr: two, return_to: "/transfer" });
  const told = await come(app, sent as Reply, byPassword(email));
  expect([told.status, told.body]).toEqual([403, expect.stringContaining("which your account does not have")]);
  const [, , again] = await fresh(app, null, null, { acr: two, return_to: "/transfer" });
  const cancelled = await come(app, again as Reply, cancel);
  expect([cancelled.status, headerOf(cancelled, "Location")]).toEqual([303, "/"]);
});

/** Where the person's "Cancel" leads. */
async function cancel(visitor: Visitor, url: string): Promise<URL> {
  const done = await visitor.get(`${url}/cancel`);
  expect(done.location.searchParams.get("error")).toBe("access_denied");
  return done.location;
}

test.each<[object, string]>([
  [{}, "acr"],
  [{ acr: "2" }, "acr"],
  [{ max_age: 59 }, "max_age"],
  [{ max_age: "300" }, "max_age"],
])("%j is a mistake of the program", async (named, field) => {
  const app = await current().createApp();
  expect(await fresh(app, null, null, named)).toMatch(new RegExp(`^${field}: `, "u"));
});

test("a sign-in that a page began without wishes leads back to it when it is cancelled", async () => {
  const app = await current().createApp();
  const started = await ask<Reply>(app, "start", ["/cart"]);
  const cancelled = await come(app, started, cancel);
  expect(headerOf(cancelled, "Location")).toBe("/cart");
});
