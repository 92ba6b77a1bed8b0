import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { openApp } from "../../src/app.ts";
import { loadConfig } from "../../src/config/load.ts";
import { emptyFolder, authsvc as spawned } from "./command.ts";
import { authsvc } from "./in-process.ts";

const cwd = emptyFolder();
const appId = "app_shop";
const hour = 3_600_000;

/**
 * Access tokens of a user who signed in at `now`, one of them logged out, from the data folder that
 * the commands use.
 */
async function makeTokens(now: number): Promise<{ live: string; ended: string }> {
  const { config } = loadConfig({ flags: {}, env: {}, cwd });
  const app = await openApp(config, { baseUrl: "http://localhost:8080", clock: () => now });
  const { applications, users, tokens } = app.services;
  const application =
    (await applications.find(appId)) ??
    (await applications
      .createWithKey({ id: appId, name: "Shop" }, {}, { kind: "cli", name: "test" })
      .then(() => applications.find(appId)));
  const signIn = async (name: string) =>
    await app.storage.write(async (tx) => {
      const user = await users.create(
        tx,
        {
          appId,
          email: `${name}@example.com`,
          name: `\u001b[31m${name}`,
          signedUp: { method: null, clientInfo: null },
        },
        now,
      );
      if (!user) throw new Error("the address is taken");
      const login = {
        id: tokens.newLoginId(now),
        appId,
        userId: user.id,
        signedInWith: "password",
        provider: null,
        proofs: null,
        scopes: ["profile", "email"],
        publicClient: false,
        clientId: null,
        actor: null,
        claimsRequest: null,
        signedInAt: now,
        ipAddress: null,
        userAgent: null,
        browserSessionDigest: null,
      } as const;
      return { user, started: await tokens.startLogin(tx, { ...login, scopes: [...login.scopes] }, now) };
    });
  const first = await signIn(`live${now}`);
  const second = await signIn(`ended${now}`);
  if (!application) throw new Error("the application was not created");
  const live = await tokens.firstPair(first.started, first.user, { application }, now);
  const ended = await tokens.firstPair(second.started, second.user, { application }, now);
  await app.storage.write(async (tx) => await tokens.endLogin(tx, second.started.login.id, "logout", now));
  await app.close();
  return { live: live.accessToken, ended: ended.accessToken };
}

describe("token verify", () => {
  let token: { live: string; ended: string; expired: string };

  beforeAll(async () => {
    // In this order: the first signing key becomes usable when it is made.
    const { live: expired } = await makeTokens(Date.now() - hour);
    token = { ...(await makeTokens(Date.now())), expired };
  });

  test("prints the claims of a good token and ends with 0, from an argument or standard input", async () => {
    const asArgument = await spawned(["token", "verify", token.live, "--json"], { cwd });
    expect(asArgument).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(asArgument.stdout)).toMatchObject({
      valid: true,
      claims: { app_id: appId, iss: "http://localhost:8080" },
    });
    const piped = await spawned(["token", "verify", "--app", appId, "--json"], { cwd, input: `${token.live}\n` });
    expect(piped).toEqual(asArgument);
    const { stdout } = await authsvc(["token", "verify", token.live], { cwd });
    expect(stdout).toMatch(/^exp +\d+ \(\d{4}-\d\d-\d\dT/m);
  });

  const bad: [title: string, which: () => string, flags: string[], reason: RegExp][] = [
    ["logged out", () => token.ended, [], /its login ended at .*\(logout\)/],
    ["expired", () => token.expired, [], /expired at/],
    ["of another application", () => token.live, ["--app", "app_other"], /another application/],
    ["forged", () => `${token.live.slice(0, -6)}AAAAAA`, [], /signature/],
    ["not a token", () => "nonsense", [], /not a JWT/],
  ];

  test.each(bad)("ends with 1 and the precise reason: %s", async (_title, which, flags, reason) => {
    const answer = await authsvc(["token", "verify", which(), ...flags], { cwd });
    expect(answer).toMatchObject({ code: 1, stdout: "" });
    expect(answer.stderr).toMatch(/^authsvc: the token is not valid: [^\n]*\n$/);
    expect(answer.stderr).toMatch(reason);
    const asJson = await authsvc(["token", "verify", ...flags, "--json"], { cwd, input: which() });
    expect(asJson.code).toBe(1);
    expect(JSON.parse(asJson.stdout)).toEqual({ valid: false, reason: expect.stringMatching(reason) as string });
  });

  test("inspect obeys nothing that stands in a token, neither in its values nor in its names", async () => {
    const claims = {
      "\u001b[2J\u009b31m": "\u001b]0;x\u0007",
      "a\u202eb\nAPI key  ak_x": ["\u200b", { "\u001b[8m": 1 }],
      [`\uFDD0x`]: 1,
    };
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const forged = `${part({ alg: "none", ["\u001b[1m"]: 1 })}.${part(claims)}.xxxx`;
    const { code, stdout, stderr } = await authsvc(["token", "inspect", forged], { cwd });
    expect(code).toBe(0);
    // oxlint-disable-next-line no-control-regex
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202e\uFDD0]/u);
    expect(stdout).toContain("a\\u202eb\\u000aAPI key  ak_x");
    expect(stdout).not.toMatch(/^ *API key/mu);
  });

  test("does not accept a token of a service with another baseUrl", async () => {
    const answer = await authsvc(["token", "verify", token.live], {
      cwd,
      env: { AUTHSVC_BASE_URL: "http://localhost:9" },
    });
    expect(answer.stderr).toContain("another service");
  });

  test("works with the data folder of another working directory", async () => {
    const answer = await authsvc(["token", "verify", token.live, "--data", join(cwd, "data")], { cwd: emptyFolder() });
    expect(answer.code).toBe(0);
  });
});
