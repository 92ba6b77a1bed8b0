import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { describeEachPlace } from "./databases.ts";
import { answer, authsvc } from "./in-process.ts";

describeEachPlace("what user import says of its input", (place) => {
  let apps = 0;
  let app = "";
  beforeAll(async () => await newApp());

  async function newApp(): Promise<void> {
    app = `app_${(apps += 1)}`;
    await answer(["app", "create", "--name", app, "--id", app], place);
  }
  const run = async (input: string | Buffer, ...more: string[]) =>
    await authsvc(["user", "import", "--app", app, ...more], { ...place, input });
  const usersOf = async (): Promise<number> =>
    ((await answer(["user", "list", "--app", app], place)) as unknown[]).length;
  const person = (index: number): string => JSON.stringify({ email: `person${index}@example.org` });
  const three = [0, 1, 2].map(person).join("\n");

  test("how many lines it got, not counting empty ones and the announcement", async () => {
    const { code, stdout } = await run(`{"lines":3}\n\n${three}\n\n`);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Lines      3\nCreated    3\nUnchanged  0\nRefused    0\n" });
    const again = await run(`${three}\n`, "--json");
    expect(JSON.parse(again.stdout)).toMatchObject({ lines: 3, created: 0, unchanged: 3, leftOut: 0 });
  });

  test.each([
    ["no line", "", /it has no lines/u],
    ["only empty lines", "\n \n", /it has no lines/u],
    ["a last line that is cut off", `${three}\n{"email":"person3@exam`, /line 4 is cut off/u],
    ["a last line that ends in a character", Buffer.from(`${three}\n{"name":"ü`).subarray(0, -1), /line 4 is cut off/u],
    ["fewer lines than announced", `{"lines":4}\n${three}\n`, /4 lines were announced, but 3 arrived/u],
    ["no line after the announcement", `{"lines":4}\n`, /4 lines were announced, but 0 arrived/u],
    ["more lines than announced", `{ "lines": 2 }\n${three}\n`, /2 lines were announced, but 3 arrived/u],
  ] as const)("that it is not complete, if it has %s", async (_title, input, line) => {
    await newApp();
    const { code, stdout, stderr } = await run(input);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^authsvc: The input is not complete: /mu);
    expect(stderr).toMatch(line);
  });

  test("nothing wrong with an announced number of no lines", async () => {
    expect(await run(`{"lines":0}\n`)).toMatchObject({ code: 0 });
  });

  test.each([
    ["pretty-printed objects", JSON.stringify({ email: "ada@example.org" }, null, 2)],
    ["an array", JSON.stringify([{ email: "ada@example.org" }])],
    ["a pretty-printed array", JSON.stringify([{ email: "ada@example.org" }], null, 2)],
  ])("that users are lines, once, of %s", async (_title, input) => {
    const { code, stdout, stderr } = await run(`${input}\n`);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toBe(
      "authsvc: The input is JSON over several lines, or a list. Write one user per line: convert objects with jq -c . and a list with jq -c '.[]'.\n",
    );
  });

  test("that a key is given twice, at any depth, which two readers could take for two users", async () => {
    await newApp();
    const lines = [
      '{"email":"ada@example.org","email":"eve@example.org"}',
      '{"email":"bob@example.org","password":{"hash":"a","hash":"b"}}',
      '{"email":"eve@example.org","\\u0065mail":"bob@example.org"}',
      '{"email":"carol@example.org","name":"\\"email\\":"}',
    ];
    const { code, stderr } = await run(`${lines.join("\n")}\n`);
    expect(code).toBe(4);
    expect(stderr).toBe([1, 2, 3].map((line) => `line ${line}: a key is given twice\n`).join(""));
    expect(await usersOf()).toBe(1);
  });

  test("what was left out, counted and by line", async () => {
    await newApp();
    const users = [
      { email: "ada@example.org", picture: "" },
      { email: "bob@example.org", picture: "http://x.example/a.png", name: "x".repeat(300) },
      { email: "carol@example.org", picture: "data:image/png;base64,AAAA" },
    ];
    const input = `${users.map((user) => JSON.stringify(user)).join("\n")}\n`;
    const { code, stdout, stderr } = await run(input, "--dry-run");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Left out +4 values that do not fit$/mu);
    expect(stderr).toContain("line 1: picture (left out): an https URL of at most 2048 characters, or a data URL");
    expect(await run(input, "--report", "report.jsonl")).toMatchObject({ code: 0, stderr: "" });
    const report = readFileSync(join(place.cwd, "report.jsonl"), "utf8").trim().split("\n");
    expect(report.map((line) => JSON.parse(line) as unknown)).toContainEqual({
      line: 2,
      field: "name",
      rule: "at most 200 characters, no control characters",
      leftOut: true,
    });
    expect(await usersOf()).toBe(3);
  });
});
