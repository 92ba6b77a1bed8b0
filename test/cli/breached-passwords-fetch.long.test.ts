import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { useRangeServer } from "../support/breached.ts";
import { until } from "../support/receiver.ts";
import { authsvc, emptyFolder, finish, start } from "./command.ts";

const passwords = Array.from({ length: 1000 }, (_, n) => `password ${n}`);
const server = useRangeServer(passwords, 3);

test("a fetch of 4,096 ranges that is killed continues with what it had", async () => {
  const cwd = emptyFolder();
  const args = ["breached-passwords", "fetch", "list.bin", "--url", server.url(), "--json"];
  const killed = start(args, { cwd });
  const ended = finish(killed);
  await until(() => server.asked.length > 1000);
  killed.kill("SIGKILL");
  await ended;
  expect(readdirSync(cwd)).toEqual(["list.bin.fetching"]);
  const { code, stdout, stderr } = await authsvc(args, { cwd });
  expect([code, stderr]).toEqual([0, expect.not.stringContaining("authsvc:")]);
  expect(JSON.parse(stdout)).toMatchObject({ entries: 2 * 4096 + passwords.length });
  // What was open when it was killed belongs to one part: 16 ranges.
  expect(server.asked.length).toBeLessThanOrEqual(4096 + 16);
  expect(readdirSync(cwd)).toEqual(["list.bin"]);
  const check = await authsvc(["breached-passwords", "check", "list.bin"], { cwd, input: passwords[500] ?? "" });
  expect(check.code).toBe(4);
});
