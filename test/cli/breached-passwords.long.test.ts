import { copyFileSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { lineOf, seededBytes, useRangeServer } from "../support/breached.ts";
import { emptyFolder, finish, outputOf, start, type Finished } from "./command.ts";
import { answer, authsvc } from "./in-process.ts";

const isPosix = process.platform !== "win32";
const password = "one of the breached: sixty herons";
const list = [password, "another one that everybody knows"].map((one) => lineOf(one)).join("\r\n");

let cwd: string;
beforeEach(() => {
  cwd = emptyFolder();
});

const breached = async (args: string[], input = "", env: Record<string, string> = {}): Promise<Finished> =>
  await authsvc(["breached-passwords", ...args], { cwd, input, env });
const check = async (typed: string, file = "list.bin"): Promise<string> =>
  (await breached(["check", file], `${typed}\n`)).stdout;

describe("breached-passwords build", () => {
  test("makes a file of a list, whatever its line breaks, letter case, order and duplicates", async () => {
    const lists = {
      "CRLF as published": `${list}\r\n`,
      "no line break at the end": list,
      "LF, lower-case digits, empty lines": `\n${list.toLowerCase().replaceAll("\r\n", "\n\n")}\n\n`,
      "in another order, and twice": `${list.split("\r\n").toReversed().join("\n")}\n${list}`,
      "with padding": `${list}\r\n${lineOf("padding", 0)}\r\n`,
    };
    for (const [title, text] of Object.entries(lists)) {
      const { code, stdout, stderr } = await breached(["build", "list.bin", "--json"], text);
      expect([title, code, JSON.parse(stdout)]).toEqual([
        title,
        0,
        { file: join(cwd, "list.bin"), entries: 2, bytes: statSync(join(cwd, "list.bin")).size },
      ]);
      expect(stderr).toContain("Set passwords.breachedFile to it.");
      expect([title, await check(password), await check("padding")]).toEqual([title, "breached\n", "not breached\n"]);
    }
    writeFileSync(join(cwd, "list.txt"), list);
    expect((await breached(["build", "from.bin", "--from", "list.txt"])).stdout).toMatch(/from\.bin: 2 entries, \d/u);
    expect(await check(password, "from.bin")).toBe("breached\n");
    expect(readdirSync(cwd).toSorted()).toEqual(["from.bin", "list.bin", "list.txt"]);
  });

  test.each([
    ["nothing", "", "no passwords"],
    ["padding only", `${lineOf("x", 0)}\r\n`, "no passwords"],
    ["a word", `${list}\r\nhunter22\r\n`, "Line 3 "],
    ["no count", `${lineOf(password).slice(0, 40)}\n${list}`, "Line 1 "],
    ["an empty count", `${list}\n${lineOf(password).slice(0, 41)}\n`, "Line 3 "],
    ["a count that is none", `${list}\n${lineOf(password)}x\n`, "Line 3 "],
    ["a digit too few", `${list}\n${lineOf(password).slice(1)}\n`, "Line 3 "],
    ["a digit that is none", `${list}\n${lineOf(password).replace(/^./u, "g")}\n${list}`, "Line 3 "],
    ["a hash of another kind", `${"0123456789ABCDEF".repeat(2)}:4\n`, "Line 1 "],
    ["a line without an end", "A".repeat(100_000), "Line 1 "],
  ])("refuses %s, leaves the old file as it was and nothing beside it", async (_title, text, says) => {
    await breached(["build", "list.bin"], list);
    const before = readFileSync(join(cwd, "list.bin"));
    const { code, stdout, stderr } = await breached(["build", "list.bin"], text);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(says);
    expect(stderr).not.toMatch(/hunter22|[0-9A-F]{20}/iu);
    expect(readdirSync(cwd)).toEqual(["list.bin"]);
    expect(readFileSync(join(cwd, "list.bin")).equals(before)).toBe(true);
  });

  test("replaces no other file without consent", async () => {
    writeFileSync(join(cwd, "list.bin"), "the diary of Ada");
    const refused = await breached(["build", "list.bin"], list);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("--yes is missing")]);
    expect(readFileSync(join(cwd, "list.bin"), "utf8")).toBe("the diary of Ada");
    expect((await breached(["build", "list.bin", "--yes"], list)).code).toBe(0);
  });

  test("says where it cannot write", async () => {
    writeFileSync(join(cwd, "diary"), "");
    const { code, stderr } = await breached(["build", "diary/list.bin"], list);
    expect([code, stderr]).toEqual([1, expect.stringContaining("diary/list.bin cannot be written (ENOTDIR).")]);
  });

  test.each([
    [["build", "nowhere/list.bin"], "FILE: the folder of "],
    [["build", "list.bin", "--from", "nothing.txt"], "nothing.txt does not exist"],
    [["build", "list.bin", "--from", "."], "cannot be read (EISDIR)"],
    [["build"], "FILE is missing: File of breached passwords, or set passwords.breachedFile"],
    [
      ["fetch", "list.bin", "--url", "https://example.com/range"],
      "--url must be an http or https URL that ends with XXXXX",
    ],
    [["status", "list.bin"], "list.bin does not exist; make it: authsvc breached-passwords"],
  ])("%j ends with 2 and says why", async (args, says) => {
    const { code, stderr } = await breached(args, list);
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
    expect(readdirSync(cwd)).toEqual([]);
  });
});

