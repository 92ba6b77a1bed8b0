import { beforeAll, expect, test } from "vitest";
import { insertAuditEvent, type AuditRow } from "../../src/records/audit/store.ts";
import { answer } from "../cli/in-process.ts";
import { placeOf } from "../cli/service-place.ts";
import { commandsOn, openConsole, runShown } from "../support/console.ts";
import { useService } from "../support/one-service.ts";
import { useApp } from "../support/service.ts";

const service = useService();
const app = useApp(service);
const other = useApp(service);
const hostile = `<img src=x onerror=alert(1)>\u202E\u001B[31m`;
const secondsAgo = (seconds: number): number => Date.now() - seconds * 1000;

let made = 0;
async function happened(event: Partial<AuditRow>): Promise<string> {
  made += 1;
  const id = `aud_${String(made).padStart(26, "0")}`;
  const usual = { actor: "cli:root", action: "test.done", result: "success", appId: app.id, userId: null } as const;
  const row = { id, at: Date.now(), ipAddress: null, requestId: null, details: {}, ...usual, ...event };
  await service.server.app.ctx.storage.write((tx) => insertAuditEvent(tx, row));
  return id;
}

beforeAll(async () => {
  await happened({ action: "test.app", appId: app.id, userId: "usr_one", details: { why: "because" } });
  await happened({ action: "test.other", appId: other.id, userId: "usr_two" });
  await happened({ action: "test.failed", result: "failure", ipAddress: "192.0.2.7", actor: "user:usr_one" });
  await happened({ action: "test.long-ago", at: secondsAgo(3 * 86_400) });
});

test.each([
  ["app", () => ({ app: other.id }), "test.other"],
  ["user", () => ({ user: "usr_two" }), "test.other"],
  ["action", () => ({ action: "test.app" }), "test.app"],
  ["result", () => ({ result: "failure", app: app.id }), "test.failed"],
  ["address", () => ({ address: "192.0.2.7" }), "test.failed"],
  ["before", () => ({ before: "2d", app: app.id }), "test.long-ago"],
])("shows by %s what the command beside it shows", async (_name, filter, action) => {
  const console = await openConsole(service, { role: "viewer" });
  const page = await console.get(`/audit?${new URLSearchParams(filter()).toString()}`);
  expect(page.status).toBe(200);
  expect(page.text).toContain(`action=${action}"`);
  const [command = ""] = commandsOn(page);
  const listed = JSON.parse((await runShown(service, `${command} --json`)).stdout) as { action: string }[];
  expect(listed.length).toBeGreaterThan(0);
  const shown = [...page.text.matchAll(/href="\/console\/audit\?action=([\w.-]+)"/gu)].map(([, name]) => name);
  expect(shown).toEqual(listed.map((entry) => entry.action));
});

test("links people, applications, actors and addresses, and names every detail", async () => {
  const console = await openConsole(service);
  const listed = await console.get("/audit?action=test.app");
  const [, id = ""] = /data-open="(aud_\w+)"/u.exec(listed.text) ?? [];
  const { text } = await console.get(`/audit?action=test.app&open=${id}`);
  expect(text).toContain('href="/console/people/usr_one"');
  expect(text).toContain(`href="/console/applications/${app.id}"`);
  expect(text).toContain("/console/audit?actor=cli%3Aroot");
  expect(text).toMatch(/<dt>why<\/dt>\s*<dd><bdi>because/u);
});

test.each([
  ["result", "maybe", "Result: success or failure"],
  ["since", "yesterday", "Since: a time span"],
  ["before", "2026-02-31", "Before: a time span"],
  ["address", "192.0.2", "IP address: an IP address"],
  ["actor", "root", "Actor: such as cli:root"],
  ["action", "<b>", "Action: an action"],
  ["user", "a b", "Person: a user ID"],
  ["after", "nonsense", "after: a link of the previous page"],
])("a wrong %s is a named error above no entries", async (name, value, said) => {
  const page = await (await openConsole(service)).get(`/audit?${new URLSearchParams({ [name]: value }).toString()}`);
  expect(page.status).toBe(400);
  expect(page.text).toContain(said);
  expect(page.text).not.toContain("<td");
});

test("pages by time, even through entries of one moment", async () => {
  const at = secondsAgo(60);
  const ids = new Set<string>();
  for (let index = 0; index < 120; index += 1) ids.add(await happened({ action: "test.many", at }));
  const console = await openConsole(service);
  const seen: string[] = [];
  let path: string | undefined = "/audit?action=test.many";
  while (path !== undefined) {
    const { text } = await console.get(path);
    const rows = [...text.matchAll(/data-open="(\w+)"/gu)].map(([, id = ""]) => id);
    expect(rows.length).toBeLessThanOrEqual(50);
    seen.push(...rows);
    const [, next] = /href="\/console(\/[^"]*after=[^"]*)"[^>]*>Older/u.exec(text) ?? [];
    path = next?.replaceAll("&amp;", "&");
  }
  expect(new Set(seen)).toEqual(ids);
  expect(seen).toHaveLength(120);
});

test("J8: an operator of one application sees its entries only, whatever the address asks for", async () => {
  const console = await openConsole(service, { appId: app.id });
  for (const path of ["/audit", `/audit?app=${other.id}`, "/audit?user=usr_two", "/audit?action=test.other"]) {
    const { text } = await console.get(path);
    expect(text).not.toContain(`/console/applications/${other.id}`);
    expect(text).not.toContain("/console/people/usr_two");
  }
  const { text } = await console.get("/audit");
  expect(text).toContain("action=test.app");
  expect(text).not.toContain('name="app"');
});

test("what strangers wrote is shown as text", async () => {
  await happened({ action: "test.hostile", actor: `cli:${hostile}`, details: { [hostile]: hostile } });
  const { text } = await (await openConsole(service)).get("/audit?action=test.hostile");
  expect(text).not.toMatch(/<img|\u202E|\p{Cc}\[31m/u);
  expect(text).toContain("&lt;img");
});

test("agrees with the command about everything", async () => {
  const listed = (await answer(["audit", "list", "--limit", "50", "--sort", "-at"], placeOf(service))) as {
    action: string;
  }[];
  const { text } = await (await openConsole(service)).get("/audit");
  expect([...text.matchAll(/href="\/console\/audit\?action=([\w.-]+)"/gu)].map(([, name]) => name)).toEqual(
    listed.map(({ action }) => action),
  );
});
