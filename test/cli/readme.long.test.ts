import { spawn } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { freePort } from "../support/free-port.ts";
import { confirmFromMailbox, goodPassword, newEmail, Visitor } from "../support/person.ts";
import { blocksOf } from "../docs/pages.ts";
import { emptyFolder, finish, outputOf, start } from "./command.ts";
import { noProgram } from "../support/left-out.ts";

const root = join(import.meta.dirname, "../..");
const readme = readFileSync(join(root, "README.md"), "utf8");
const noPython = noProgram("python3");

const isCalls = ({ text }: { text: string }): boolean => text.includes("node:readline");
const calls = blocksOf("docs/quick-start.md").find(isCalls)?.text ?? "";

describe("the README and the quick start", () => {
  const cwd = emptyFolder();
  let service: ReturnType<typeof start>;
  let printed = "";

  beforeAll(async () => {
    const yours = ["--redirect-uri", "http://localhost:3000/callback"];
    service = start(["serve", "--dev", "--port", "0", ...yours], { cwd });
    printed = await outputOf(service, /Your app .*\n/u);
  });
  afterAll(async () => {
    const ended = finish(service);
    service.kill("SIGTERM");
    await ended;
  });

  test("show what npm start really prints", () => {
    const shown = /```\n(listening on [\s\S]*?)```/u.exec(readme)?.[1] ?? "";
    const shape = (text: string): string[] =>
      text
        .trim()
        .split("\n")
        .map((line) =>
          line.replace(/localhost:(?!3000)\d+/u, "localhost:PORT").replace(/(KEY=ak_|SECRET=)\S+/u, "$1…"),
        );
    expect(shape(printed)).toEqual(shape(shown));
  });

  test("have four calls by hand that work as they stand", async () => {
    writeFileSync(join(cwd, "calls.mjs"), calls);
    const program = spawn(process.execPath, ["--env-file=data/demo.env", "calls.mjs"], { cwd });
    const ended = finish(program);
    const said = await outputOf(program, /sign-in\/sis_\S+\n/u);
    const authUrl = /http\S+/u.exec(said)?.[0] ?? "";
    const email = newEmail();
    const visitor = new Visitor();
    const page = await visitor.get(`${authUrl}/create-account`);
    const asked = await visitor.submit(page, "/create-account", { email, password: goodPassword });
    const done = await confirmFromMailbox(visitor, asked.location.href, email);
    program.stdin.end(`${done.location.searchParams.get("code")}\n`);
    const { code, stdout, stderr } = await ended;
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(stdout).toContain(email);
    expect(stdout.trim().endsWith("900")).toBe(true);
  });
});

describe("the quick start, from an empty folder", () => {
  const cwd = emptyFolder();
  const children: ReturnType<typeof start>[] = [];
  let url = "";
  let appUrl = "";

  beforeAll(async () => {
    // The folder of the sources, but for what running leaves in it.
    for (const name of ["docs", "node_modules", "package.json"]) symlinkSync(join(root, name), join(cwd, name));
    appUrl = `http://localhost:${await freePort()}`;
    const service = start(["serve", "--dev", "--port", "0", "--redirect-uri", `${appUrl}/callback`], { cwd });
    children.push(service);
    url = /listening on (\S+)/u.exec(await outputOf(service, /Your app .*\n/u))?.[1] ?? "";
  });
  afterAll(async () => {
    const ended = children.map(finish);
    for (const child of children) child.kill("SIGTERM");
    await Promise.all(ended);
  });

  const examples = blocksOf("docs/quick-start.md").filter(({ text }) => text.includes("docs/examples/"));
  test.for(examples.map(({ text }) => [text.split("/").at(-2) ?? "", text] as const))(
    "signs somebody in with the example in %s, as it is written",
    async ([language, text], { skip }) => {
      skip(language === "python" && noPython !== undefined, noPython);
      const env = { ...process.env, AUTHSVC_ISSUER: url, APP_URL: appUrl };
      const example = spawn("bash", ["-c", `exec env ${text}`], { cwd, env, detached: true });
      let said = "";
      example.stderr.on("data", (chunk) => (said += String(chunk)));
      const ended = new Promise((resolve) => example.once("exit", resolve));
      try {
        await vi
          .waitFor(async () => await fetch(appUrl), { timeout: 60_000, interval: 50 })
          .catch(() => {
            throw new Error(said);
          });
        const visitor = new Visitor();
        const begun = await visitor.get(`${appUrl}/login`);
        const email = newEmail();
        const form = await visitor.get(`${begun.location.href}/create-account`);
        const asked = await visitor.submit(form, "/create-account", { email, password: goodPassword });
        const back = await confirmFromMailbox(visitor, asked.location.href, email);
        expect((await visitor.get(back.location.href)).status).toBe(303);
        expect((await visitor.get(`${appUrl}/me`)).json()).toMatchObject({ email });
      } finally {
        // npm exec does not hand signals on: the whole group.
        process.kill(-(example.pid ?? 0), "SIGKILL");
        await ended;
      }
    },
  );
});
