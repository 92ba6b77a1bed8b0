import { decodeJwt, SignJWT } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { emptyFolder } from "./command.ts";
import { describeEachPlace } from "./databases.ts";
import { answer, authsvc } from "./in-process.ts";

type Minted = { accessToken: string; loginId: string; expiresIn: number; expiresAt: string; scopes: string[] };

describeEachPlace("token mint and revoke", (place) => {
  let userId = "";
  const json = async (args: string[], input = ""): Promise<unknown> => await answer(args, { ...place, input });
  const run = async (args: string[], input = "") => await authsvc(args, { ...place, input });
  const mint = async (...more: string[]): Promise<Minted> =>
    (await json(["token", "mint", "--user", userId, ...more])) as Minted;

  beforeAll(async () => {
    await json(["app", "create", "--name", "Shop", "--id", "app_shop"]);
    const created = await json(["user", "create", "--app", "app_shop", "--email", "ada@example.com"]);
    userId = (created as { id: string }).id;
  });

  test("a minted token says that an operator made it, claims no sign-in, and lasts as long as asked", async () => {
    const minted = await mint("--ttl", "5m", "--scopes", "profile");
    expect(minted).toMatchObject({ expiresIn: 300, scopes: ["profile"], appId: "app_shop", userId });
    const claims = decodeJwt(minted.accessToken);
    expect(claims).toMatchObject({
      sub: userId,
      aud: "app_shop",
      amr: ["operator"],
      scope: "profile",
      sid: minted.loginId,
    });
    expect(claims).not.toHaveProperty("auth_time");
    expect(claims).not.toHaveProperty("email");
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(300);
    expect(minted.expiresAt).toBe(new Date((claims.exp ?? 0) * 1000).toISOString());
    const user = await json(["user", "show", userId]);
    expect(user).toMatchObject({ lastLoginAt: null, metadata: { loginCount: 0 } });
  });

  test("standard output is the token alone, so that it can be piped into what reads one", async () => {
    const { stdout, stderr } = await run(["token", "mint", "--user", userId]);
    expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/u);
    expect(stderr).toMatch(/^It is valid until .* authsvc token revoke --login lgn_\w+\n$/u);
    expect((await run(["token", "verify", "--app", "app_shop"], stdout)).code).toBe(0);
  });

  test("is in the audit log, without the token", async () => {
    const { accessToken, loginId } = await mint("--ttl", "24h");
    const audited = JSON.stringify(await json(["audit", "list", "--user", userId]));
    expect(audited).toContain(`"action":"token.mint"`);
    expect(audited).toContain(`"loginId":"${loginId}","seconds":86400`);
    expect(audited).not.toContain(accessToken.split(".")[2]);
  });

  test.each([
    [["--ttl", "25h"], 2, /^authsvc: --ttl must be from 1 second to 24 hours$/mu],
    [["--ttl", "0s"], 2, /^authsvc: --ttl must be /u],
    [["--ttl", "900"], 2, /Use a whole number and a unit/u],
    [["--scopes", "profil"], 2, /did you mean profile\?/u],
    [["--user", "usr_nobody"], 3, /^authsvc: The user does not exist\. To find it: authsvc user list .*$/mu],
  ])("mint %j ends with %i", async (args, code, line) => {
    const refused = await run(["token", "mint", "--user", userId, ...args]);
    expect(refused).toMatchObject({ code, stdout: "" });
    expect(refused.stderr).toMatch(line);
  });

  test("gives no scope that the application does not have", async () => {
    await json(["app", "update", "app_shop", "--scopes", "profile"]);
    for (const scopes of ["email", "profile,email"])
      expect(await run(["token", "mint", "--user", userId, "--scopes", scopes])).toMatchObject({
        code: 2,
        stderr: "authsvc: --scopes must be among profile\n",
      });
    expect(await mint()).toMatchObject({ scopes: ["profile"] });
    await json(["app", "update", "app_shop", "--scopes", "profile,email"]);
  });

  test("--dry-run issues nothing", async () => {
    const before = await json(["user", "logins", userId]);
    expect(await json(["token", "mint", "--user", userId, "--dry-run"])).not.toHaveProperty("accessToken");
    expect(await json(["user", "logins", userId])).toEqual(before);
  });

  test("no token is minted for a disabled user (security rule: disabled means disabled for operators, too)", async () => {
    await json(["user", "disable", userId]);
    expect(await run(["token", "mint", "--user", userId])).toMatchObject({ code: 4, stdout: "" });
    await json(["user", "enable", userId]);
  });

  test("revoke ends the login of a token or of an id, again without complaint", async () => {
    const { accessToken, loginId } = await mint();
    expect(await json(["token", "revoke", "--dry-run"], accessToken)).toMatchObject({ endedAt: null });
    const revoked = await json(["token", "revoke"], accessToken);
    expect(revoked).toMatchObject({ loginId, userId, appId: "app_shop", endReason: "operator" });
    expect(await json(["token", "revoke", accessToken])).toEqual(revoked);
    expect((await run(["token", "verify", accessToken])).stderr).toMatch(/its login ended at .* \(operator\)$/mu);
    const other = await mint();
    expect(await json(["token", "revoke", "--login", other.loginId])).toMatchObject({ loginId: other.loginId });
    expect((await run(["token", "verify", other.accessToken])).code).toBe(1);
  });

  test("revoke believes no token that this service did not sign", async () => {
    const { accessToken, loginId } = await mint();
    const forged = await new SignJWT(decodeJwt(accessToken))
      .setProtectedHeader({ alg: "HS256", typ: "at+jwt", kid: "x" })
      .sign(Buffer.alloc(32));
    const refused = await run(["token", "revoke", forged]);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(/^authsvc: This service did not issue this token: its signing key/u);
    expect(await json(["user", "logins", userId])).toMatchObject([{ id: loginId }]);
    expect((await run(["token", "revoke", "--login", "lgn_none"])).code).toBe(3);
    expect((await run(["token", "revoke", "x", "--login", "lgn_none"])).code).toBe(2);
  });

  test("verify names a deleted user and a deleted application as such", async () => {
    const created = await json(["user", "create", "--app", "app_shop", "--email", "gone@example.com"]);
    const { id } = created as { id: string };
    const { accessToken } = (await json(["token", "mint", "--user", id])) as Minted;
    await json(["user", "delete", id, "--yes"]);
    expect((await run(["token", "verify"], accessToken)).stderr).toMatch(/its user was deleted$/mu);
    const last = await mint();
    await json(["app", "delete", "app_shop", "--yes"]);
    expect((await run(["token", "verify"], last.accessToken)).stderr).toMatch(/its application was deleted$/mu);
  });
});

