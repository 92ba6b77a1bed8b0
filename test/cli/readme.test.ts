import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { goodPassword, newEmail, Visitor } from "../support/person.ts";
import { emptyFolder, finish, outputOf, start } from "./command.ts";

const readme = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8");
const hasPython = spawnSync("python3", ["--version"]).status === 0;

describe("the README", () => {
  const cwd = emptyFolder();
  let service: ReturnType<typeof start>;
  let printed = "";

  beforeAll(async () => {
    service = start(["serve", "--dev", "--port", "0"], { cwd });
    printed = await outputOf(service, /Demo page/u);
  });
  afterAll(async () => {
    const ended = finish(service);
    service.kill("SIGTERM");
    await ended;
  });

  test("shows what npm start really prints", () => {
    const shown = /```\n(listening on [\s\S]*?)```/u.exec(readme)?.[1] ?? "";
    const shape = (text: string): string[] =>
      text
        .trim()
        .split("\n")
        .map((line) => line.replace(/localhost:\d+/u, "localhost:PORT").replace(/ak_\S+/u, "ak_…"));
    expect(shape(printed)).toEqual(shape(shown));
  });

  // Python is not among what npm test brings.
  test("has a first integration that works as it stands", async ({ skip }) => {
    skip(!hasPython, "there is no python3 here");
    const example = /```python\n([\s\S]*?)```/u.exec(readme)?.[1] ?? "";
    const url = /listening on (\S+)/u.exec(printed)?.[1] ?? "";
    const apiKey = /API key\s+(\S+)/u.exec(printed)?.[1] ?? "";
    const program = example.replaceAll("http://localhost:8080", url).replace("ak_…", apiKey);
    const python = spawn("python3", ["-u", "-c", program], { cwd });
    const ended = finish(python);
    const said = await outputOf(python, /sign-in\/sis_\S+\n/u);
    const authUrl = /http\S+/u.exec(said)?.[0] ?? "";
    const email = newEmail();
    const visitor = new Visitor();
    const page = await visitor.get(`${authUrl}/create-account`);
    const done = await visitor.submit(page, "/create-account", { email, password: goodPassword });
    python.stdin.end(`${done.location.searchParams.get("code")}\n`);
    const { code, stdout, stderr } = await ended;
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(stdout).toContain(email);
    expect(stdout.trim().endsWith("900")).toBe(true);
  });
});
