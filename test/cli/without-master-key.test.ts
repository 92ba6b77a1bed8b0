import { existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { emptyFolder } from "./command.ts";
import { describeEachPlace, type Place } from "./databases.ts";
import { answer, authsvc } from "./in-process.ts";

const looks = [
  ["app", "list"],
  ["app", "show", "app_shop"],
  ["key", "list", "--app", "app_shop"],
  ["audit", "list", "--app", "app_shop"],
];

describeEachPlace("looking at applications, their keys and the audit log needs no master key", (place, dialect) => {
  const file = join(place.cwd, "data/master.key");
  const secret = ["signing-key", "list"];
  let withoutKey: Place;
  let shown: unknown[] = [];

  beforeAll(async () => {
    await answer(["app", "create", "--name", "Shop", "--id", "app_shop"], place);
    shown = await Promise.all(looks.map((args) => answer(args, place)));
    const env = { ...place.env };
    delete env["AUTHSVC_MASTER_KEY"];
    withoutKey = { ...place, env };
  });

  test("with another one, they answer the same", async () => {
    const other = {
      ...place,
      env: { ...place.env, AUTHSVC_MASTER_KEY: "Zx3q9Lm0Tk8Vb2Nc7Rj4Wd1Yh6Fp5Sg0Ua8Ei3Ok7Qw" },
    };
    expect(await Promise.all(looks.map((args) => answer(args, other)))).toEqual(shown);
    expect(await authsvc(secret, other)).toMatchObject({ code: 2, stdout: "" });
  });

  test("without one, they answer the same, and make none", async () => {
    if (dialect === "sqlite") renameSync(file, `${file}.kept`);
    expect(await Promise.all(looks.map((args) => answer(args, withoutKey)))).toEqual(shown);
    expect(existsSync(file)).toBe(false);
    expect(await authsvc(secret, withoutKey)).toMatchObject({ code: 2, stdout: "" });
    if (dialect === "sqlite") renameSync(`${file}.kept`, file);
  });
});

test("a database that such a command made gets its master key with the first command that has a secret to keep", async () => {
  const place = { cwd: emptyFolder(), env: {} };
  const file = join(place.cwd, "data/master.key");
  expect(await answer(["app", "list"], place)).toEqual([]);
  expect(existsSync(file)).toBe(false);
  await answer(["app", "create", "--name", "Shop", "--id", "app_shop"], place);
  expect(readFileSync(file, "utf8")).toMatch(/^[\w-]{43}\n$/u);
  rmSync(file);
  expect(await authsvc(["app", "create", "--name", "Other"], place)).toMatchObject({ code: 2, stdout: "" });
});