describe("token inspect", () => {
  const cwd = emptyFolder();

  test("shows what any JWT says, and says that nothing of it is verified", async () => {
    const token = await new SignJWT({ iss: "https://elsewhere.example", exp: 1_800_000_000, nick: "\u001b[31mred" })
      .setProtectedHeader({ alg: "HS256", kid: "their-key" })
      .sign(Buffer.alloc(32));
    const inspected = await answer(["token", "inspect", token], { cwd });
    expect(inspected).toEqual({
      verified: false,
      header: { alg: "HS256", kid: "their-key" },
      claims: { iss: "https://elsewhere.example", exp: 1_800_000_000, nick: "\u001b[31mred" },
      namesKnownKey: false,
    });
    const { code, stdout, stderr } = await authsvc(["token", "inspect"], { cwd, input: token });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {2}exp +1800000000 \(2027-01-15T08:00:00\.000Z\)$/mu);
    expect(stdout).toContain(String.raw`\u001b[31mred`);
    expect(stderr).toMatch(/^Not verified: .* names no signing key of this service/u);
  });

  test.each(["nonsense", "a.b.c", `${"x".repeat(5000)}.e30.x`])("refuses %.12s with 1", async (token) => {
    expect(await authsvc(["token", "inspect", token], { cwd })).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "authsvc: This is not a JWT.\n",
    });
  });
});
