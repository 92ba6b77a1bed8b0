import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { bodyOf, headerLines, openConnection } from "../src/upkeep/benchmark/connection.ts";
import { repeat } from "../src/upkeep/benchmark/load.ts";
import type { TestLogin } from "../src/upkeep/benchmark/logins.ts";
import { openTraffic } from "../src/upkeep/benchmark/traffic.ts";
import { inFolder } from "./program.ts";
import { bearer, refreshesOf, type Subject } from "./subject.ts";

/**
 * Verifies that the service takes no shortcuts: the next validate after a logout must be refused.
 * Throws otherwise.
 */
export async function refusesAfterLogout({ server }: Subject, login: TestLogin): Promise<void> {
  const connection = await openConnection(server.url);
  const headers = headerLines(bearer(login));
  bodyOf(await connection.send("GET", "/auth/validate", headers), 200);
  bodyOf(await connection.send("POST", "/auth/logout", `${headers}content-type: application/json\r\n`, "{}"), 200);
  bodyOf(await connection.send("GET", "/auth/validate", headers), 401);
  connection.close();
}

/** How many disk flushes a number of sequential refreshes causes; undefined without strace. */
export async function flushesFor(subject: Subject, login: TestLogin, refreshes: number): Promise<number | undefined> {
  if (spawnSync("strace", ["-V"]).error !== undefined) return undefined;
  return await inFolder(async (folder) => {
    const file = join(folder, "calls");
    const watching = spawn(
      "strace",
      ["-f", "-e", "trace=fsync,fdatasync", "-o", file, "-p", String(subject.server.pid)],
      {
        stdio: ["ignore", "ignore", "pipe"],
      },
    );
    const ended = new Promise((resolve) => watching.once("close", resolve));
    const attached = await new Promise<boolean>((resolve) => {
      watching.stderr.once("data", (said: Buffer) => resolve(said.includes("attached")));
      watching.once("close", () => resolve(false));
    });
    if (!attached) return undefined;
    using refreshing = await openTraffic(refreshesOf(subject, [login]), 1);
    await repeat(refreshing.works, (done) => done >= refreshes);
    watching.kill("SIGINT");
    await ended;
    return readFileSync(file, "utf8").match(/(?:fsync|fdatasync)\(/gu)?.length ?? 0;
  });
}
