import { describe, expect, it } from "vitest";
import { accountUrl } from "../../support/account.ts";
import { useService } from "../../support/one-service.ts";
import { goodPassword, initiate, newEmail, signedUp, Visitor, type Session } from "../../support/person.ts";
import { useApp } from "../../support/service.ts";

const service = useService();
const app = useApp(service);

type Opened = { visitor: Visitor; session: Session; cookie: string; token: string };

async function opened(visitor = new Visitor()): Promise<Opened> {
  const session = await initiate(service, app);
  const page = await visitor.get(session.authUrl);
  const { token = "" } = page.form("/password").fields;
  return { visitor, session, cookie: cookieOf(visitor), token };
}

function cookieOf(visitor: Visitor): string {
  return [...visitor.cookies].map((pair) => pair.join("=")).join("; ");
}

async function post(url: string, fields: Record<string, string>, headers: Record<string, string>): Promise<Response> {
  return await fetch(url, { method: "POST", redirect: "manual", body: new URLSearchParams(fields), headers });
}

/** "own" is the service itself; what is not said is not sent. */
const matrix: [headers: Record<string, string>, isAllowed: boolean][] = [
  [{ "sec-fetch-site": "same-origin", origin: "own" }, true],
  [{ "sec-fetch-site": "same-origin", origin: "null" }, true],
  [{ "sec-fetch-site": "none" }, true],
  [{ origin: "own" }, true],
  [{ origin: "null" }, true],
  [{}, true],
  [{ "sec-fetch-site": "cross-site" }, false],
  [{ "sec-fetch-site": "cross-site", origin: "own" }, false],
  [{ "sec-fetch-site": "cross-site", referer: "own" }, false],
  [{ "sec-fetch-site": "same-site", origin: "http://localhost:1" }, false],
  [{ "sec-fetch-site": "same-site" }, false],
  [{ "sec-fetch-site": "Same-Origin", origin: "https://evil.example" }, false],
  [{ "sec-fetch-site": "", origin: "https://evil.example" }, false],
  [{ "sec-fetch-site": "anything", origin: "own" }, false],
  [{ origin: "https://evil.example" }, false],
  [{ origin: "https://evil.example", referer: "own" }, false],
  [{ origin: "http://localhost" }, false],
  [{ origin: "https://localhost" }, false],
  [{ origin: "http://localhost:1" }, false],
  [{ origin: "ownx" }, false],
  [{ origin: "own.evil.example" }, false],
  [{ origin: "own/" }, false],
  [{ origin: "OWN" }, false],
  [{ origin: "http://evil.example?own" }, false],
];

function filled(headers: Record<string, string>): Record<string, string> {
  const own = service.url;
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replace("OWN", own.toUpperCase()).replace("own", own)]),
  );
}

it.each(matrix)(
  "H4, CVE-2025-24358: a form with the right token and cookie, sent with %j: allowed is %s",
  async (headers, isAllowed) => {
    const { email } = await signedUp(service, app);
    const { session, cookie, token } = await opened();
    const fields = { email, password: goodPassword, token };
    const answer = await post(`${session.authUrl}/password`, fields, { cookie, ...filled(headers) });
    expect(answer.status).toBe(isAllowed ? 303 : 403);
    expect(answer.headers.get("location")?.includes("code=") ?? false).toBe(isAllowed);
  },
);

describe("in a browser that says nothing of where a form comes from", () => {
  it.each([
    ["no token", (_own: Opened, _other: Opened) => undefined],
    ["an empty token", () => ""],
    ["a made-up token", () => "A".repeat(43)],
    ["the token of another browser", (_own: Opened, other: Opened) => other.token],
    ["the token cut short", ({ token }: Opened) => token.slice(0, -1)],
    ["the token and more", ({ token }: Opened) => `${token}A`],
  ])("H4: a form with %s is refused", async (_title, choose) => {
    const { email } = await signedUp(service, app);
    const [own, other] = [await opened(), await opened()];
    const token = choose(own, other);
    const fields = { email, password: goodPassword, ...(token === undefined ? {} : { token }) };
    const answer = await post(`${own.session.authUrl}/password`, fields, { cookie: own.cookie });
    expect(answer.status).toBe(403);
  });

  it("H4: a token is for one session: that of another session of the same browser is refused", async () => {
    const visitor = new Visitor();
    const [one, two] = [await opened(visitor), await opened(visitor)];
    const fields = { email: newEmail(), password: goodPassword, token: one.token };
    expect((await post(`${two.session.authUrl}/password`, fields, { cookie: cookieOf(visitor) })).status).toBe(403);
  });
});

it("H4: login CSRF: an attacker's password, posted into a victim's browser, signs the victim in to nothing", async () => {
  const attacker = await signedUp(service, app);
  const victim = await opened();
  // The attacker has opened the same session's page and knows a token, but not the victim's.
  const { token = "" } = (await new Visitor().get(victim.session.authUrl)).form("/password").fields;
  const fields = { email: attacker.email, password: goodPassword, token };
  const sent: Record<string, string>[] = [
    { "sec-fetch-site": "cross-site", origin: "https://evil.example" },
    { origin: "null" },
    {},
  ];
  for (const headers of sent) {
    const answer = await post(`${victim.session.authUrl}/password`, fields, { cookie: victim.cookie, ...headers });
    expect(answer.status).toBe(403);
    expect(answer.headers.getSetCookie()).toEqual([]);
  }
  // Nor where the victim has never been: without our cookie no form counts.
  const fresh = await initiate(service, app);
  const answer = await post(`${fresh.authUrl}/password`, fields, {});
  expect([400, 403]).toContain(answer.status);
});

it.each([
  "text/plain",
  "application/json",
  "multipart/form-data; boundary=x",
  "application/x-www-form-urlencoded; charset=utf-16",
])("H4: a form as %s is refused, token or not", async (type) => {
  const { session, cookie, token } = await opened();
  const body = new URLSearchParams({ email: newEmail(), password: goodPassword, token }).toString();
  const headers = { cookie, origin: service.url, "content-type": type };
  const answer = await fetch(`${session.authUrl}/password`, { method: "POST", redirect: "manual", body, headers });
  expect([400, 403, 415]).toContain(answer.status);
});

it("H4: nothing is done by a GET: the paths of forms answer none", async () => {
  const { session } = await opened();
  for (const path of [
    "/password",
    "/passkey",
    "/reset",
    "/add/password",
    "/step/skip",
    "/step/take-over",
    "/oauth/google",
  ])
    expect((await fetch(session.authUrl + path, { redirect: "manual" })).status, path).toBe(405);
  for (const path of ["/sign-out", "/logins/end-all", "/add"])
    expect((await fetch(accountUrl(service, app, path), { redirect: "manual" })).status, path).toBe(405);
});
