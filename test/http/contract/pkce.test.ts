import { createHash, randomBytes } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { invalidRequest, invalidToken, outcome } from "../../support/outcomes.ts";
import { call, newEmail, redeem, signIn, signUp, validate, type Tokens } from "../../support/person.ts";
import { useApp, describeSqliteFirst } from "../../support/service.ts";

const invalidApiKey = outcome(401, "INVALID_API_KEY");

const s256 = (verifier: string) => createHash("sha256").update(verifier).digest("base64url");
const newVerifier = () => randomBytes(32).toString("base64url");
// RFC 7636, appendix B.
const published = {
  verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
  challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
};

const wrongVerifiers: [
  title: string,
  challengeOf: (verifier: string) => string,
  sent: (verifier: string) => string | undefined,
][] = [
  ["none", s256, () => undefined],
  ["an empty one", s256, () => ""],
  ["another", s256, () => newVerifier()],
  ["the challenge itself (method plain)", s256, s256],
  [
    "one with its first character changed",
    s256,
    (verifier) => `${verifier.startsWith("A") ? "B" : "A"}${verifier.slice(1)}`,
  ],
  ["a truncated one", s256, (verifier) => verifier.slice(0, -1)],
  ["one with white space", s256, (verifier) => `${verifier} `],
  ["the right one, had the method been plain", (verifier) => verifier, (verifier) => verifier],
  ["the right one, but of 42 characters", (verifier) => s256(verifier.slice(1)), (verifier) => verifier.slice(1)],
  ["the right one, but of 129 characters", (verifier) => s256(verifier.repeat(3)), (verifier) => verifier.repeat(3)],
  [
    "the right one, but with characters that a verifier cannot have",
    (verifier) => s256(`${verifier}é/`),
    (verifier) => `${verifier}é/`,
  ],
];

