import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import {
  call,
  goodPassword,
  initiate,
  newEmail,
  redeem,
  refresh,
  signIn,
  signUp,
  validate,
  Visitor,
  type Tokens,
} from "../support/person.ts";
import { describeEachDatabase, type TestApp } from "../support/service.ts";

const outcome = (status: number, code: string) => ({ status, body: { error: { code } } });
const invalidRequest = outcome(400, "INVALID_REQUEST");
const invalidToken = outcome(401, "INVALID_TOKEN");
const state = "Some state, ünïcode & all";

type Fields = { code: string; sessionId: string; state: string };
/** One field changed at a time; `theirs` is another sign-in of the same app. */
const mutations: [title: string, change: (mine: Fields, theirs: Fields) => Record<string, unknown>][] = [
  ["another sign-in's code", (mine, theirs) => ({ ...mine, code: theirs.code })],
  ["a code with its first character changed", (mine) => ({ ...mine, code: changed(mine.code) })],
  ["a truncated code", (mine) => ({ ...mine, code: mine.code.slice(0, -1) })],
  ["a lengthened code", (mine) => ({ ...mine, code: `${mine.code}A` })],
  ["a code in other case", (mine) => ({ ...mine, code: mine.code.toLowerCase() })],
  ["a code with white space", (mine) => ({ ...mine, code: ` ${mine.code}` })],
  ["an empty code", (mine) => ({ ...mine, code: "" })],
  ["the session id as code", (mine) => ({ ...mine, code: mine.sessionId })],
  ["another sign-in's session", (mine, theirs) => ({ ...mine, sessionId: theirs.sessionId })],
  ["a session with a character changed", (mine) => ({ ...mine, sessionId: `sis_${changed(mine.sessionId.slice(4))}` })],
  ["a session without its prefix", (mine) => ({ ...mine, sessionId: mine.sessionId.slice(4) })],
  ["an empty session", (mine) => ({ ...mine, sessionId: "" })],
  ["the code as session", (mine) => ({ ...mine, sessionId: mine.code })],
  ["no state", ({ code, sessionId }) => ({ code, sessionId })],
  ["an empty state", (mine) => ({ ...mine, state: "" })],
  ["a state in other case", (mine) => ({ ...mine, state: mine.state.toUpperCase() })],
  ["a state with white space", (mine) => ({ ...mine, state: `${mine.state} ` })],
  ["an equivalent state in another normal form", (mine) => ({ ...mine, state: mine.state.normalize("NFD") })],
  ["a code verifier that nobody asked for (PKCE downgrade)", (mine) => ({ ...mine, codeVerifier: "v".repeat(43) })],
];

const badBodies: [field: string, change: Record<string, unknown>][] = [
  ["code", { code: undefined }],
  ["sessionId", { sessionId: undefined }],
  ...["code", "sessionId", "state", "codeVerifier"].flatMap((field) =>
    [null, 1, true, ["x"], { x: 1 }].map((value): [string, Record<string, unknown>] => [field, { [field]: value }]),
  ),
  ...["redirectUri", "grant_type", "appId", "userId"].map((key): [string, Record<string, unknown>] => [
    key,
    { [key]: "x" },
  ]),
];