const started: ReturnType<typeof start>[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

describe.runIf(isPosix)("a build that is interrupted", () => {
  test.each<[NodeJS.Signals, Partial<Finished>]>([
    ["SIGINT", { code: 130, signal: null }],
    ["SIGKILL", { code: null, signal: "SIGKILL" }],
  ])("by %s leaves the old file, and no key on the disk", async (signal, ends) => {
    await breached(["build", "list.bin"], list);
    const before = readFileSync(join(cwd, "list.bin"));
    const child = start(["breached-passwords", "build", "list.bin"], { cwd });
    started.push(child);
    const finished = finish(child);
    // A pipe holds less: once this is taken, the command is reading.
    const lines =
      seededBytes(1, 20 * 50_000)
        .toString("hex")
        .match(/.{40}/gu) ?? [];
    const half = `${lines.join(":1\n")}:1\n`;
    await new Promise<void>((resolve) => child.stdin.write(half, () => resolve()));
    child.kill(signal);
    expect(await finished).toMatchObject(ends);
    expect(readdirSync(cwd)).toEqual(["list.bin"]);
    expect(readFileSync(join(cwd, "list.bin")).equals(before)).toBe(true);
  });
});

describe("breached-passwords check and status", () => {
  test("say what is in the file of the configuration, and how it is", async () => {
    const env = { AUTHSVC_PASSWORDS__BREACHED_FILE: "list.bin" };
    expect((await breached(["build"], list, env)).code).toBe(0);
    const known = await breached(["check"], password, env);
    expect(known).toMatchObject({ code: 4, stdout: "breached\n", stderr: "" });
    expect(await breached(["check", "--json"], `${password}!`, env)).toMatchObject({
      code: 0,
      stdout: '{"breached":false}\n',
    });
    const { madeAt, ...status } = JSON.parse((await breached(["status", "--json"], "", env)).stdout) as {
      madeAt: string;
    };
    const file = join(cwd, "list.bin");
    expect(status).toEqual({ file, entries: 2, bytes: statSync(file).size, intact: true });
    expect(Math.abs(Date.now() - Date.parse(madeAt))).toBeLessThan(600_000);
    expect((await breached(["status"], "", env)).stdout).toMatch(
      /^File {5}\S+list\.bin, intact\nEntries {2}2\nSize {5}\d\S* KiB\nMade {5}20\S+Z\n$/u,
    );
    truncateSync(file, 9000);
    for (const command of ["status", "check"]) {
      const { code, stderr } = await breached([command], password, env);
      expect([code, stderr]).toEqual([2, expect.stringMatching(/passwords\.breachedFile: .*list\.bin is damaged \(/u)]);
    }
  });
});

describe("serve and doctor", () => {
  const env = { AUTHSVC_PASSWORDS__BREACHED_FILE: "list.bin", AUTHSVC_LISTEN__PORT: "0" };
  const serve = async () => await authsvc(["serve"], { cwd, env });
  const finding = async () => {
    const { stdout } = await authsvc(["doctor", "--json"], { cwd, env });
    return (JSON.parse(stdout) as { check: string }[]).find((one) => one.check === "passwords");
  };

  test("a missing or damaged file stops the start with its name, before there is a database", async () => {
    const missing = await serve();
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("list.bin does not exist")]);
    await breached(["build", "list.bin"], list);
    const file = join(cwd, "list.bin");
    const bytes = readFileSync(file);
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 0x10, bytes.length - 1);
    writeFileSync(file, bytes);
    const damaged = await serve();
    expect([damaged.code, damaged.stderr]).toEqual([
      2,
      expect.stringMatching(/list\.bin is damaged \(wrong checksum/u),
    ]);
    expect(readdirSync(cwd)).toEqual(["list.bin"]);
  });

  test("an intact one does not, and its passwords are refused where an operator creates a user", async () => {
    await breached(["build", "list.bin"], list);
    const app = ["--name", "Shop", "--id", "app_shop", "--redirect-uri", "https://a.example/cb"];
    await answer(["app", "create", ...app], { cwd, env });
    const create = ["user", "create", "--app", "app_shop", "--email", "ada@example.com", "--password-stdin"];
    const refused = await authsvc(create, { cwd, env, input: password });
    expect(refused).toMatchObject({
      code: 2,
      stderr: "authsvc: --password-stdin must not be in the list of passwords from data breaches\n",
    });
    expect((await authsvc(create, { cwd, env, input: `${password}, not` })).code).toBe(0);
    const child = start(["serve"], { cwd, env });
    started.push(child);
    await outputOf(child, /^listening on /u);
  });

  test("doctor says how many there are and since when, or what is wrong", async () => {
    const app = ["--name", "Shop", "--id", "app_shop", "--redirect-uri", "https://a.example/cb"];
    await answer(["app", "create", ...app], { cwd });
    expect(await finding()).toMatchObject({ status: "problem", fix: "authsvc breached-passwords fetch FILE" });
    await breached(["build", "list.bin"], list);
    expect(await finding()).toEqual({
      check: "passwords",
      status: "ok",
      message: expect.stringMatching(/^The file of breached passwords has 2 entries and was made 20\S+Z\.$/u) as string,
      fix: null,
    });
    truncateSync(join(cwd, "list.bin"), 9000);
    expect(await finding()).toMatchObject({ status: "problem", message: expect.stringContaining("damaged") as string });
  });
});

