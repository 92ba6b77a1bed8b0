import { Webhook } from "standardwebhooks";
import { beforeEach, expect, it } from "vitest";
import { day, hour, second } from "../../../src/lib/clock.ts";
import * as deliveries from "../../../src/records/webhooks/deliveries.ts";
import * as events from "../../../src/records/webhooks/events.ts";
import * as webhooks from "../../../src/records/webhooks/service.ts";
import { until, useReceiver } from "../../support/receiver.ts";
import { describeEachDatabase, type TestApp } from "../../support/service.ts";
import { createEndpoint, happen, localWebhooks, operator, webhookSecret } from "../../support/webhooks.ts";

const lines: unknown[] = [];
const log = {
  debug: (...line: unknown[]) => void lines.push(line),
  info: (...line: unknown[]) => void lines.push(line),
  warn: (...line: unknown[]) => void lines.push(line),
  error: (...line: unknown[]) => void lines.push(line),
  debugging: true,
};

describeEachDatabase("the outbox of webhooks", { ...localWebhooks, surroundings: { log } }, (current) => {
  const receiver = useReceiver();
  let app: TestApp;
  beforeEach(async () => {
    app = await current().createApp();
    receiver.received.length = 0;
    receiver.always(204);
  });

  const list = async (id: string) => await deliveries.list(current().server.app.ctx, id, { limit: 100 });

  it("holds nothing of a transaction that was rolled back (security rule W8)", async () => {
    const id = await createEndpoint(current(), app, { url: receiver.url });
    const { ctx } = current().server.app;
    const { storage } = ctx;
    const event = {
      kind: "user.login",
      appId: app.id,
      userId: "usr_1",
      authMethod: null,
      source: null,
    } as const;
    const failing = storage.write(async (tx) => {
      await events.record(ctx, tx, { ...event, sessionId: "lgn_never" }, current().clock.now);
      throw new Error("changed my mind");
    });
    await expect(failing).rejects.toThrow("changed my mind");
    await happen(current(), app, { sessionId: "lgn_kept" });
    await until(() => receiver.received.length > 0);
    expect(receiver.received.map(({ body }) => body.data["sessionId"])).toEqual(["lgn_kept"]);
    expect(await list(id)).toHaveLength(1);
  });

  it("tells each endpoint of the kinds that it asked for, and no other app of anything (security rule W8)", async () => {
    const other = await current().createApp();
    await createEndpoint(current(), app, { url: `${receiver.url}/logins`, events: ["user.login"] });
    await createEndpoint(current(), app, { url: `${receiver.url}/both`, events: ["user.login", "user.logout"] });
    await createEndpoint(current(), other, { url: `${receiver.url}/other`, events: ["user.login", "user.logout"] });
    await happen(current(), app, { kind: "user.login" });
    await happen(current(), app, { kind: "user.logout" });
    await happen(current(), app, { kind: "user.updated" });
    await until(() => receiver.received.length === 3);
    const told = receiver.received.map(({ path, body }) => `${path} ${body.event}`).toSorted();
    expect(told).toEqual(["/hook/both user.login", "/hook/both user.logout", "/hook/logins user.login"]);
    // One event has one id, whoever is told of it.
    expect(new Set(receiver.of("user.login").map((call) => call.id)).size).toBe(1);
  });

  it("holds nothing for an endpoint that is switched off", async () => {
    const id = await createEndpoint(current(), app, { url: receiver.url });
    await webhooks.update(current().server.app.ctx, id, { enabled: false }, operator);
    await happen(current(), app);
    expect(await list(id)).toEqual([]);
  });

  it("signs with both secrets while one replaces the other", async () => {
    const id = await createEndpoint(current(), app, { url: receiver.url });
    const newer = `whsec_${Buffer.alloc(32, 3).toString("base64")}`;
    const { ctx } = current().server.app;
    await webhooks.update(ctx, id, { secret: newer, secretOverlap: hour }, operator);
    const latest = async () => {
      const before = receiver.received.length;
      await happen(current(), app);
      await until(() => receiver.received.length > before);
      const { text, headers } = receiver.received.at(-1) ?? {};
      const accepted = (secret: string): boolean => {
        // The clock of the test runs ahead of the verifier's.
        const verifier = new Webhook(secret);
        const at = new Date(Number(headers?.["webhook-timestamp"]) * 1000);
        const signatures = String(headers?.["webhook-signature"]).split(" ");
        return signatures.includes(verifier.sign(String(headers?.["webhook-id"]), at, text ?? ""));
      };
      return [accepted(newer), accepted(webhookSecret)];
    };
    expect(await latest()).toEqual([true, true]);
    current().clock.advance(hour + second);
    expect(await latest()).toEqual([true, false]);
  });

  it("forgets what is older than it is told to keep", async () => {
    const id = await createEndpoint(current(), app, { url: receiver.url });
    await happen(current(), app);
    await until(async () => (await list(id))[0]?.status === "delivered");
    current().clock.advance(29 * day);
    await happen(current(), app);
    await current().server.app.sweep();
    expect(await list(id)).toHaveLength(2);
    current().clock.advance(2 * day);
    await current().server.app.sweep();
    expect(await list(id)).toHaveLength(1);
  });

  it("neither rows nor log lines hold a secret or an address (security rule W6)", async () => {
    const secret = "a secret of the receiver's own";
    const url = `${receiver.url}/only-we-know`;
    const id = await createEndpoint(current(), app, { url, secret });
    receiver.next(500, 410);
    await happen(current(), app);
    await happen(current(), app);
    await until(async () => !(await webhooks.get(current().server.app.ctx, id)).enabled);
    const database = await current().databaseText();
    expect(database).not.toContain(secret);
    expect(database).not.toContain(Buffer.from(secret).toString("base64url"));
    expect(lines.length).toBeGreaterThan(0);
    const said = JSON.stringify(lines);
    expect(said).not.toContain(secret);
    expect(said).not.toContain("only-we-know");
  });
});
