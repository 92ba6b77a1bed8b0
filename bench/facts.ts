import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { bodyOf, headerLines, openConnection } from "../src/benchmark/connection.ts";
import type { TestLogin } from "../src/benchmark/logins.ts";
import { inFolder } from "./program.ts";
import { bearer, type Subject } from "./subject.ts";

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
export async function flushesFor(
  { server, headers }: Subject,
  login: TestLogin,
  refreshes: number,
): Promise<number | undefined> {
  if (spawnSync("strace", ["-V"]).error !== undefined) return undefined;
  return await inFolder(async (folder) => {
    const file = join(folder, "calls");
    const watching = spawn("strace", ["-f", "-e", "trace=fsync,fdatasync", "-o", file, "-p", String(server.pid)], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    const ended = new Promise((resolve) => watching.once("close", resolve));
    const attached = await new Promise<boolean>((resolve) => {
      watching.stderr.once("data", (said: Buffer) => resolve(said.includes("attached")));
      watching.once("close", () => resolve(false));
    });
    if (!attached) return undefined;
    const connection = await openConnection(server.url);
    let { refreshToken } = login;
    for (let made = 0; made < refreshes; made += 1) {
      const answer = await connection.send(
        "POST",
        "/auth/refresh",
        `${headerLines(headers)}content-type: application/json\r\n`,
        JSON.stringify({ refreshToken }),
      );
      ({ refreshToken } = JSON.parse(bodyOf(answer, 200)) as { refreshToken: string });
    }
    connection.close();
    watching.kill("SIGINT");
    await ended;
    return readFileSync(file, "utf8").match(/(?:fsync|fdatasync)\(/gu)?.length ?? 0;
  });
}
