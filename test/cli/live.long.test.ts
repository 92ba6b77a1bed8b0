import { once } from "node:events";
import { createServer } from "node:http";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { escapeUnseen } from "../../src/lib/text.ts";
import type { LiveState } from "../../src/live/live.ts";
import { program } from "../support/program.ts";
import { emptyFolder, finish, outputOf, start } from "./command.ts";
import { answer, authsvc } from "./in-process.ts";
import { servingProcesses } from "./serving.ts";
import { hasTerminal, noTerminal, programOnTerminal } from "./terminal.ts";
import { leftOut } from "../support/left-out.ts";

const { serve, addressOf } = servingProcesses();
const restored = "\u001b[?25h\u001b[?1049l";

/** Ends with the test. */
function follow(args: string[], cwd: string) {
  const child = start(args, { cwd });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** A socket that answers every path with this line, and then waits. */
async function pretend(cwd: string, answer: object): Promise<void> {
  mkdirSync(join(cwd, "data"), { mode: 0o700 });
  const server = createServer(({ url }, response) => {
    response.write(`${JSON.stringify(answer)}\n`);
    if (url === "/state") response.end();
  });
  await once(server.listen(join(cwd, "data", "live.sock")), "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
}

async function lookUp(url: string, path: string, headers: Record<string, string> = {}): Promise<void> {
  await (await fetch(url + path, { headers })).text();
}

describe.skipIf(process.platform === "win32")("authsvc top", () => {
  test("without a service, says so and which command starts one", async () => {
    const cwd = emptyFolder();
    const { code, stdout, stderr } = await authsvc(["top"], { cwd });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^authsvc: No service runs with the data folder .*data\. Start it with authsvc serve/u);
  });

  test("prints the state once, as text or JSON, where there is no terminal", async () => {
    const cwd = emptyFolder();
    const url = await addressOf(serve(["--port", "0"], cwd));
    // Counting begins with the first look, and the slowest calls are kept for minutes.
    await authsvc(["top"], { cwd });
    await lookUp(url, "/healthz");
    const { code, stdout } = await authsvc(["top"], { cwd });
    expect(code).toBe(0);
    for (const line of [
      /^authsvc \d/u,
      /^Requests +\S+\/s/mu,
      /^Database +ping \S+ ms/mu,
      /^Webhooks +0 waiting$/mu,
      / GET \/healthz +req_/u,
    ])
      expect(stdout).toMatch(line);
    expect(stdout).not.toContain("\u001b");
    expect(JSON.parse((await authsvc(["top", "--once", "--json"], { cwd })).stdout) as LiveState).toMatchObject({
      database: { kind: "sqlite", up: true },
    });
  });

  test("what pretends to be a service cannot act on the terminal", async () => {
    const cwd = emptyFolder();
    const hostile = "\u001b]0;x\u0007\u202E";
    const state = {
      version: hostile,
      pid: 1,
      startedAt: new Date().toISOString(),
      seconds: 10,
      requests: {
        calls: 0,
        refused: 0,
        limited: 0,
        failed: 0,
        milliseconds: { p50: 0, p95: 0, p99: 0 },
        validates: 0,
        refreshes: 0,
      },
      signIns: [{ method: hostile, success: 1, failure: 1 }],
      hashes: { running: 0, waiting: 0, perSecond: 0 },
      database: {
        kind: "sqlite",
        up: true,
        writable: true,
        pingMilliseconds: 1,
        waiting: 0,
        connections: null,
        transactions: { perSecond: 0, milliseconds: { p50: 0, p95: 0, p99: 0 } },
      },
      webhooks: null,
      mails: null,
      routes: [
        { route: hostile, calls: 1, refused: 0, limited: 0, failed: 0, milliseconds: { p50: 0, p95: 0, p99: 0 } },
      ],
      slowest: [{ at: hostile, requestId: hostile, method: hostile, status: 200, milliseconds: 1 }],
    };
    await pretend(cwd, state);
    for (const flags of [[], ["--json"]]) {
      const { code, stdout } = await authsvc(["top", ...flags], { cwd });
      expect(code).toBe(0);
      expect(escapeUnseen(stdout, "\n")).toBe(stdout);
      expect(stdout).toContain("\\u001b");
    }
  });
});

describe.skipIf(!hasTerminal)(`authsvc top on a terminal${leftOut(hasTerminal ? undefined : noTerminal)}`, () => {
  const top = async (cwd: string, key: string, env: Record<string, string> = {}) =>
    await programOnTerminal([...program, "top"], [["q quits", key]], { cwd, env, columns: 80, rows: 24 });

  test("shows one screen of 80 × 24, and q puts the terminal back", async () => {
    const cwd = emptyFolder();
    await addressOf(serve(["--port", "0"], cwd));
    const { code, screen } = await top(cwd, "q");
    expect(code).toBe(0);
    expect(screen.startsWith("\u001b[?1049h")).toBe(true);
    expect(screen.endsWith(restored)).toBe(true);
    const [, drawn = ""] = screen.split("\u001b[H");
    const lines = stripVTControlCharacters(drawn).split(/\r+\n/u);
    expect(lines.length).toBeLessThanOrEqual(24);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    expect(lines.at(-1)).toContain("q quits");
  });

  test("Ctrl-C puts it back too, and NO_COLOR has no emphasis", async () => {
    const cwd = emptyFolder();
    await addressOf(serve(["--port", "0"], cwd));
    const { code, screen } = await top(cwd, "\u0003", { NO_COLOR: "1" });
    expect(code).toBe(130);
    expect(screen.endsWith(restored)).toBe(true);
    expect(["\u001b[1m", "\u001b[0m"].filter((emphasis) => screen.includes(emphasis))).toEqual([]);
  });
});

describe.skipIf(process.platform === "win32")("authsvc logs", () => {
  const cwd = emptyFolder();
  beforeAll(async () => {
    await answer(["app", "create", "--name", "Shop", "--id", "app_shop"], { cwd });
    await answer(["app", "create", "--name", "Other", "--id", "app_other"], { cwd });
  });
  const documents = (text: string): Record<string, unknown>[] =>
    text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  test("shows the audit log with the filters of audit list, one document per line, and says that requests are not stored", async () => {
    const { code, stdout, stderr } = await authsvc(["logs", "--app", "app_shop", "--json"], { cwd });
    expect(code).toBe(0);
    const listed = (await answer(["audit", "list", "--app", "app_shop"], { cwd })) as object[];
    expect(listed.length).toBeGreaterThan(1);
    expect(documents(stdout)).toEqual(listed.map((event) => ({ type: "audit", ...event })));
    expect(stderr).toMatch(/Requests are not stored/u);
    expect((await authsvc(["logs", "--audit"], { cwd })).stderr).toBe("");
  });

  test.each([
    [["--requests"], /--requests needs --follow/u],
    [["--requests", "--follow", "--address", "192.0.2.1"], /cannot be filtered by --address/u],
    [["--requests", "--audit", "--follow"], /cannot be used with/u],
  ])("%j is refused with 2", async (flags, sentence) => {
    const { code, stderr } = await authsvc(["logs", ...flags], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(sentence);
  });

  test("follows the audit log and the requests as one stream, also after a restart of the service", async () => {
    const place = emptyFolder();
    const { apiKey } = (await answer(["app", "create", "--name", "Shop", "--id", "app_shop"], { cwd: place })) as {
      apiKey: string;
    };
    const logs = follow(["logs", "--follow", "--json"], place);
    let notes = "";
    logs.stderr.on("data", (text: Buffer) => (notes += text.toString()));
    const finished = finish(logs);
    await outputOf(logs, /application\.create/u);
    expect(notes).toMatch(/No service runs with the data folder .*authsvc serve/u);
    for (const round of [1, 2]) {
      const service = serve(["--port", "0"], place);
      const url = await addressOf(service);
      const seen = outputOf(logs, /"route":"\/auth\/revocations".*\n[^]*application\.update/u);
      await vi.waitFor(() => expect(notes.match(/The service has started/gu)).toHaveLength(round), 20_000);
      await lookUp(url, "/auth/revocations?cursor=secret", {
        authorization: `Bearer ${apiKey}`,
        "x-service-app-id": "app_shop",
      });
      await answer(["app", "update", "app_shop", "--name", `Shop ${round}`], { cwd: place });
      await seen;
      const ended = once(service, "exit");
      service.kill("SIGTERM");
      await ended;
      await vi.waitFor(() => expect(notes.match(/No service runs/gu)).toHaveLength(round + 1), 20_000);
    }
    logs.kill("SIGINT");
    const { code, stdout } = await finished;
    expect(code).toBe(130);
    expect(stdout).not.toContain("secret");
    const types = documents(stdout).map(({ type, action, route }) => [type, action ?? route]);
    expect(types.filter(([, what]) => what === "/auth/revocations" || what === "application.update")).toEqual([
      ["request", "/auth/revocations"],
      ["audit", "application.update"],
      ["request", "/auth/revocations"],
      ["audit", "application.update"],
    ]);
  });

  test("chooses requests by caller and result, and shows them alone with --requests", async () => {
    const place = emptyFolder();
    const { apiKey } = (await answer(["app", "create", "--name", "Shop", "--id", "app_shop"], { cwd: place })) as {
      apiKey: string;
    };
    const url = await addressOf(serve(["--port", "0"], place));
    const logs = follow(
      ["logs", "--follow", "--requests", "--app", "app_shop", "--result", "success", "--json"],
      place,
    );
    const reader = new AbortController();
    const seen = outputOf(logs, /\n/u).finally(() => reader.abort());
    const headers = { authorization: `Bearer ${apiKey}`, "x-service-app-id": "app_shop" };
    // Nothing says that it listens: called until it has.
    while (!reader.signal.aborted) {
      await lookUp(url, "/healthz");
      await lookUp(url, "/webhooks/endpoints", headers);
      await lookUp(url, "/webhooks/endpoints", { ...headers, authorization: "Bearer wrong" });
    }
    const text = await seen;
    for (const document of documents(text))
      expect(document).toMatchObject({
        type: "request",
        status: 200,
        caller: expect.stringMatching(/^app:app_shop/u) as string,
      });
  });
});

test.skipIf(process.platform === "win32")(
  "what pretends to be a service cannot act on the terminal of logs",
  async () => {
    const cwd = emptyFolder();
    const hostile = "\u001b]0;x\u0007\u202E<b>";
    const request = {
      at: hostile,
      requestId: hostile,
      method: hostile,
      route: hostile,
      status: 500,
      code: hostile,
      milliseconds: 1,
      caller: hostile,
    };
    await pretend(cwd, request);
    for (const flags of [[], ["--json"]]) {
      const logs = follow(["logs", "--follow", "--requests", ...flags], cwd);
      const shown = await outputOf(logs, /<b>[^]*\n/u);
      expect(escapeUnseen(shown, "\n")).toBe(shown);
      expect(shown).toContain("\\u001b");
    }
  },
);

describe.skipIf(!hasTerminal)(`authsvc logs on a terminal${leftOut(hasTerminal ? undefined : noTerminal)}`, () => {
  test("is aligned within 80 columns", async () => {
    const cwd = emptyFolder();
    await answer(["app", "create", "--name", "Shop", "--id", "app_shop"], { cwd });
    const { code, screen } = await programOnTerminal(
      [...program, "logs", "--follow"],
      [["application.create", "\u0003"]],
      { cwd },
    );
    expect(code).toBe(130);
    const lines = stripVTControlCharacters(screen).split(/\r?\n/u);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    const heading = lines.find((line) => line.startsWith("TIME")) ?? "";
    const row = lines.find((line) => line.includes("application.create")) ?? "";
    expect(row.indexOf("application.create")).toBe(heading.indexOf("WHAT"));
    expect(row.indexOf("success")).toBe(heading.indexOf("RESULT"));
  });
});
