import { eq } from "drizzle-orm";
import { beforeAll, expect, it } from "vitest";
import { invalidRequest, invalidToken, outcome } from "../../support/outcomes.ts";
import {
  openPage,
  call,
  goodPassword,
  initiate,
  isLive,
  newEmail,
  redeem,
  refresh,
  signIn,
  signUp,
  validate,
  Visitor,
  type Tokens,
} from "../../support/person.ts";
import { describeSqliteFirst, type TestApp } from "../../support/service.ts";

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

describeSqliteFirst("a code", (service) => {
  let app: TestApp;
  let other: TestApp;
  const person = { email: newEmail() };
  beforeAll(async () => {
    [app, other] = [await service.createApp(), await service.createApp()];
    await redeem(service, app, await signUp(service, app, person));
  });
  const send = async (body: unknown, headers = app.headers) =>
    await call(service, "POST", "/auth/callback", headers, body);
  const signedIn = async (): Promise<Fields> => {
    const { session, code } = await signIn(service, app, person, { state });
    return { code, sessionId: session.sessionId, state };
  };

  it("S2: a code used twice is refused, and the login that it bought ends", async () => {
    const mine = await signedIn();
    const tokens = (await send(mine)).body;
    const bystander = (await send(await signedIn())).body;
    expect(await isLive(service, app, tokens)).toBe(true);
    expect(await send(mine)).toMatchObject(invalidRequest);
    expect(await validate(service, app, String(tokens["accessToken"]))).toMatchObject(invalidToken);
    expect(await refresh(service, app, String(tokens["refreshToken"]))).toMatchObject(invalidToken);
    expect(await isLive(service, app, bystander)).toBe(true);
  });

  it("S2: also when the second use comes after a refresh, 29 seconds later", async () => {
    const mine = await signedIn();
    const first = (await send(mine)).body as Tokens;
    const next = await refresh(service, app, first.refreshToken);
    service.clock.advance(29_000);
    expect(await send(mine)).toMatchObject(invalidRequest);
    expect(await isLive(service, app, next.body)).toBe(false);
    expect(await refresh(service, app, String(next.body["refreshToken"]))).toMatchObject(invalidToken);
  });

  it("S3, GHSA-7w99-5wm4-3g79, GoTrue-2612: of 50 parallel uses of a code one gets tokens, of one login, which the others end", async () => {
    const { session, code } = await signUp(service, app);
    const answers = await Promise.all(Array.from({ length: 50 }, () => send({ code, sessionId: session.sessionId })));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    for (const lost of answers.filter((answer) => !won.includes(answer))) expect(lost).toMatchObject(invalidRequest);
    const { db, tables } = service.server.app.ctx.storage.reader;
    const [{ user, accessToken, refreshToken } = {} as Tokens] = won.map(({ body }) => body as Tokens);
    expect(
      await db
        .select()
        .from(tables.logins)
        .where(eq(tables.logins.userId, String(user["id"]))),
    ).toHaveLength(1);
    expect(await isLive(service, app, { accessToken })).toBe(false);
    expect(await refresh(service, app, refreshToken)).toMatchObject(invalidToken);
  });

  it.each(mutations)(
    "S4, CVE-2026-28513: %s gets the one answer for everything that is wrong with a code",
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

  it("S4, CVE-2026-28513: of all combinations of right and wrong code, session, state and app, one is taken", async () => {
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

  it("S4, CVE-2026-55672: a wrong key, App ID or app does not get the tokens, and leaves the code to its owner", async () => {
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

  it("S5: a code is good for 59 seconds, and not for 61", async () => {
    const [first, second] = [await signedIn(), await signedIn()];
    service.clock.advance(59_000);
    expect((await send(first)).status).toBe(200);
    service.clock.advance(2000);
    expect(await send(second)).toMatchObject(invalidRequest);
  });

  it("S5: no code outlives its session, however young it is", async () => {
    const { session, visitor, page } = await openPage(service, app);
    service.clock.advance(590_000);
    const { location } = await visitor.submit(page, "/password", { email: person.email, password: goodPassword });
    const code = location.searchParams.get("code");
    expect(code).toMatch(/^[\w-]{43}$/u);
    service.clock.advance(15_000);
    expect(await send({ code, sessionId: session.sessionId })).toMatchObject(invalidRequest);
  });

  it("S5: ten minutes after it began, a session shows nothing and takes nothing", async () => {
    const { session, visitor, page } = await openPage(service, app);
    const creating = await visitor.get(`${session.authUrl}/create-account`);
    service.clock.advance(600_001);
    const fields = { email: person.email, password: goodPassword };
    for (const late of [
      await visitor.get(session.authUrl),
      await visitor.get(`${session.authUrl}/create-account`),
      await visitor.get(`${session.authUrl}/forgot-password`),
      await visitor.submit(page, "/password", fields),
      await visitor.submit(creating, "/create-account", { ...fields, email: newEmail() }),
      await new Visitor().get(session.authUrl),
    ]) {
      expect(late.status).toBe(410);
      expect(late.headers.get("location")).toBeNull();
    }
    const options = await visitor.post(`${session.authUrl}/passkey/options`, page.form("/password").fields);
    expect(options.status).toBe(400);
  });

  it("S5: no activity makes a session or a code last longer", async () => {
    const session = await initiate(service, app);
    const visitor = new Visitor();
    for (let minute = 0; minute < 9; minute += 1) {
      const page = await visitor.get(session.authUrl);
      await visitor.submit(page, "/password", { email: person.email, password: "not the password, but long" });
      service.clock.advance(60_000);
    }
    service.clock.advance(60_001);
    expect((await visitor.get(session.authUrl)).status).toBe(410);
    const mine = await signedIn();
    for (let tries = 0; tries < 6; tries += 1) {
      service.clock.advance(10_001);
      await send(mine, other.headers);
    }
    expect(await send(mine)).toMatchObject(invalidRequest);
  });
});

function changed(secret: string): string {
  return `${secret.startsWith("A") ? "B" : "A"}${secret.slice(1)}`;
}
