import { inspect } from "node:util";
import { expect, test } from "vitest";
import type { Log } from "../../src/lib/log.ts";
import { openConsole, type Console } from "../support/console.ts";
import { useService } from "../support/one-service.ts";
import { filled } from "./support-forms.ts";

const lines: string[] = [];
const note = (...line: unknown[]): void => void lines.push(inspect(line));
const log: Log = { debug: note, info: note, warn: note, error: note, debugging: true };
const service = useService({ log: { level: "debug", format: "json", requests: "all" } }, { log });

async function send(console: Console, path: string, action: string, values: Record<string, string>): Promise<string> {
  const page = await console.get(path);
  const { text } = await console.submit(page, action, { ...filled(page, action), ...values });
  return text;
}

test("no secret that is made or entered in the console is logged", async () => {
  const app = await service.createApp();
  const console = await openConsole(service);
  const path = `/applications/${app.id}`;
  const given = "a-secret-of-a-provider";
  const made = [
    await send(console, "/applications", "/applications", { name: "Shop" }),
    await send(console, `${path}/keys`, "/keys", {}),
    await send(console, `${path}/keys`, "/keys/rotate", {}),
    await send(console, `${path}/clients`, "/clients", { name: "Wiki", id: "wiki" }),
    await send(console, `${path}/clients/wiki`, "/secrets", {}),
    await send(console, `${path}/clients/wiki`, "/secrets/rotate", {}),
  ].map((text) => /\b(?:ak|cs)_\w+/u.exec(text)?.[0] ?? "");
  await send(console, `${path}/providers/google`, "/providers", { clientId: "123", secret: given });
  expect(made).not.toContain("");
  const logged = lines.join("\n");
  expect(logged).toContain("/console/applications/:appId/keys/rotate");
  for (const secret of [...made, given]) expect(logged).not.toContain(secret);
});