describeEachDatabase("POST /auth/callback", (current) => {
  let app: TestApp;
  let other: TestApp;
  const person = { email: newEmail() };
  beforeAll(async () => {
    [app, other] = [await current().createApp(), await current().createApp()];
    await redeem(current(), app, await signUp(current(), app, person));
  });
  const send = async (body: unknown, headers = app.headers) =>
    await call(current(), "POST", "/auth/callback", headers, body);
  const signedIn = async (): Promise<Fields> => {
    const { session, code } = await signIn(current(), app, person, { state });
    return { code, sessionId: session.sessionId, state };
  };
  const isLive = async (tokens: Record<string, unknown>) =>
    (await validate(current(), app, String(tokens["accessToken"]))).status === 200;

  it("answers exactly tokens, their lifetime and the user", async () => {
    const { status, headers, body } = await send(await signedIn());
    expect(status).toBe(200);
    expect(body).toEqual({
      accessToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/u),
      refreshToken: expect.stringMatching(/^[\w-]{43,}$/u),
      expiresIn: 900,
      user: {
        id: expect.stringMatching(/^usr_/u),
        email: person.email,
        emailVerified: false,
        name: null,
        picture: null,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u),
        lastLoginAt: new Date(current().clock.now).toISOString(),
        authMethods: { passkey: false, oauth: [], password: true },
      },
    });
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it("refuses a code used twice, and ends the login that it bought (security rule S2)", async () => {
    const mine = await signedIn();
    const tokens = (await send(mine)).body;
    const bystander = (await send(await signedIn())).body;
    expect(await isLive(tokens)).toBe(true);
    expect(await send(mine)).toMatchObject(invalidRequest);
    expect(await validate(current(), app, String(tokens["accessToken"]))).toMatchObject(invalidToken);
    expect(await refresh(current(), app, String(tokens["refreshToken"]))).toMatchObject(invalidToken);
    expect(await isLive(bystander)).toBe(true);
  });

  it("ends the login also when the second use comes after a refresh, or 29 seconds later (security rule S2)", async () => {
    const mine = await signedIn();
    const first = (await send(mine)).body as Tokens;
    const next = await refresh(current(), app, first.refreshToken);
    current().clock.advance(29_000);
    expect(await send(mine)).toMatchObject(invalidRequest);
    expect(await isLive(next.body)).toBe(false);
    expect(await refresh(current(), app, String(next.body["refreshToken"]))).toMatchObject(invalidToken);
  });

  it("gives another app no way to end a login with a code that it saw", async () => {
    const mine = await signedIn();
    const tokens = (await send(mine)).body;
    expect(await send(mine, other.headers)).toMatchObject(invalidRequest);
    expect(await isLive(tokens)).toBe(true);
  });

  it.each(mutations)(
    "refuses %s, with the one answer for everything that is wrong with a code (security rule S4)",
    async (_title, change) => {
      const [mine, theirs, unknown] = [
        await signedIn(),
        await signedIn(),
        { code: "A".repeat(43), sessionId: `sis_${"A".repeat(43)}` },
      ];
      const answer = await send(change(mine, theirs));
      expect(answer).toMatchObject(invalidRequest);
      expect({ ...answer.body.error, requestId: "" }).toEqual({ ...(await send(unknown)).body.error, requestId: "" });
    },
  );

  it("takes only the one right combination of code, session, state and app (security rule S4)", async () => {
    for (let wrong = 0; wrong < 16; wrong += 1) {
      const [mine, theirs] = [await signedIn(), await signedIn()];
      const body = {
        code: wrong & 1 ? theirs.code : mine.code,
        sessionId: wrong & 2 ? `sis_${"A".repeat(43)}` : mine.sessionId,
        state: wrong & 4 ? "another" : mine.state,
      };
      const answer = await send(body, wrong & 8 ? other.headers : app.headers);
      expect([wrong, answer.status]).toEqual([wrong, wrong === 0 ? 200 : 400]);
    }
  });

  it("consumes the code before anything else: wrong fields beside it leave it no second try", async () => {
    for (const wrong of [{ state: "another" }, { sessionId: `sis_${"A".repeat(43)}` }]) {
      const mine = await signedIn();
      expect(await send({ ...mine, ...wrong })).toMatchObject(invalidRequest);
      expect(await send(mine)).toMatchObject(invalidRequest);
    }
  });

  it("is not impressed by other callers: a wrong key, App ID or app leaves the code to its owner (security rule S4)", async () => {
    const mine = await signedIn();
    const key = app.headers["authorization"] ?? "";
    expect(await send(mine, { ...app.headers, authorization: `${key}x` })).toMatchObject(
      outcome(401, "INVALID_API_KEY"),
    );
    expect(await send(mine, { ...app.headers, "x-service-app-id": other.id })).toMatchObject(
      outcome(401, "INVALID_APP_ID"),
    );
    expect(await send(mine, { authorization: key })).toMatchObject(outcome(401, "INVALID_APP_ID"));
    expect(await send(mine, other.headers)).toMatchObject(invalidRequest);
    expect((await send(mine)).status).toBe(200);
  });

  it("needs an empty state back where an empty one was given, and none where none was", async () => {
    const empty = await signIn(current(), app, person, { state: "" });
    const none = await signIn(current(), app, person);
    const withoutState = (signed: typeof none) => ({ code: signed.code, sessionId: signed.session.sessionId });
    expect((await send({ ...withoutState(empty), state: "" })).status).toBe(200);
    expect((await send(withoutState(none))).status).toBe(200);
    expect(await send({ ...withoutState(await signIn(current(), app, person)), state: "s" })).toMatchObject(
      invalidRequest,
    );
  });

  it.each(badBodies)("refuses a body with a bad %s and names it: %j", async (field, change) => {
    const details = expect.stringContaining(field);
    const body = { code: "c", sessionId: "s", ...change };
    expect(await send(body)).toMatchObject({ status: 400, body: { error: { code: "INVALID_REQUEST", details } } });
  });

  describe("in time", () => {
    it("takes a code after 59 seconds, and not after 61 (security rule S5)", async () => {
      const [first, second] = [await signedIn(), await signedIn()];
      current().clock.advance(59_000);
      expect((await send(first)).status).toBe(200);
      current().clock.advance(2000);
      expect(await send(second)).toMatchObject(invalidRequest);
    });

    it("takes no code of a session that has ended, however young the code (security rule S5)", async () => {
      const session = await initiate(current(), app);
      const visitor = new Visitor();
      const page = await visitor.get(session.authUrl);
      current().clock.advance(590_000);
      const { location } = await visitor.submit(page, "/password", { email: person.email, password: goodPassword });
      const code = location.searchParams.get("code");
      expect(code).toMatch(/^[\w-]{43}$/u);
      current().clock.advance(15_000);
      expect(await send({ code, sessionId: session.sessionId })).toMatchObject(invalidRequest);
    });
  });

  it("lets one of 50 parallel calls win, and starts one login (security rule S3)", async () => {
    const { session, code } = await signUp(current(), app);
    const answers = await Promise.all(Array.from({ length: 50 }, () => send({ code, sessionId: session.sessionId })));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    for (const lost of answers.filter((answer) => !won.includes(answer))) expect(lost).toMatchObject(invalidRequest);
    const { db, tables } = current().server.app.storage.reader;
    const [{ user } = {} as Tokens] = won.map(({ body }) => body as Tokens);
    expect(
      await db
        .select()
        .from(tables.logins)
        .where(eq(tables.logins.userId, String(user["id"]))),
    ).toHaveLength(1);
  });

  it("makes codes and refresh tokens that cannot be guessed (security rule S1)", async () => {
    const signIns = [];
    for (let n = 0; n < 60; n += 1) signIns.push(await signedIn());
    const codes = signIns.map(({ code }) => code);
    expect(new Set(codes.map((code) => code.slice(0, 6))).size).toBe(60);
    expect(new Set(codes.map((code) => code.slice(-7, -1))).size).toBe(60);
    for (const code of codes) expect(code).toMatch(/^[\w-]{43}$/u);
    const tokens = await Promise.all(signIns.map(async (fields) => (await send(fields)).body as Tokens));
    expect(new Set(tokens.map(({ refreshToken }) => refreshToken.slice(-43))).size).toBe(60);
    for (const { refreshToken } of tokens) expect(refreshToken).not.toMatch(/^[\da-f]{8}-[\da-f]{4}-/iu);
  });
});

function changed(secret: string): string {
  return `${secret.startsWith("A") ? "B" : "A"}${secret.slice(1)}`;
}
