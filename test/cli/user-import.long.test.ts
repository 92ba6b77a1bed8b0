import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import Database from "better-sqlite3";
import { beforeAll, describe, expect, test } from "vitest";
import { emptyFolder, finish, start, type Finished } from "./command.ts";
import { answer, authsvc } from "./in-process.ts";
import { hasTerminal, noTerminal, onTerminal } from "./terminal.ts";

const cwd = emptyFolder();
const hash = "$2b$05$abcdefghijklmnopqrstuuHNbAKRhpaujgo33bRWs.NLUTJO3lOy2";

/** What a query finds, as soon as it finds it. */
function stored(query: string): unknown {
  const database = new Database(join(cwd, "data/authsvc.db"), { readonly: true });
  try {
    return database.prepare(query).pluck().get();
  } finally {
    database.close();
  }
}

const usersOf = (appId: string): number => Number(stored(`SELECT count(*) FROM users WHERE app_id = '${appId}'`));
const countedOf = (appId: string): number =>
  Number(stored(`SELECT sum(value) FROM application_counters WHERE app_id = '${appId}' AND name = 'users'`));

/** Waits for the command to have got somewhere; throws what it said when it ends before. */
async function until(holds: () => boolean, finished: Promise<Finished>): Promise<void> {
  let ended: Finished | undefined;
  void finished.then((said) => (ended = said));
  while (!holds()) {
    if (ended) throw new Error(`ended with ${ended.code}: ${ended.stdout}${ended.stderr}`);
    await pause(5);
  }
}

function lines(count: number, domain: string): string {
  return Array.from({ length: count }, (_, index) => `{"email":"person${index}@${domain}"}\n`).join("");
}

beforeAll(async () => {
  for (const id of ["app_a", "app_killed", "app_stopped", "app_drawn"])
    await answer(["app", "create", "--name", id, "--id", id], { cwd });
});

