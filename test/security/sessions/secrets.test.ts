import { expect, it } from "vitest";
import { call, initiate, newEmail, redeem, refresh, signIn, signUp, Visitor } from "../../support/person.ts";
import { useApp, describeOnSqlite } from "../../support/service.ts";

describeOnSqlite("what opens something to anybody who holds it", (service) => {
  const app = useApp(service);

  it("S1: 300 session ids are 256 random bits each", async () => {
    const sessions = await inBatches(300, () => initiate(service, app));
    for (const { sessionId } of sessions) expect(sessionId).toMatch(/^sis_[\w-]{43}$/u);
    expectRandom(sessions.map(({ sessionId }) => Buffer.from(sessionId.slice(4), "base64url")));
  });

  it("S1: 100 codes and 200 refresh tokens are as well", async () => {
    const person = { email: newEmail() };
    await redeem(service, app, await signUp(service, app, person));
    const signIns = await inBatches(100, () => signIn(service, app, person));
    for (const { code } of signIns) expect(code).toMatch(/^[\w-]{43}$/u);
    expectRandom(signIns.map(({ code }) => Buffer.from(code, "base64url")));

    const tokens: string[] = [];
    for (const signedIn of signIns) {
      let { refreshToken } = await redeem(service, app, signedIn);
      for (let generation = 0; generation < 2; generation += 1) {
        tokens.push(refreshToken);
        refreshToken = String((await refresh(service, app, refreshToken)).body["refreshToken"]);
      }
    }
    for (const token of tokens) expect(token).toMatch(/^[\w-]{60,200}$/u);
    // In front of the secret stand the login and the generation, behind it the MAC over all of it.
    expectRandom(tokens.map((token) => Buffer.from(token, "base64url").subarray(-48, -16)));
    expectRandom(tokens.map((token) => Buffer.from(token, "base64url").subarray(-16)));
  });

  it("S1: so are 200 passkey challenges, and the cookies that bind a browser", async () => {
    const session = await initiate(service, app);
    const visitor = new Visitor();
    const { token = "" } = (await visitor.get(session.authUrl)).form("/password").fields;
    const challenges = await inBatches(200, async () => {
      const answer = await visitor.post(`${session.authUrl}/passkey/options`, { token });
      return Buffer.from((answer.json() as { options: { challenge: string } }).options.challenge, "base64url");
    });
    expectRandom(challenges);

    const cookies = await inBatches(100, async () => {
      const guest = new Visitor();
      await guest.get(session.authUrl);
      return [...guest.cookies.values()][0] ?? "";
    });
    expectRandom(cookies.map((cookie) => Buffer.from(cookie, "base64url")));
  });

  it("S1: an id made up in the right form opens nothing", async () => {
    for (const made of ["A".repeat(43), "_".repeat(43), Buffer.alloc(32).toString("base64url")]) {
      expect((await new Visitor().get(`${service.url}/sign-in/sis_${made}`)).status).toBe(404);
      const body = { code: made, sessionId: `sis_${made}` };
      expect((await call(service, "POST", "/auth/callback", app.headers, body)).status).toBe(400);
    }
  });
});

async function inBatches<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const all: T[] = [];
  while (all.length < count) all.push(...(await Promise.all(Array.from({ length: 50 }, make))));
  return all;
}

/**
 * As many bits each, none like another, no shared start or end, every bit as often set as not, and
 * neighbours as different as strangers. What a good source fails once in 10⁸ runs or more rarely.
 */
function expectRandom(secrets: Buffer[]): void {
  const bits = (secrets[0]?.length ?? 0) * 8;
  expect(bits).toBeGreaterThanOrEqual(128);
  expect(new Set(secrets.map(({ length }) => length * 8))).toEqual(new Set([bits]));
  for (const part of [(secret: Buffer) => secret.subarray(0, 8), (secret: Buffer) => secret.subarray(-8)])
    expect(new Set(secrets.map((secret) => part(secret).toString("hex"))).size).toBe(secrets.length);

  const tolerance = (7 * 0.5) / Math.sqrt(secrets.length);
  for (let bit = 0; bit < bits; bit += 1) {
    const set = secrets.filter((secret) => bitOf(secret, bit) === 1).length / secrets.length;
    expect(Math.abs(set - 0.5), `bit ${bit}`).toBeLessThan(tolerance);
  }
  const distances = secrets.slice(1).map((secret, at) => distance(secret, secrets[at] ?? secret));
  const mean = distances.reduce((sum, one) => sum + one, 0) / distances.length / bits;
  expect(Math.abs(mean - 0.5)).toBeLessThan((7 * 0.5) / Math.sqrt(distances.length * bits));
}

function bitOf(secret: Buffer, bit: number): number {
  return ((secret[bit >> 3] ?? 0) >> (bit & 7)) & 1;
}

function distance(one: Buffer, other: Buffer): number {
  let different = 0;
  for (let bit = 0; bit < one.length * 8; bit += 1) if (bitOf(one, bit) !== bitOf(other, bit)) different += 1;
  return different;
}