describe("breached-passwords fetch", () => {
  const server = useRangeServer([password], 2);
  const fetching = async (env: Record<string, string> = {}) =>
    await breached(["fetch", "list.bin", "--url", server.url(), "--json"], "", env);
  beforeEach(() => {
    server.asked.length = 0;
    server.answerBy(undefined);
  });

  const finer = useRangeServer([], 4);

  test("asks for 32 ranges at once, and never for more", async () => {
    const held: ServerResponse[] = [];
    finer.answerBy((range, response) => {
      if (range === "0200") response.writeHead(403).end();
      else if (held.length === 32) return false;
      else if (held.push(response) === 32) for (const one of held) one.end(lineOf("held").slice(4));
      return true;
    });
    const { stderr } = await breached(["fetch", "list.bin", "--url", finer.url()]);
    expect(stderr).toContain("Range 0200 cannot be fetched");
    expect(new Set(finer.asked).size).toBeGreaterThan(2 * 256);
    expect(finer.maxOpen()).toBe(32);
  });

  test("makes a file of every range", async () => {
    const { code, stdout } = await fetching();
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { entries: 513 }]);
    expect(new Set(server.asked).size).toBe(256);
    expect([await check(password), await check(`${password}!`)]).toEqual(["breached\n", "not breached\n"]);
    expect(readdirSync(cwd)).toEqual(["list.bin"]);
  });

  test("asks again for what is refused, cut off or wrong, and then has every range", async () => {
    const spoilt = new Map<string, (response: ServerResponse) => unknown>([
      ["03", (response) => response.writeHead(429, { "retry-after": "0" }).end()],
      ["07", (response) => response.writeHead(503).end("busy")],
      ["20", (response) => response.writeHead(200, { "content-length": "4000" }).write("0", () => response.destroy())],
      ["21", (response) => response.writeHead(200).end()],
      ["4F", (response) => response.writeHead(200).end("<html>Sign in to this network</html>")],
      ["80", (response) => response.writeHead(200).end(lineOf("cut off").slice(2, 30))],
      ["FF", (response) => response.destroy()],
    ]);
    server.answerBy((range, response) => {
      const spoil = spoilt.get(range);
      spoilt.delete(range);
      spoil?.(response);
      return spoil !== undefined;
    });
    const { code, stdout } = await fetching();
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { entries: 513 }]);
    expect(server.asked).toHaveLength(256 + 7);
  });

  test("continues where an earlier call ended, and fetches what is damaged of it anew", async () => {
    server.answerBy((range, response) => {
      if (range === "B0") response.writeHead(403).end();
      return range === "B0";
    });
    const failed = await fetching();
    expect(failed).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Range B0 cannot be fetched: status 403.") as string,
    });
    expect(readdirSync(cwd)).toEqual(["list.bin.fetching"]);
    expect(readdirSync(join(cwd, "list.bin.fetching"))).toHaveLength(0xb0);
    truncateSync(join(cwd, "list.bin.fetching/10"), 20);
    copyFileSync(join(cwd, "list.bin.fetching/12"), join(cwd, "list.bin.fetching/11"));
    server.asked.length = 0;
    server.answerBy(undefined);
    expect(JSON.parse((await fetching()).stdout)).toMatchObject({ entries: 513 });
    expect(server.asked.slice(0, 3)).toEqual(["10", "B0", "B1"]);
    expect(readdirSync(cwd)).toEqual(["list.bin"]);
  });
});
