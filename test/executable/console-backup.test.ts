import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { emptyFolder, finish, outputOf, start } from "../cli/command.ts";
import { Visitor } from "../support/person.ts";

test("the executable makes a backup from its console, as a process of its own", async () => {
  const data = emptyFolder();
  const console = start(["console", "--no-open", "--port", "0", "--data", data], { cwd: data });
  const [link = ""] = /http:\S+/u.exec(await outputOf(console, /http:\S+\s/u)) ?? [];
  const visitor = new Visitor();
  await visitor.get(link);
  const service = `${new URL(link).origin}/console/service`;
  const page = await visitor.get(service);
  expect(page.text).toContain("as the executable");
  expect((await visitor.submit(page, "/service/backup", {})).status).toBe(303);
  await vi.waitFor(
    async () => {
      expect((await visitor.get(service)).text).not.toContain("A backup is being made");
      expect(readdirSync(join(data, "backups")).filter((name) => name.endsWith(".backup"))).toHaveLength(1);
    },
    { timeout: 60_000, interval: 200 },
  );
  const ended = finish(console);
  console.kill("SIGINT");
  await ended;
});
