import { beforeAll, expect, test } from "vitest";
import { call, signedUp } from "../support/person.ts";
import { describeOnSqlite } from "../support/service.ts";
import { emptyFolder, authsvc as spawned } from "./command.ts";
import type { Place } from "./databases.ts";
import { authsvc } from "./in-process.ts";
import { placeOf } from "./service-place.ts";

const hour = 3_600_000;

describeOnSqlite("token verify", (current) => {
  let token: { live: string; ended: string; expired: string };
  let place: Place;
  let appId = "";

  beforeAll(async () => {
    const service = current();
    const app = await service.createApp();
    appId = app.id;
    place = placeOf(service);
    place.env["AUTHSVC_BASE_URL"] = service.url;
    // In this order: the first signing key becomes usable when it is made.
    service.clock.now = Date.now() - hour;
    const expired = (await signedUp(service, app)).accessToken;
    service.clock.now = Date.now();
    const [live, ended] = [(await signedUp(service, app)).accessToken, (await signedUp(service, app)).accessToken];
    await call(service, "POST", "/auth/logout", { authorization: `Bearer ${ended}` }, {});
    token = { live, ended, expired };
  });

  test("prints the claims of a good token and ends with 0, from an argument or standard input", async () => {
    const asArgument = await spawned(["token", "verify", token.live, "--json"], place);
    expect(asArgument).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(asArgument.stdout)).toMatchObject({
      valid: true,
      claims: { app_id: appId, iss: current().url },
    });
    const piped = await spawned(["token", "verify", "--app", appId, "--json"], { ...place, input: `${token.live}\n` });
    expect(piped).toEqual(asArgument);
    const { stdout } = await authsvc(["token", "verify", token.live], place);
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
    const answer = await authsvc(["token", "verify", which(), ...flags], place);
    expect(answer).toMatchObject({ code: 1, stdout: "" });
    expect(answer.stderr).toMatch(/^authsvc: the token is not valid: [^\n]*\n$/);
    expect(answer.stderr).toMatch(reason);
    const asJson = await authsvc(["token", "verify", ...flags, "--json"], { ...place, input: which() });
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
    const { code, stdout, stderr } = await authsvc(["token", "inspect", forged], { cwd: emptyFolder() });
    expect(code).toBe(0);
    // oxlint-disable-next-line no-control-regex
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202e\uFDD0]/u);
    expect(stdout).toContain("a\\u202eb\\u000aAPI key  ak_x");
    expect(stdout).not.toMatch(/^ *API key/mu);
  });

  test("does not accept a token of a service with another baseUrl", async () => {
    const answer = await authsvc(["token", "verify", token.live], {
      ...place,
      env: { ...place.env, AUTHSVC_BASE_URL: "http://localhost:9" },
    });
    expect(answer.stderr).toContain("another service");
  });

  test("works with the data folder of another working directory", async () => {
    const answer = await authsvc(["token", "verify", token.live, "--data", current().dataDir], {
      cwd: emptyFolder(),
      env: { AUTHSVC_BASE_URL: current().url },
    });
    expect(answer.code).toBe(0);
  });
});
