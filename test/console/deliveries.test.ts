import { decoded } from "../support/person.ts";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test, vi } from "vitest";
import { newId } from "../../src/lib/random.ts";
import * as profiles from "../../src/people/profile.ts";
import * as audit from "../../src/records/audit/audit.ts";
import * as deliveries from "../../src/records/webhooks/deliveries.ts";
import { insertDelivery, type DeliveryRow } from "../../src/records/webhooks/delivery-store.ts";
import { bodyOf } from "../../src/records/webhooks/event.ts";
import { commandsOn, openConsole, runShown } from "../support/console.ts";
import { noProgram } from "../support/left-out.ts";
import { newUser } from "../support/mail-flows.ts";
import { useService } from "../support/one-service.ts";
import type { Page } from "../support/person.ts";
import { useReceiver } from "../support/receiver.ts";
import { useApp } from "../support/service.ts";
import { createEndpoint, localWebhooks, operator } from "../support/webhooks.ts";

const service = useService(localWebhooks);
const app = useApp(service);
const other = useApp(service);
const receiver = useReceiver();
const patience = { timeout: 60_000 };
const hour = 3_600_000;

const ctx = () => service.server.app.ctx;
const preOn = ({ text }: Page, label: string): string =>
  decoded(new RegExp(`<pre[^>]*aria-label="${label}">([^]*?)</pre>`, "u").exec(text)?.[1] ?? "");
const failure = { status: 503, durationMilliseconds: 12, error: "status 503", response: "Closed for today" };

/** One that is not delivered by itself, unless told otherwise. */
async function store(endpointId: string, changes: Partial<DeliveryRow> = {}): Promise<DeliveryRow> {
  const occurredAt = changes.occurredAt ?? service.clock.now;
  const row: DeliveryRow = {
    endpointId,
    eventId: newId("evt", occurredAt, ctx().random),
    kind: "user.login",
    occurredAt,
    userId: "usr_1",
    email: "ada@example.com",
    authMethod: "password",
    ipAddress: "192.0.2.7",
    userAgent: "agent",
    sessionId: "lgn_1",
    organizationId: null,
    roles: null,
    status: "failed",
    attempts: 1,
    history: [{ at: occurredAt, ...failure }],
    nextAttemptAt: null,
    leaseUntil: null,
    ...changes,
  };
  await ctx().storage.write((tx) => insertDelivery(tx, row));
  return row;
}

test("the list says how many of the newest deliveries arrived, and sends failed ones again in three presses", async () => {
  const console = await openConsole(service, { role: "support" });
  const id = await createEndpoint(service, app, { url: receiver.url });
  const quiet = await createEndpoint(service, app, { url: "https://quiet.example.com/" });
  for (let index = 0; index < 22; index += 1)
    await store(id, {
      status: index < 3 ? "failed" : "delivered",
      occurredAt: service.clock.now - (30 - index) * hour,
    });
  // The press on the menu.
  const list = await console.get("/webhooks");
  expect(list.text.replaceAll(/<[^>]*>|\s+/gu, " ")).toMatch(/19 of 20 {1,9}arrived/u);
  expect(list.text).not.toContain(`action="/console/webhooks/${quiet}/send-failed-again"`);
  // The button of the row opens the form; this presses its button.
  const sent = await console.submit(list, `/${id}/send-failed-again`);
  expect(sent.text).toContain("3 events are sent again.");
  const failed = async () => await deliveries.list(ctx(), id, { limit: 100 });
  await vi.waitFor(
    async () => expect((await failed()).every(({ status }) => status === "delivered")).toBe(true),
    patience,
  );
});

test("sends again only what failed since a time, as its command does, and the audit log has the time", async () => {
  const console = await openConsole(service, { role: "support" });
  const id = await createEndpoint(service, app, { url: receiver.url });
  await store(id, { occurredAt: service.clock.now - 48 * hour });
  await store(id, { occurredAt: service.clock.now - 2 * hour });
  const page = await console.get(`/webhooks/${id}`);
  const wrong = await console.submit(page, "/send-failed-again", { since: "tomorrow" });
  expect(wrong.status).toBe(400);
  expect(wrong.text).toContain("since: a time span (24h, 7d)");
  expect((await console.submit(page, "/send-failed-again", { since: "24h" })).text).toContain("1 event is sent again.");
  const entries = await audit.list(ctx(), { action: "webhook.redeliver", appId: app.id, limit: 1 });
  expect(entries).toMatchObject([{ details: { endpointId: id, deliveries: 1, since: expect.any(String) } }]);
  const { stdout } = await runShown(service, `authsvc webhook redeliver ${id} --failed --since 72h --json`);
  expect(JSON.parse(stdout)).toEqual({ id, redelivered: 1 });
});

