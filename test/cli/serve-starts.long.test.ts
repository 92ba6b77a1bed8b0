import { readFileSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createTestDatabase } from "../support/postgres.ts";
import { testMasterKey } from "../support/service.ts";
import { emptyFolder, finish, outputOf } from "./command.ts";
import { authsvc } from "./in-process.ts";
import { servingProcesses } from "./serving.ts";

const isPosix = process.platform !== "win32";
const { serve, addressOf } = servingProcesses();

describe("serve, each time anew", () => {
  test.skipIf(!isPosix)("a connection that never finishes its request does not keep it longer than 10 s", async () => {
    const child = serve(["--port", "0"]);
    const finished = finish(child);
    const { port } = new URL(await addressOf(child));
    const socket = connect(Number(port), "127.0.0.1");
    socket.on("error", () => {});
    socket.write("POST /auth/initiate HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{");
    await pause(300);
    const before = Date.now();
    child.kill("SIGTERM");
    expect(await finished).toMatchObject({ code: 0 });
    expect(Date.now() - before).toBeLessThan(10_000);
    socket.destroy();
  });

  test.skipIf(!isPosix)("a signal while it starts ends it with exit code 0 too", async () => {
    const child = serve(["--port", "0"]);
    const finished = finish(child);
    // The warning about cheap password hashes is logged before anything is opened.
    await new Promise<void>((resolve) => child.stderr.once("data", () => resolve()));
    child.kill("SIGTERM");
    expect(await finished).toMatchObject({ code: 0, signal: null });
  });

  test("--dev --redirect-uri adds addresses of one's own to the demo application, which stay", async () => {
    const cwd = emptyFolder();
    const mine = ["http://localhost:3000/callback", "http://localhost:5173/cb"];
    const flags = mine.flatMap((uri) => ["--redirect-uri", uri]);
    const first = serve(["--dev", "--port", "0", ...flags], cwd);
    const text = await outputOf(first, /5173.*\n/);
    expect(text).toMatch(/Your app +http:\/\/localhost:3000\nYour app +http:\/\/localhost:5173\n$/);
    first.kill("SIGTERM");
    await finish(first);
    const again = serve(["--dev", "--port", "0", "--json"], cwd);
    const { url, appId, apiKey, redirectUris } = JSON.parse(await outputOf(again, /\n$/)) as Record<string, string>;
    expect(redirectUris).toEqual(mine);
    const answer = await fetch(`${url}/auth/initiate`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${apiKey}`,
        "x-service-app-id": appId ?? "",
        "content-type": "application/json",
      },
      body: JSON.stringify({ redirectUri: mine[1] }),
    });
    expect(answer.status).toBe(200);
  });

  test("--dev makes the data folder that PostgreSQL alone does not need", async () => {
    const dataDir = join(emptyFolder(), "new", "data");
    const database = {
      AUTHSVC_DATABASE__URL: await createTestDatabase(),
      AUTHSVC_MASTER_KEY: testMasterKey,
    };
    await outputOf(serve(["--dev", "--port", "0", "--data", dataDir], emptyFolder(), database), /Demo page .*\n/);
    expect(readFileSync(join(dataDir, "demo-api-key"), "utf8")).toMatch(/^ak_\w{50}\n$/);
    if (isPosix) expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  });

  test("without --dev the start and doctor name what --dev has left, and the command that removes it", async () => {
    const cwd = emptyFolder();
    const first = serve(["--dev", "--port", "0", "--json"], cwd);
    const ended = finish(first);
    const { apiKey = "" } = JSON.parse(await outputOf(first, /\n$/)) as Record<string, string>;
    first.kill("SIGTERM");
    await ended;
    /** What a start says, and what the demo application's key is answered. */
    const startText = async (): Promise<{ stderr: string; code: string }> => {
      const child = serve(["--port", "0"], cwd);
      const finished = finish(child);
      const headers = { authorization: `Bearer ${apiKey}`, "x-service-app-id": "app_demo" };
      const url = await addressOf(child);
      const answer = await fetch(`${url}/auth/initiate`, { method: "POST", headers, body: "{}" });
      const { error } = (await answer.json()) as { error: { code: string } };
      child.kill("SIGTERM");
      return { stderr: (await finished).stderr, code: error.code };
    };
    const said = "app_demo is the demo application of development mode (serve --dev), and does nothing without it.";
    expect(await startText()).toEqual({
      stderr: expect.stringContaining(`${said} To remove it: authsvc app delete app_demo --yes`) as string,
      code: "INVALID_API_KEY",
    });
    const shown = await authsvc(["app", "show", "app_demo", "--json"], { cwd });
    expect(JSON.parse(shown.stdout)).toMatchObject({ id: "app_demo" });
    const found = await authsvc(["doctor"], { cwd });
    expect(found.stdout).toMatch(
      /^warning {2}development +app_demo is the demo application.*\n +-> authsvc app delete app_demo --yes$/m,
    );
    expect(await authsvc(["app", "delete", "app_demo", "--yes"], { cwd })).toMatchObject({ code: 0 });
    expect((await authsvc(["doctor"], { cwd })).stdout).toMatch(/^ok {7}development /m);
    expect((await startText()).stderr).not.toContain("development mode");
  });
});
