import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { emptyFolder, finish, outputOf, start } from "./command.ts";
import { describeEachPlace } from "./databases.ts";
import { answer, authsvc } from "./in-process.ts";

type Entry = { id: string; at: string; action: string };

function linesOf(text: string): Entry[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Entry);
}

describeEachPlace("audit export and follow", (place) => {
  beforeAll(async () => {
    for (const id of ["app_1", "app_2", "app_3"]) await answer(["app", "create", "--name", id, "--id", id], place);
  });

  const run = async (...args: string[]) => await authsvc(["audit", ...args], place);

  test("export prints what audit list shows, oldest first, and is recorded itself", async () => {
    const all = (await answer(["audit", "list", "--sort", "at"], place)) as Entry[];
    const { stdout, code } = await run("export");
    expect(code).toBe(0);
    expect(linesOf(stdout)).toEqual(all);
    const actions = ((await answer(["audit", "list"], place)) as Entry[]).slice(-2).map(({ action }) => action);
    expect(actions).toEqual(["audit.export", "audit.exported"]);
  });

  test("windows are half open: those that meet have each entry once", async () => {
    const all = linesOf((await run("export")).stdout);
    const middle = all[2]?.at ?? "";
    const before = linesOf((await run("export", "--until", middle)).stdout);
    const end = all.at(-1)?.at ?? "";
    const after = linesOf((await run("export", "--since", middle, "--until", end)).stdout);
    const joined = [...before, ...after].map(({ id }) => id);
    expect(joined).toEqual(all.filter(({ at }) => at < end).map(({ id }) => id));
    expect(before.every(({ at }) => at < middle)).toBe(true);
  });

  test("in each format; a wrong one, and a window without an end, are refused", async () => {
    const csv = (await run("export", "--format", "csv")).stdout;
    expect(csv).toMatch(/^\u{FEFF}Time \(UTC\),ID,/u);
    const cef = (await run("export", "--format", "cef")).stdout;
    expect(cef).toMatch(
      /^CEF:0\|authsvc\|authsvc\|[^|]+\|application\.create\|application\.create\|3\|rt=\d+ externalId=aud_/mu,
    );
    expect((await run("export", "--format", "xml")).code).toBe(2);
    expect((await run("export", "--since", "1h", "--until", "2h")).stderr).toContain("--since must be before --until");
  });

  test("follow prints every entry, and the next call continues where it ended", async () => {
    const folder = emptyFolder();
    const file = join(folder, "cursor");
    const all = (await answer(["audit", "list", "--sort", "at"], place)) as Entry[];
    const args = ["audit", "follow", "--cursor-file", file];
    const first = start(args, place);
    const ended = finish(first);
    const last = all.at(-1)?.id ?? "";
    const said = await outputOf(first, new RegExp(last, "u"));
    expect(linesOf(said)).toEqual(all);
    first.kill("SIGKILL");
    await ended;
    await answer(["app", "create", "--name", "Later", "--id", "app_later"], place);
    const second = start(args, place);
    const endedToo = finish(second);
    const more = linesOf(await outputOf(second, /app_later/u));
    const now = (await answer(["audit", "list", "--sort", "at"], place)) as Entry[];
    const news = now.slice(all.length);
    // Both of one instant, in no order.
    expect(news.map(({ action }) => action).toSorted()).toEqual(["api-key.create", "application.create"]);
    // Killed between the print and the file, it prints again rather than never.
    expect([news, now]).toContainEqual(more);
    second.kill("SIGKILL");
    await endedToo;
    await answer(["app", "delete", "app_later", "--yes"], place);
  });

  describe("a cursor file", () => {
    test("is none of the service's own", async () => {
      const file = join(place.cwd, "data", "authsvc.db-cursor");
      mkdirSync(dirname(file), { recursive: true });
      const { code, stderr } = await authsvc(["audit", "follow", "--cursor-file", file], place);
      expect([code, stderr]).toEqual([2, expect.stringContaining("is a file of the service itself")]);
      expect(existsSync(file)).toBe(false);
    });

    test.for([
      "",
      "{}",
      '{"origin":"x"',
      '{"origin":1,"after":null,"rest":null}',
      '{"origin":"x","after":"1","rest":null}',
    ])("%j stops with a sentence, and stays as it is", async (content) => {
      const file = join(emptyFolder(), "cursor");
      writeFileSync(file, content);
      const { code, stderr, stdout } = await run("follow", "--cursor-file", file);
      expect(code).toBe(4);
      expect(stderr).toMatch(/The cursor file .* (?:cannot be read|is not a cursor|is from another database)/u);
      expect(stdout).toBe("");
      expect(readFileSync(file, "utf8")).toBe(content);
    });

    test("that is a folder, or in none, is refused", async () => {
      const folder = emptyFolder();
      expect((await run("follow", "--cursor-file", folder)).code).toBe(2);
      const inNone = join(folder, "none", "cursor");
      expect((await run("follow", "--cursor-file", inNone)).code).toBe(2);
      expect(existsSync(inNone)).toBe(false);
    });
  });
});
