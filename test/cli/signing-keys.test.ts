import { decodeProtectedHeader } from "jose";
import { beforeAll, expect, test } from "vitest";
import { describeEachPlace } from "./databases.ts";
import { answer, authsvc } from "./in-process.ts";

type Key = { kid: string; algorithm: string; state: string; signsFrom: string; publishedUntil: string | null };

const day = 86_400_000;

describeEachPlace("signing-key list and rotate", (place) => {
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

  test("every algorithm in use gets a key", async () => {
    await json(["app", "update", "app_shop", "--signing-algorithm", "EdDSA"]);
    await kidOfNewToken();
    const made = (await json(["signing-key", "rotate", "--now"])) as Key[];
    expect(made.map(({ algorithm }) => algorithm)).toEqual(["ES256", "EdDSA"]);
    expect(await kidOfNewToken()).toBe(made[1]?.kid);
  });

  test("is in the audit log, and prints no private key", async () => {
    const audited = (await json(["audit", "list"])) as { action: string }[];
    expect(audited.filter(({ action }) => action === "signing-key.rotate")).toHaveLength(5);
    const { stdout } = await authsvc(["signing-key", "list"], place);
    expect(stdout).toMatch(/^KEY ID \(kid\) +ALGORITHM +STATE +SIGNS FROM +PUBLISHED UNTIL\n/u);
    expect(JSON.stringify(await list())).not.toMatch(/"d"|private/iu);
  });
});