describeSqliteFirst("PKCE and public clients", (current) => {
  const app = useApp(current);
  const other = useApp(current);
  const person = { email: newEmail() };
  beforeAll(async () => {
    await redeem(current(), app, await signUp(current(), app, person));
  });
  const publicHeaders = () => ({ "x-service-app-id": app.id });
  const send = async (path: string, headers: Record<string, string>, body: unknown) =>
    await call(current(), "POST", path, headers, body);
  const signedIn = async (codeChallenge?: string) => {
    const { session, code } = await signIn(current(), app, person, { state: "s", codeChallenge });
    return { code, sessionId: session.sessionId, state: "s" };
  };

  it.each([
    ["the published example", published.verifier, published.challenge],
    ["43 characters", "v".repeat(43), s256("v".repeat(43))],
    ["128 characters of every allowed kind", "aZ09-._~".repeat(16), s256("aZ09-._~".repeat(16))],
  ])("an app's server redeems a code with key and verifier: %s", async (_title, codeVerifier, challenge) => {
    expect((await send("/auth/callback", app.headers, { ...(await signedIn(challenge)), codeVerifier })).status).toBe(
      200,
    );
  });

  it.each(wrongVerifiers)(
    "%s as verifier: the API key does not help, the code is used up, and a public client gets no tokens",
    async (_title, challengeOf, sent) => {
      const verifier = newVerifier();
      const mine = await signedIn(challengeOf(verifier));
      for (const codeVerifier of [sent(verifier), verifier])
        expect(await send("/auth/callback", app.headers, { ...mine, codeVerifier })).toMatchObject(invalidRequest);
      const theirs = { ...(await signedIn(challengeOf(verifier))), codeVerifier: sent(verifier) };
      const answer = await send("/auth/callback", publicHeaders(), theirs);
      // Without a verifier it is no public client, but a caller that lacks its key.
      expect([400, 401]).toContain(answer.status);
      expect(Object.keys(answer.body)).toEqual(["error"]);
    },
  );

  describe("a public client, with its App ID alone", () => {
    const publicTokens = async (): Promise<Tokens> => {
      const codeVerifier = newVerifier();
      const answer = await send("/auth/callback", publicHeaders(), {
        ...(await signedIn(s256(codeVerifier))),
        codeVerifier,
      });
      expect(answer.status).toBe(200);
      return answer.body as Tokens;
    };
    const isLive = async (accessToken: unknown) => (await validate(current(), app, String(accessToken))).status === 200;

    it("redeems its code once; a second use ends the login (security rule S2)", async () => {
      const codeVerifier = newVerifier();
      const body = { ...(await signedIn(s256(codeVerifier))), codeVerifier };
      const { accessToken } = (await send("/auth/callback", publicHeaders(), body)).body;
      expect(await isLive(accessToken)).toBe(true);
      expect(await send("/auth/callback", publicHeaders(), body)).toMatchObject(invalidRequest);
      expect(await isLive(accessToken)).toBe(false);
    });

    it("refreshes without a key, again and again, and logs out", async () => {
      let tokens = await publicTokens();
      for (let n = 0; n < 3; n += 1) {
        const next = await send("/auth/refresh", publicHeaders(), { refreshToken: tokens.refreshToken });
        expect(next.status).toBe(200);
        expect(next.body["refreshToken"]).not.toBe(tokens.refreshToken);
        tokens = next.body as Tokens;
      }
      const bearer = { authorization: `Bearer ${tokens.accessToken}` };
      expect((await send("/auth/logout", bearer, {})).status).toBe(200);
      expect(await send("/auth/refresh", publicHeaders(), { refreshToken: tokens.refreshToken })).toMatchObject(
        invalidToken,
      );
    });

    it("ends its login by a reuse after ten seconds, like every other (security rule F2)", async () => {
      const first = await publicTokens();
      const next = (await send("/auth/refresh", publicHeaders(), { refreshToken: first.refreshToken })).body;
      current().clock.advance(31_000);
      expect(await send("/auth/refresh", publicHeaders(), { refreshToken: first.refreshToken })).toMatchObject(
        invalidToken,
      );
      expect(await isLive(next["accessToken"])).toBe(false);
    });

    it("cannot use its code or its refresh token under another App ID (security rule F6)", async () => {
      const codeVerifier = newVerifier();
      const body = { ...(await signedIn(s256(codeVerifier))), codeVerifier };
      expect(await send("/auth/callback", { "x-service-app-id": other.id }, body)).toMatchObject(invalidRequest);
      const tokens = (await send("/auth/callback", publicHeaders(), body)).body;
      const { refreshToken } = tokens;
      expect((await send("/auth/refresh", { "x-service-app-id": other.id }, { refreshToken })).status).toBe(401);
      expect((await send("/auth/refresh", publicHeaders(), { refreshToken })).status).toBe(200);
    });

    it.each<Record<string, string>>([{}, { "x-service-app-id": "" }, { "x-service-app-id": "app_unknown" }])(
      "gets nothing with the headers %j",
      async (headers) => {
        const codeVerifier = newVerifier();
        const body = { ...(await signedIn(s256(codeVerifier))), codeVerifier };
        expect((await send("/auth/callback", headers, body)).status).toBe(401);
        expect((await send("/auth/callback", publicHeaders(), body)).status).toBe(200);
      },
    );
  });

  describe("without an API key, a code or login that is not a public client's", () => {
    it("is refused as INVALID_API_KEY, and the code still works with the key", async () => {
      const mine = await signedIn();
      expect(await send("/auth/callback", publicHeaders(), mine)).toMatchObject(invalidApiKey);
      expect((await send("/auth/callback", app.headers, mine)).status).toBe(200);
    });

    it("is not opened by a made-up verifier either", async () => {
      const mine = await signedIn();
      const answer = await send("/auth/callback", publicHeaders(), { ...mine, codeVerifier: newVerifier() });
      expect([400, 401]).toContain(answer.status);
      expect((await send("/auth/callback", app.headers, mine)).status).toBe(200);
    });

    it("is not refreshed, and its refresh token still works with the key", async () => {
      const { refreshToken } = (await send("/auth/callback", app.headers, await signedIn())).body;
      expect(await send("/auth/refresh", publicHeaders(), { refreshToken })).toMatchObject(invalidApiKey);
      expect((await send("/auth/refresh", app.headers, { refreshToken })).status).toBe(200);
    });

    it("gives nothing for a refresh token that was used already, and is not ended by it", async () => {
      const first = String((await send("/auth/callback", app.headers, await signedIn())).body["refreshToken"]);
      const second = (await send("/auth/refresh", app.headers, { refreshToken: first })).body["refreshToken"];
      // Within the ten seconds in which it is answered again, and after them, when it would be a
      // reuse.
      for (const wait of [0, 60_000]) {
        current().clock.advance(wait);
        const answer = await send("/auth/refresh", publicHeaders(), { refreshToken: first });
        expect(answer).toMatchObject(invalidApiKey);
        expect(answer.body).not.toHaveProperty("refreshToken");
      }
      expect((await send("/auth/refresh", app.headers, { refreshToken: second })).status).toBe(200);
    });

    it("is not ended by a stranger who saw its used code", async () => {
      const mine = await signedIn();
      const { accessToken } = (await send("/auth/callback", app.headers, mine)).body;
      for (const codeVerifier of [undefined, newVerifier()])
        await send("/auth/callback", publicHeaders(), { ...mine, codeVerifier });
      expect((await validate(current(), app, String(accessToken))).status).toBe(200);
    });
  });
});