describe("user import", () => {
  test("creates users, and names line, field and rule of each one that is refused", async () => {
    writeFileSync(join(cwd, "other.txt"), "something else");
    writeFileSync(
      join(cwd, "users.jsonl"),
      [
        `\uFEFF{"id":"ada","email":"Ada@Example.org","password":{"hash":"${hash}"}}`,
        "",
        '{"email":"secret-value"}',
        "{",
        `{"email":"b@example.org","name":"${"x".repeat(1_100_000)}"}`,
        '{"email":"c@example.org","admin":true}\r',
        '{"email":"d@example.org"}',
      ].join("\n"),
    );
    const args = ["user", "import", "users.jsonl", "--app", "app_a", "--report", "refused.jsonl", "--json"];
    const planned = await authsvc([...args, "--dry-run"], { cwd });
    expect(planned).toMatchObject({ code: 4, stderr: "" });
    expect(JSON.parse(planned.stdout)).toEqual({
      lines: 6,
      created: 2,
      unchanged: 0,
      refused: 4,
      leftOut: 0,
      dryRun: true,
      interrupted: false,
    });
    expect(usersOf("app_a")).toBe(0);
    const done = await authsvc(args, { cwd });
    expect(done).toMatchObject({ code: 4, stderr: "" });
    expect(JSON.parse(done.stdout)).toMatchObject({ created: 2, refused: 4, dryRun: false });
    const report = readFileSync(join(cwd, "refused.jsonl"), "utf8");
    expect(
      report
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      { line: 5, field: "", rule: "longer than 1048576 bytes" },
      {
        line: 3,
        field: "email",
        rule: "an address such as ada@example.com, at most 254 characters",
      },
      { line: 4, field: "", rule: "not JSON: each line is one user" },
      { line: 6, field: "admin", rule: "not a known field" },
    ]);
    expect(report).not.toContain("secret-value");
    if (process.platform !== "win32") expect(statSync(join(cwd, "refused.jsonl")).mode & 0o777).toBe(0o600);
    expect(stored("SELECT details FROM audit_events WHERE action = 'user.import'")).toBe('{"users":2}');
  });

  test("a repetition changes nothing and says so", async () => {
    const { code, stdout, stderr } = await authsvc(["user", "import", "users.jsonl", "--app", "app_a"], { cwd });
    expect({ code, stdout }).toEqual({ code: 4, stdout: "Lines      6\nCreated    0\nUnchanged  2\nRefused    4\n" });
    expect(stderr).toContain("line 3: email: an address such as ada@example.com, at most 254 characters\n");
    expect(usersOf("app_a")).toBe(2);
  });

  test("after a kill in the middle the same command again completes it, each user once", async () => {
    const count = 6000;
    writeFileSync(join(cwd, "many.jsonl"), lines(count, "killed.example"));
    const args = ["user", "import", "many.jsonl", "--app", "app_killed", "--json"];
    // Its input does not end, so that it cannot be done before it is killed.
    const child = start(["user", "import", "--app", "app_killed", "--json"], { cwd });
    const finished = finish(child);
    child.stdin.write(lines(count, "killed.example"));
    await until(() => usersOf("app_killed") > 0, finished);
    child.kill("SIGKILL");
    expect(await finished).toMatchObject({ code: null, signal: "SIGKILL" });
    const before = usersOf("app_killed");
    expect(before % 500).toBe(0);
    const { code, stdout } = await authsvc(args, { cwd });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ created: count - before, unchanged: before, refused: 0 });
    expect(usersOf("app_killed")).toBe(count);
    expect(countedOf("app_killed")).toBe(count);
  });

  test.skipIf(process.platform === "win32")("Ctrl-C ends it with 130 and whole batches only", async () => {
    const child = start(["user", "import", "--app", "app_stopped", "--json"], { cwd });
    const finished = finish(child);
    child.stdin.write(lines(700, "stopped.example"));
    await until(() => usersOf("app_stopped") > 0, finished);
    child.kill("SIGINT");
    const { code, stdout } = await finished;
    expect(code).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ created: 500, interrupted: true });
    expect(usersOf("app_stopped")).toBe(500);
    expect(countedOf("app_stopped")).toBe(500);
  });

  test("draws how far it is on a terminal", async ({ skip }) => {
    skip(!hasTerminal, noTerminal);
    const { code, screen } = await onTerminal(["user", "import", "many.jsonl", "--app", "app_drawn"], [], cwd);
    expect(code).toBe(0);
    expect(screen).toMatch(/\[#+-*\] \d+ % {2}[\d,]+ users, [\d,]+ a second/);
    expect(screen).toMatch(/Created +6,000\r?\n/);
  });

  const refused: [args: string[], code: number, line: RegExp][] = [
    [["users.jsonl", "--app", "app_nobody"], 3, /no application with this id/],
    [["nowhere.jsonl", "--app", "app_a"], 2, /^authsvc: FILE: the file nowhere\.jsonl does not exist$/],
    [
      ["users.jsonl", "--app", "app_a", "--report", "nowhere/refused.jsonl"],
      2,
      /^authsvc: --report: the folder of nowhere\/refused\.jsonl does not exist$/,
    ],
    [
      ["users.jsonl", "--app", "app_a", "--firebase-parameters-file", "other.txt"],
      2,
      /^authsvc: --firebase-parameters-file: base64_signer_key is missing or has the wrong format$/,
    ],
  ];
  test.each(refused)("refuses %j with exit code %i", async (args, code, line) => {
    const answer = await authsvc(["user", "import", ...args], { cwd });
    expect(answer).toMatchObject({ code, stdout: "" });
    expect(answer.stderr.trim()).toMatch(line);
  });
});

test("user export prints what user import takes, hashes only on request", async () => {
  const exported = await authsvc(["user", "export", "--app", "app_a", "--with-hashes"], { cwd });
  expect(exported).toMatchObject({ code: 0, stderr: "" });
  expect(exported.stdout).toContain(hash);
  const bare = await authsvc(["user", "export", "--app", "app_a"], { cwd });
  expect(bare.stdout).not.toContain("password");
  expect(bare.stdout.split("\n")).toHaveLength(3);
  const elsewhere = emptyFolder();
  await answer(["app", "create", "--name", "Copy", "--id", "app_a"], { cwd: elsewhere });
  const imported = await authsvc(["user", "import", "--app", "app_a"], { cwd: elsewhere, input: exported.stdout });
  expect(imported).toMatchObject({ code: 0, stdout: "Lines      2\nCreated    2\nUnchanged  0\nRefused    0\n" });
  const again = await authsvc(["user", "export", "--app", "app_a", "--with-hashes"], { cwd: elsewhere });
  expect(again.stdout).toBe(exported.stdout);
});
