import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import * as clients from "../../src/applications/clients/service.ts";
import * as apiKeys from "../../src/applications/keys.ts";
import * as applications from "../../src/applications/service.ts";
import { actionWords } from "../../src/console/parts/action-words.ts";
import * as newUsers from "../../src/people/new-users.ts";
import * as audit from "../../src/records/audit/audit.ts";
import { insertAuditEvent, type AuditRow } from "../../src/records/audit/store.ts";
import { answer } from "../cli/in-process.ts";
import { placeOf } from "../cli/service-place.ts";
import { commandsOn, openConsole, runShown } from "../support/console.ts";
import { setProvider } from "../support/methods.ts";
import { useService } from "../support/one-service.ts";
import { useApp } from "../support/service.ts";
import { createEndpoint } from "../support/webhooks.ts";
import * as groups from "../../src/users/groups/service.ts";

const service = useService();
const app = useApp(service);
const other = useApp(service);
const by = { actor: { kind: "cli", name: "root" } } as const;
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

/** Who, what and whom of each line. */
function linesOf(text: string): string[] {
  const rows = [...text.matchAll(/<tr[^>]*>\s*<td class="toggle">(.*?)<\/tr>/gsu)].map(([, row = ""]) => row);
  return rows.map((row) =>
    [...row.matchAll(/<div class="cell">(.*?)<\/div>/gsu)]
      .slice(1, 4)
      .map(([, cell = ""]) =>
        cell
          .replaceAll(/<[^>]*>/gu, "")
          .replaceAll(/\s+/gu, " ")
          .trim(),
      )
      .join(" | "),
  );
}

/** The entries of a page, in its order. */
function entriesOn(text: string): (string | undefined)[] {
  return [...text.matchAll(/data-open="(\w+)"/gu)].map(([, id]) => id);
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
  const [command = ""] = commandsOn(page);
  const listed = JSON.parse((await runShown(service, `${command} --json`)).stdout) as { id: string; action: string }[];
  expect(listed.map((entry) => entry.action)).toContain(action);
  expect(entriesOn(page.text)).toEqual(listed.map(({ id }) => id));
});

test("links people, applications, actors and addresses, and names every detail", async () => {
  const console = await openConsole(service);
  const listed = await console.get("/audit?action=test.app");
  const [, id = ""] = /data-open="(aud_\w+)"/u.exec(listed.text) ?? [];
  const { text } = await console.get(`/audit?action=test.app&open=${id}`);
  expect(text).toContain('href="/console/people/usr_one"');
  expect(text).toContain(`href="/console/applications/${app.id}"`);
  expect(text).toContain("/console/audit?actor=cli%3Aroot");
  expect(text).toContain("/console/audit?action=test.app");
  expect(text).toMatch(/<dt>Why<\/dt>\s*<dd><bdi>because/u);
});

test.each([
  ["result", "maybe", "Result: success or failure"],
  ["since", "yesterday", "From: a time span"],
  ["before", "2026-02-31", "Before: a time span"],
  ["address", "192.0.2", "IP address: an IP address"],
  ["actor", "root", "Who: such as cli:root"],
  ["action", "<b>", "What: an action"],
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
  expect(text).toContain("test.app");
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
    id: string;
  }[];
  const { text } = await (await openConsole(service)).get("/audit");
  expect(entriesOn(text)).toEqual(listed.map(({ id }) => id));
});

test("says who did what to whom in one line, and the rest once it is opened", async () => {
  const { ctx } = service.server.app;
  const ada = await newUsers.create(
    ctx,
    { appId: app.id, email: "ada@example.com", emailVerified: true, name: "Ada Lovelace", password: undefined },
    { dryRun: false },
    by,
  );
  await applications.update(
    ctx,
    app.id,
    { name: "Corner shop", settings: { signUp: "closed", passwordMinLength: 20 } },
    by.actor,
  );
  const console = await openConsole(service);
  const person = await console.get(`/audit?user=${ada.id}`);
  expect(linesOf(person.text)).toEqual(["root (command) | Account created | Ada Lovelace"]);
  expect(person.text).toContain(`href="/console/people/${ada.id}"`);
  const changed = await console.get(`/audit?target=${app.id}&action=application.update`);
  expect(linesOf(changed.text)).toEqual([
    "root (command) | Application changed Name: Acme 1 → Corner shop, and 2 more | Corner shop",
  ]);
  const [id = ""] = entriesOn(changed.text);
  const opened = await console.get(`/audit?target=${app.id}&open=${id}`);
  expect(opened.text).toMatch(/<dt>Sign-up<\/dt>\s*<dd><bdi>open → closed/u);
  expect(opened.text).toMatch(/<dt>Shortest password<\/dt>\s*<dd><bdi>15 → 20/u);
});

