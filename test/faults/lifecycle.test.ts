import { afterAll, expect, test } from "vitest";
import { emptyFolder } from "../cli/command.ts";
import { authsvc } from "../cli/in-process.ts";
import { kill, killAll, startProcess, stop } from "../support/process.ts";

afterAll(killAll);

test("starts and stops are in the audit log; a start after a crash says so", async () => {
  const data = emptyFolder();
  await stop((await startProcess(data)).process);
  await kill((await startProcess(data)).process);
  await stop((await startProcess(data)).process);
  const { stdout } = await authsvc(["audit", "list", "--json", "--data", data], { cwd: data });
  const entries = (JSON.parse(stdout) as { actor: string; action: string; details: Record<string, unknown> }[]).filter(
    ({ action }) => action.startsWith("service."),
  );
  expect(entries.map(({ action, details }) => [action, details["afterCrash"] ?? false])).toEqual([
    ["service.start", false],
    ["service.stop", false],
    ["service.start", false],
    ["service.start", true],
    ["service.stop", false],
  ]);
  expect(new Set(entries.map(({ actor }) => actor)).size).toBe(1);
});
