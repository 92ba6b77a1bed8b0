import { decodeProtectedHeader } from "jose";
import { beforeAll, expect, test } from "vitest";
import { describeEachPlace } from "./databases.ts";
import { answer, authsvc } from "./in-process.ts";

type Key = { kid: string; algorithm: string; state: string; signsFrom: string; publishedUntil: string | null };

const day = 86_400_000;

describeEachPlace("signing-key list, rotate and revoke", (place) => {
  let userId = "";
  const json = async (args: string[]): Promise<unknown> => await answer(args, place);
  const list = async (): Promise<Key[]> => (await json(["signing-key", "list"])) as Key[];
  const kidOfNewToken = async (): Promise<string> => {
    const { accessToken } = (await json(["token", "mint", "--user", userId])) as { accessToken: string };
    return decodeProtectedHeader(accessToken).kid ?? "";
  };

  beforeAll(async () => {
    await json(["app", "create", "--name", "Shop", "--id", "app_shop"]);
    userId = ((await json(["user", "create", "--app", "app_shop", "--email", "a@example.com"])) as { id: string }).id;
  });

  test("before the first token there is none; rotate makes one that signs at once", async () => {
    expect(await authsvc(["signing-key", "list"], place)).toMatchObject({ code: 0, stdout: "" });
    expect(await json(["signing-key", "rotate", "--dry-run"])).toMatchObject([{ algorithm: "ES256", dryRun: true }]);
    expect(await list()).toEqual([]);
    const made = (await json(["signing-key", "rotate"])) as Key[];
    expect(made).toMatchObject([{ algorithm: "ES256", state: "signing" }]);
    expect(await kidOfNewToken()).toBe(made[0]?.kid);
  });

  test("rotate publishes the next key a day before it signs, and one that waits already stays the one", async () => {
    const before = await kidOfNewToken();
    const [next] = (await json(["signing-key", "rotate"])) as Key[];
    expect(next).toMatchObject({ state: "next", publishedUntil: null });
    expect(Math.abs(Date.parse(next?.signsFrom ?? "") - Date.now() - day)).toBeLessThan(day / 24);
    expect(await kidOfNewToken()).toBe(before);
    expect(await json(["signing-key", "rotate"])).toEqual([next]);
    expect(await list()).toMatchObject([
      { kid: before, state: "signing" },
      { kid: next?.kid, state: "next" },
    ]);
  });

  test("rotate --now lets a new key sign at once, and no token of the one before is refused", async () => {
    const { accessToken } = (await json(["token", "mint", "--user", userId, "--ttl", "24h"])) as {
      accessToken: string;
    };
    const [now] = (await json(["signing-key", "rotate", "--now"])) as Key[];
    expect(now?.state).toBe("signing");
    expect(await kidOfNewToken()).toBe(now?.kid);
    expect((await authsvc(["token", "verify", accessToken], place)).code).toBe(0);
    const retired = (await list()).filter(({ state }) => state === "retired");
    expect(retired).toHaveLength(2);
    // As long as a token of a day can live.
    for (const { publishedUntil } of retired)
      expect(Date.parse(publishedUntil ?? "")).toBeGreaterThan(Date.now() + day);
  });

  test("an application signs with another algorithm 15 minutes after its key was published, or with --now at once", async () => {
    const before = await kidOfNewToken();
    const switching = ["app", "update", "app_shop", "--signing-algorithm", "EdDSA"];
    const planned = await authsvc([...switching, "--dry-run"], place);
    expect(planned.stderr).toMatch(/EdDSA would sign 15 minutes after the change/u);
    expect((await list()).map(({ algorithm }) => algorithm)).not.toContain("EdDSA");
    const switched = await authsvc([...switching, "--json"], place);
    const { signsFrom } = JSON.parse(switched.stdout) as { signsFrom: string };
    expect(switched.stderr).toContain(`EdDSA signs from ${signsFrom}`);
    const wait = Date.parse(signsFrom) - Date.now();
    expect(wait).toBeGreaterThan(10 * 60_000);
    expect(wait).toBeLessThanOrEqual(15 * 60_000);
    expect((await list()).find(({ algorithm }) => algorithm === "EdDSA")).toMatchObject({ state: "next", signsFrom });
    expect(await kidOfNewToken()).toBe(before);
    const atOnce = await authsvc([...switching, "--now"], place);
    expect(atOnce.stderr).toMatch(/EdDSA signs now\. Servers that cache the key set reject its tokens/u);
    const signing = (await list()).find(({ algorithm, state }) => algorithm === "EdDSA" && state === "signing");
    expect(await kidOfNewToken()).toBe(signing?.kid);
    expect(await authsvc(["app", "update", "app_shop", "--name", "Shop", "--now"], place)).toMatchObject({ code: 2 });
  });

  test("every algorithm in use gets a key", async () => {
    const made = (await json(["signing-key", "rotate", "--now"])) as Key[];
    expect(made.map(({ algorithm }) => algorithm)).toEqual(["ES256", "EdDSA"]);
    expect(await kidOfNewToken()).toBe(made[1]?.kid);
  });

  test("revoke says whom it concerns, wants a yes, and lets a new key sign", async () => {
    const kid = await kidOfNewToken();
    const { accessToken } = (await json(["token", "mint", "--user", userId])) as { accessToken: string };
    expect(await json(["signing-key", "revoke", kid, "--dry-run"])).toMatchObject({
      kid,
      algorithm: "EdDSA",
      state: "signing",
      logins: 0,
      mintedTokens: expect.any(Number) as number,
      dryRun: true,
    });
    expect(await authsvc(["signing-key", "revoke", kid], place)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--yes is missing.*0 logins must refresh/u) as string,
    });
    expect((await authsvc(["token", "verify", accessToken], place)).code).toBe(0);
    const { replacement } = (await json(["signing-key", "revoke", kid, "--yes"])) as { replacement: string };
    expect(await kidOfNewToken()).toBe(replacement);
    expect((await list()).map((key) => key.kid)).not.toContain(kid);
    expect((await authsvc(["token", "verify", accessToken], place)).code).toBe(1);
    expect(await authsvc(["signing-key", "revoke", kid, "--yes"], place)).toMatchObject({ code: 3 });
    const audited = (await json(["audit", "list"])) as { action: string }[];
    expect(audited.filter(({ action }) => action === "signing-key.revoke")).toHaveLength(1);
  });

  test("is in the audit log, and prints no private key", async () => {
    const audited = (await json(["audit", "list"])) as { action: string }[];
    expect(audited.filter(({ action }) => action === "signing-key.rotate")).toHaveLength(5);
    const { stdout } = await authsvc(["signing-key", "list"], place);
    expect(stdout).toMatch(/^KEY ID \(kid\) +ALGORITHM +STATE +SIGNS FROM +PUBLISHED UNTIL\n/u);
    expect(JSON.stringify(await list())).not.toMatch(/"d"|private/iu);
  });
});