test("every action that the guide names has words", () => {
  const guide = readFileSync("docs/operating.md", "utf8");
  const actions = [...guide.matchAll(/^\| (`[a-z`, .-]+`) \|/gmu)].flatMap(
    ([, names = ""]) => names.match(/[a-z][a-z.-]+/gu) ?? [],
  );
  expect(actions.length).toBeGreaterThan(50);
  const without = actions.filter(
    (action) => action.includes(".") && actionWords({ action, result: "success" }) === action,
  );
  expect(without).toEqual([]);
});

test("an opened entry is shown, also if it is not among the newest, and never one that is filtered out", async () => {
  const id = await happened({ action: "test.far", at: secondsAgo(40 * 86_400) });
  const console = await openConsole(service);
  const { text } = await console.get(`/audit?open=${id}`);
  expect(entriesOn(text)[0]).toBe(id);
  expect(text).toMatch(/<dt>Entry<\/dt>/u);
  const filtered = await console.get(`/audit?action=test.app&open=${id}`);
  expect(entriesOn(filtered.text)).not.toContain(id);
  expect(filtered.text).not.toContain("<dt>Entry</dt>");
});

test("until a day holds the whole of it, and its command says the same", async () => {
  const at = Date.UTC(2026, 2, 3, 23, 59, 59, 999);
  const [last, next] = [await happened({ action: "test.day", at }), await happened({ action: "test.day", at: at + 1 })];
  const console = await openConsole(service);
  const page = await console.get("/audit?action=test.day&until=2026-03-03");
  expect(entriesOn(page.text)).toEqual([last]);
  const [command = ""] = commandsOn(page);
  const listed = JSON.parse((await runShown(service, `${command} --json`)).stdout) as { id: string }[];
  expect(listed.map(({ id }) => id)).toEqual([last]);
  expect(entriesOn((await console.get("/audit?action=test.day&since=2026-03-04")).text)).toEqual([next]);
});

test("the pages of an application, a client, an endpoint, a key, a group and a provider end with their changes", async () => {
  const { ctx } = service.server.app;
  const client = await clients.create(
    ctx,
    { appId: app.id, name: "Web", kind: "spa", redirectUris: ["https://a.example/1"] },
    {},
    by,
  );
  const { id: clientId } = client.client;
  await clients.update(ctx, clientId, { redirectUris: ["https://a.example/2"] }, by);
  const key = await apiKeys.createKey(ctx, { appId: app.id, label: "CI" }, by.actor);
  const endpoint = await createEndpoint(service, app, { url: "https://a.example/hook" });
  await groups.create(ctx, app.id, "staff", by, { secondFactor: "required" });
  await setProvider(service, app, "google");
  const console = await openConsole(service);
  const ofApp = `/applications/${app.id}`;
  for (const [path, target, words] of [
    [ofApp, app.id, "Application created"],
    [`${ofApp}/clients/${clientId}`, clientId, "Redirect URIs: removed https://a.example/1; added https://a.example/2"],
    [`/webhooks/${endpoint}`, endpoint, "Webhook endpoint created"],
    [`${ofApp}/keys?open=${key.id}`, key.id, "API key created"],
    [`${ofApp}/groups?open=staff`, "grp_", "Group created"],
    [`${ofApp}/providers/google`, `${app.id}/google`, "Provider set"],
  ] as const) {
    const page = await console.get(path);
    const changes = page.text.slice(page.text.search(/<h[23]>Changes<\/h[23]>/u));
    expect(changes, path).toContain(words);
    const command = commandsOn(page).find((line) => line.startsWith(`authsvc audit list --target ${target}`));
    const listed = JSON.parse((await runShown(service, `${command ?? ""} --json`)).stdout) as unknown[];
    expect(changes.match(/<tr>\s*<td/gu)?.length, path).toBe(listed.length);
    const all = /href="\/console(\/audit\?target=[^"&]*)">All changes/u.exec(changes)?.[1] ?? "";
    expect(entriesOn((await console.get(all)).text), path).toHaveLength(listed.length);
  }
});

test("J8: changes of another application, and those of operators, are on no page of one application", async () => {
  const { ctx } = service.server.app;
  await applications.update(ctx, other.id, { name: "Elsewhere" }, by.actor);
  const console = await openConsole(service, { appId: app.id });
  expect(entriesOn((await console.get(`/audit?target=${other.id}`)).text)).toEqual([]);
  expect((await console.get(`/applications/${other.id}`)).status).toBe(404);
});

test("an export has all entries that the list finds, on whatever pages, and is in the log itself", async () => {
  const target = `whe_of_${app.id}`;
  for (let n = 0; n < 60; n += 1) await happened({ at: secondsAgo(n), target, details: { n, text: "=1+1" } });
  await happened({ target, appId: other.id });
  const console = await openConsole(service, { appId: app.id });
  const page = await console.get(`/audit?target=${target}`);
  const csv = await console.submit(page, "/audit/export");
  expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  const [heading, ...lines] = csv.text.trimEnd().split("\r\n");
  expect(heading).toContain("Time (UTC),ID,Actor,Action,Result");
  expect(lines).toHaveLength(60);
  expect(lines.every((line) => line.includes(target) && !line.includes(other.id))).toBe(true);
  const { ctx } = service.server.app;
  const noted = async (action: string) => (await audit.list(ctx, { action, limit: 1 })).map(({ details }) => details);
  expect(await noted("audit.export")).toEqual([{ app: app.id, target }]);
  expect(await noted("audit.exported")).toEqual([{ entries: 60, whole: true }]);
  for (const [typed, kept] of [
    [
      { target: "ada@example.com", actor: "user:ada@example.com" },
      { target: "one", actor: "one" },
    ],
    [{ target: "https://api.acme.example/ada" }, { target: "one" }],
    [{ target: `${app.id}/google`, actor: "user:usr_one" }, undefined],
    [{ actor: "cli:root" }, undefined],
  ] as const) {
    service.clock.advance(1);
    await console.submit(await console.get(`/audit?${new URLSearchParams(typed).toString()}`), "/audit/export");
    expect(await noted("audit.export")).toEqual([{ app: app.id, ...(kept ?? typed) }]);
  }
  const support = await openConsole(service, { role: "support" });
  const list = await support.get(`/audit?target=${target}`);
  expect(list.text).not.toContain("/audit/export");
  const { token = "" } = list.form("/sign-out").fields;
  expect((await support.visitor.post(`${support.url}/console/audit/export`, { token })).status).toBe(403);
});
