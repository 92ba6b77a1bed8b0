import { expect, test, vi } from "vitest";
import * as deliveries from "../../src/records/webhooks/deliveries.ts";
import * as webhooks from "../../src/records/webhooks/service.ts";
import { insertDelivery } from "../../src/records/webhooks/delivery-store.ts";
import { newId } from "../../src/lib/random.ts";
import { commandsOn, openConsole, runShown, type Console } from "../support/console.ts";
import { useService } from "../support/one-service.ts";
import type { Page } from "../support/person.ts";
import { useReceiver } from "../support/receiver.ts";
import { useApp } from "../support/service.ts";
import { createEndpoint, happen, localWebhooks, webhookSecret } from "../support/webhooks.ts";

const service = useService(localWebhooks);
const app = useApp(service);
const other = useApp(service);
const receiver = useReceiver();
const hostile = `<img src=x onerror=alert(1)>\u202E\u001B[31m`;

let console: Console;
/** The outbox is looked through every second for what commands did. */
const patience = { timeout: 60_000 };
const nobody = { userId: null, email: null, authMethod: null, ipAddress: null, userAgent: null, sessionId: null };
const finished = {
  kind: "user.login" as const,
  occurredAt: Date.now(),
  attempts: 1,
  nextAttemptAt: null,
  leaseUntil: null,
};

const ctx = () => service.server.app.ctx;
const endpoint = async (id: string) => await webhooks.get(ctx(), id);
const newestEvent = async (id: string) => (await deliveries.list(ctx(), id, { limit: 1 }))[0]?.eventId ?? "";
const make = async (input: { url?: string; id?: string } = {}) =>
  await createEndpoint(service, app, { url: "https://hooks.example.com/", ...input });
const secretOn = (page: Page): string =>
  /whsec_[A-Za-z0-9+/=]{44}/u.exec(page.text.replaceAll("&#x3D;", "="))?.[0] ?? "";

/** The command of the form that posts to `action`. */
function commandFor(page: Page, action: string, index = 0): string {
  const forms = page.text.split("<form").filter((form) => new RegExp(`action="[^"]*${action}"`, "u").test(form));
  const [command = ""] = commandsOn({ text: forms[index] ?? "" } as Page);
  return command;
}

test("lists endpoints with their state, and what waits", async () => {
  console = await openConsole(service, { role: "viewer" });
  const failing = await make({ url: receiver.url });
  receiver.always(500);
  await happen(service, app);
  await vi.waitFor(async () => expect((await endpoint(failing)).failingSince).not.toBeNull(), patience);
  const off = await make();
  await webhooks.update(ctx(), off, { enabled: false }, { actor: { kind: "cli", name: "test" } });
  const { text } = await console.get("/webhooks");
  expect(text).toMatch(
    new RegExp(`webhooks/${failing}"[\\s\\S]*?failing[\\s\\S]*?class="number[^>]*><div class="cell">1\\b`, "u"),
  );
  expect(text).toMatch(new RegExp(`webhooks/${off}"[\\s\\S]*?disabled`, "u"));
  // In the menu of every page: one fails, and the other was switched off on purpose.
  expect((await console.get("/people")).text).toMatch(/Webhooks<\/span>\s*<span class="count"\s*>1</u);
  const elsewhere = await openConsole(service, { appId: (await service.createApp()).id });
  expect((await elsewhere.get("/people")).text).not.toContain('class="count"');
  const [command = ""] = commandsOn(await console.get(`/webhooks?app=${app.id}`));
  expect((await runShown(service, command)).stdout).toContain(failing);
  receiver.always(204);
  await webhooks.remove(ctx(), failing, { actor: { kind: "cli", name: "test" } });
});

test("an application that does not exist is a named error", async () => {
  const page = await (await openConsole(service)).get("/webhooks?app=app_nothing");
  expect(page.status).toBe(400);
  expect(page.text).toContain("There is no application with this id.");
});

test("J10: creates an endpoint and shows its secret once; the command of a check does the same", async () => {
  console = await openConsole(service);
  const values = {
    app: app.id,
    url: "https://new.example.com/hooks",
    "event:user.login": "on",
    "event:user.deleted": "on",
  };
  const blank = await console.get("/webhooks/new");
  const checked = await console.submit(blank, "/webhooks", { ...values, check: "on" });
  expect(checked.text).toContain("This can be created.");
  const before = (await webhooks.list(ctx(), app.id)).length;
  const [command = ""] = commandsOn(checked);
  expect(await runShown(service, command)).toMatchObject({ code: 0 });
  const created = await console.submit(blank, "/webhooks", values);
  const secret = secretOn(created);
  expect(secret).toMatch(/^whsec_/u);
  const listed = await webhooks.list(ctx(), app.id);
  expect(listed).toHaveLength(before + 2);
  const [, id = ""] = /class="button" href="\/console\/webhooks\/(\w+)"/u.exec(created.text) ?? [];
  const made = listed.filter(({ url }) => url === values.url);
  const settings = { events: ["user.login", "user.deleted"], enabled: true };
  expect(made).toEqual([expect.objectContaining(settings), expect.objectContaining(settings)]);
  expect(await webhooks.secret(ctx(), id)).toBe(secret);
  expect((await console.get(`/webhooks/${id}`)).text).not.toContain(secret);
});