test("J10: a delivery shows the request as it is sent, the person and the event, and no signature", async () => {
  const console = await openConsole(service, { role: "viewer" });
  const person = await newUser(service, app);
  const id = await createEndpoint(service, app, { url: receiver.url });
  const stored = await store(id, { userId: person.id, email: person.email });
  const page = await console.get(`/webhooks/${id}/deliveries/${stored.eventId}`);
  const request = preOn(page, "The request");
  expect(request).toContain(`POST ${receiver.url}\ncontent-type: application/json\n`);
  expect(request).toContain(`webhook-id: ${stored.eventId}\n`);
  expect(request).toContain("webhook-signature: v1,…\n");
  expect(JSON.parse(request.split("\n\n")[1] ?? "")).toEqual(JSON.parse(bodyOf(stored)));
  expect(page.text).toContain(`href="/console/people/${person.id}"`);
  expect(page.text).toContain("login started");
  expect(page.text).toContain("503 Service Unavailable");
  expect(page.text).not.toMatch(/v1,[\w+/]/u);
});

const shells = [
  ["bash", "--norc"],
  ["bash", "--norc -i"],
  ["zsh", "-f"],
  ["zsh", "-f -i"],
] as const;

test.for(shells)(
  "J11: in %s %s, the copied curl sends the same body, runs nothing else and has no signature",
  async ([shell, args], { skip }) => {
    const missing = noProgram(shell);
    if (missing !== undefined) return skip(missing);
    const console = await openConsole(service);
    const url = `${receiver.url}a?[1-3]={x,y}&b='$(id)'!!`;
    const id = await createEndpoint(service, app, { url });
    const userAgent = String.raw`it's "quoted" $(touch /tmp/x) ${"`id`"} \ !! %s` + "\u202E\u{E0001} é 𝕏";
    for (const changes of [{ userAgent }, { userAgent: userAgent.replace(/\u202E.*/u, "") }]) {
      const stored = await store(id, changes);
      const text = preOn(await console.get(`/webhooks/${id}/deliveries/${stored.eventId}`), "curl");
      const running = spawn(shell, args.split(" "), {
        stdio: ["pipe", "ignore", "ignore"],
        env: { PATH: process.env["PATH"] },
      });
      running.stdin.end(`${text}\nexit\n`);
      await once(running, "exit");
      const calls = receiver.received.filter((each) => each.id === stored.eventId);
      expect(calls).toHaveLength(1);
      const [call] = calls;
      expect(call).toMatchObject({
        text: bodyOf(stored),
        path: new URL(url).pathname + new URL(url).search,
      });
      expect(call?.headers["content-type"]).toBe("application/json");
      expect(call?.headers["webhook-signature"]).toBeUndefined();
    }
  },
);

test("of a person who was deleted, a delivery keeps the id alone", async () => {
  const console = await openConsole(service);
  const person = await newUser(service, app);
  const id = await createEndpoint(service, app, { url: receiver.url });
  const { eventId } = await store(id, { userId: person.id, email: person.email });
  await profiles.remove(ctx(), person.id, operator);
  const { text } = await console.get(`/webhooks/${id}/deliveries/${eventId}`);
  expect(text).toContain("was deleted; only the ID is kept");
  expect(text).not.toContain(person.email);
  expect(text).not.toContain("192.0.2.7");
  expect(text).not.toContain(`href="/console/people/${person.id}"`);
});

test("J8: an event's id leads to its deliveries, one an endpoint, of what the operator may see", async () => {
  const [one, two] = [
    await createEndpoint(service, app, { url: "https://one.example.com/" }),
    await createEndpoint(service, app, { url: "https://two.example.com/" }),
  ];
  const { eventId } = await store(one);
  await store(two, { eventId, status: "delivered" });
  await store(two);
  const console = await openConsole(service, { role: "viewer", appId: app.id });
  const page = await console.get(`/webhooks/events/${eventId}`);
  const listed = [...page.text.matchAll(/webhooks\/(\w+)\/deliveries\/(\w+)"/gu)].map(([, ...ids]) => ids.join(" "));
  expect(listed.toSorted()).toEqual([one, two].map((id) => `${id} ${eventId}`).toSorted());
  expect((await runShown(service, commandsOn(page)[0] ?? "")).stdout).toContain(eventId);
  const elsewhere = await openConsole(service, { appId: other.id });
  expect((await elsewhere.get(`/webhooks/events/${eventId}`)).status).toBe(404);
  expect((await console.get("/webhooks/events/evt_nothing")).status).toBe(404);
});