test("refuses what the command refuses, and keeps what was entered", async () => {
  console = await openConsole(service);
  const blank = await console.get("/webhooks/new");
  const values = { app: app.id, url: "ftp://x.example", "event:user.login": "on" };
  const wrong = await console.submit(blank, "/webhooks", values);
  expect(wrong).toMatchObject({ status: 400 });
  expect(wrong.text).toContain('value="ftp://x.example"');
  expect(wrong.text).toContain("url: ");
  const nowhere = await console.submit(blank, "/webhooks", { ...values, app: "app_nothing" });
  expect(nowhere.status).toBe(400);
  expect(nowhere.text).toContain("There is no application with this id.");
});

test.each([
  [
    "change",
    { url: "https://changed.example.com/", "event:method.added": "on" },
    { url: "https://changed.example.com/", events: ["method.added"] },
  ],
  ["enable", {}, { enabled: false, disabledReason: "operator" }],
])("%s: the page and its command do the same", async (action, values, effect) => {
  console = await openConsole(service);
  const [one, two] = [await make(), await make()];
  const isChange = action === "change";
  const page = await console.get(`/webhooks/${one}`);
  const shown = isChange ? await console.submit(page, action, { ...values, check: "on" }) : page;
  expect(await endpoint(one)).toMatchObject({ url: "https://hooks.example.com/", enabled: true });
  const after = await console.submit(page, `/${one}/${action}`, values);
  expect(after.text).toContain('role="status"');
  expect(await endpoint(one)).toMatchObject(effect);
  const command = commandFor(shown, `/${one}/${action}`).replace(one, two);
  expect(await runShown(service, command)).toMatchObject({ code: 0 });
  expect(await endpoint(two)).toMatchObject(effect);
});

test("J10: rotates the secret, shows the new one once, and the previous one signs for a while", async () => {
  console = await openConsole(service);
  const [one, two] = [await make(), await make()];
  const page = await console.get(`/webhooks/${one}`);
  const rotated = await console.submit(page, `/${one}/rotate-secret`, { overlap: "24h" });
  expect(await webhooks.secret(ctx(), one)).toBe(secretOn(rotated));
  expect(secretOn(rotated)).not.toBe(webhookSecret);
  expect((await endpoint(one)).oldSecretUntil).not.toBeNull();
  const done = await runShown(service, commandFor(page, `/${one}/rotate-secret`).replace(one, two));
  expect(done).toMatchObject({ code: 0 });
  expect(done.stdout).toContain(await webhooks.secret(ctx(), two));
  const wrong = await console.submit(page, `/${one}/rotate-secret`, { overlap: "99d" });
  expect(wrong.status).toBe(400);
});

test("deletes an endpoint, as its command does", async () => {
  console = await openConsole(service);
  const [one, two] = [await make(), await make()];
  const page = await console.get(`/webhooks/${one}`);
  expect((await console.submit(page, `/${one}/delete`)).text).toContain("The endpoint was deleted.");
  expect((await console.get(`/webhooks/${one}`)).status).toBe(404);
  expect(await runShown(service, commandFor(page, `/${one}/delete`).replace(one, two))).toMatchObject({ code: 0 });
  await expect(endpoint(two)).rejects.toMatchObject({ code: "WEBHOOK_NOT_FOUND" });
});

test("support sends a test event and sees the answer, which is only text", async () => {
  console = await openConsole(service, { role: "support" });
  const id = await make({ url: receiver.url });
  const page = await console.get(`/webhooks/${id}`);
  receiver.next((answer) => void answer.writeHead(418).end(hostile));
  const tested = await console.submit(page, `/${id}/test`, { event: "user.login" });
  expect(tested.text).toContain("not accepted");
  expect(tested.text).toContain("418");
  expect(tested.text).toContain("&lt;img");
  expect(tested.text).not.toMatch(/<img|\u202E|\p{Cc}\[31m/u);
  const calls = receiver.received.length;
  expect(await runShown(service, commandFor(page, `/${id}/test`))).toMatchObject({ code: 0 });
  expect(receiver.received).toHaveLength(calls + 1);
});

test("support sends an event again, one or all that failed, as the commands do", async () => {
  console = await openConsole(service, { role: "support" });
  const id = await make({ url: receiver.url });
  receiver.always(500);
  await happen(service, app);
  const eventId = await newestEvent(id);
  const attempts = async () => (await deliveries.get(ctx(), id, eventId)).attempts.length;
  await vi.waitFor(async () => expect(await attempts()).toBe(1), patience);
  receiver.always(204);
  const page = await console.get(`/webhooks/${id}/deliveries/${eventId}`);
  expect(page.text).toContain("500");
  const after = await console.submit(page, "/send-again");
  expect(after.text).toContain("sends it again");
  await vi.waitFor(
    async () => expect(await deliveries.get(ctx(), id, eventId)).toMatchObject({ status: "delivered" }),
    patience,
  );
  const [again = ""] = commandsOn(page);
  expect(await runShown(service, again)).toMatchObject({ code: 0 });
  service.clock.now = Date.now();
  await vi.waitFor(async () => expect(await attempts()).toBe(3), patience);
  receiver.always(500);
  await happen(service, app);
  await vi.waitFor(
    async () => expect((await deliveries.list(ctx(), id, { limit: 1 }))[0]?.attempts).toHaveLength(1),
    patience,
  );
  receiver.always(204);
  const all = await console.submit(await console.get(`/webhooks/${id}`), "/send-failed-again");
  expect(all.text).toContain("1 event is sent again.");
  await vi.waitFor(
    async () => expect((await deliveries.list(ctx(), id, { limit: 1 }))[0]?.status).toBe("delivered"),
    patience,
  );
  await webhooks.remove(ctx(), id, { actor: { kind: "cli", name: "test" } });
});

test("filters deliveries by state and pages through all of them", async () => {
  console = await openConsole(service);
  const id = await make();
  const ids: string[] = [];
  await ctx().storage.write(async (tx) => {
    for (let index = 0; index < 120; index += 1) {
      const eventId = newId("evt", Date.now() + index, ctx().random);
      ids.unshift(eventId);
      const status = index % 2 === 0 ? ("failed" as const) : ("delivered" as const);
      await insertDelivery(tx, { endpointId: id, eventId, status, history: [], ...nobody, ...finished });
    }
  });
  for (const [query, expected] of [
    ["", ids],
    ["?state=failed", ids.filter((_id, index) => index % 2 === 1)],
    ["?state=waiting", []],
  ] as const) {
    const seen: string[] = [];
    let path: string | undefined = `/webhooks/${id}${query}`;
    while (path !== undefined) {
      const { text } = await console.get(path);
      seen.push(...[...text.matchAll(/deliveries\/(evt_\w+)"/gu)].map(([, event = ""]) => event));
      const [, next] = /href="\/console(\/[^"]*after=[^"]*)"[^>]*>Older/u.exec(text) ?? [];
      path = next?.replaceAll("&amp;", "&");
    }
    expect(seen).toEqual(expected);
  }
  const wrong = await console.get(`/webhooks/${id}?state=lost`);
  expect(wrong.status).toBe(400);
  expect(wrong.text).toContain("state: one of waiting, delivered, failed");
});

test("a page of a state looks through 5,000 deliveries at most, and the next one continues", async () => {
  const id = await make();
  const at = Date.now();
  await ctx().storage.write(async (tx) => {
    for (let index = 0; index < 6000; index += 1)
      await insertDelivery(tx, {
        endpointId: id,
        eventId: newId("evt", at + index, ctx().random),
        status: index === 0 ? "failed" : "delivered",
        history: [],
        ...nobody,
        ...finished,
      });
  });
  const first = await deliveries.page(ctx(), id, { status: "failed", after: undefined, limit: 50 });
  expect(first.deliveries).toEqual([]);
  const second = await deliveries.page(ctx(), id, { status: "failed", after: first.next ?? "", limit: 50 });
  expect(second).toMatchObject({ deliveries: [{ status: "failed" }], next: null });
});

test("J8: an operator of one application neither sees nor changes another one's endpoint", async () => {
  const id = await createEndpoint(service, other, { url: receiver.url });
  const [all, scoped] = [await openConsole(service), await openConsole(service, { appId: app.id })];
  await happen(service, other);
  const eventId = await newestEvent(id);
  expect((await scoped.get("/webhooks")).text).not.toContain(id);
  expect((await scoped.get(`/webhooks/${id}`)).status).toBe(404);
  expect((await scoped.get(`/webhooks/${id}/deliveries/${eventId}`)).status).toBe(404);
  expect((await scoped.get(`/webhooks?app=${other.id}`)).text).not.toContain(id);
  const { token = "" } = (await scoped.get("/webhooks")).form("/sign-out").fields;
  for (const act of [
    "change",
    "enable",
    "rotate-secret",
    "delete",
    "test",
    "send-failed-again",
    `deliveries/${eventId}/send-again`,
  ]) {
    const page = await scoped.visitor.post(`${scoped.url}/console/webhooks/${id}/${act}`, { token });
    expect({ act, status: page.status }).toEqual({ act, status: 404 });
  }
  const created = await scoped.visitor.post(`${scoped.url}/console/webhooks`, {
    token,
    app: other.id,
    url: "https://x.example/",
    "event:user.login": "on",
  });
  expect(created.status).toBe(200);
  expect(await webhooks.list(ctx(), other.id)).toHaveLength(1);
  expect((await all.get(`/webhooks/${id}`)).status).toBe(200);
});

test.each([
  ["viewer", []],
  ["support", ["test", "send-failed-again"]],
  ["owner", ["test", "send-failed-again", "change", "enable", "rotate-secret", "delete"]],
] as const)("a %s is offered what they may do", async (role, acts) => {
  const id = await make();
  const { text } = await (await openConsole(service, { role })).get(`/webhooks/${id}`);
  expect([...text.matchAll(/action="\/console\/webhooks\/\w+\/([\w-]+)"/gu)].map(([, act]) => act)).toEqual(acts);
});
