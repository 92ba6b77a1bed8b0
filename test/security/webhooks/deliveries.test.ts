import { Webhook } from "standardwebhooks";
import { beforeAll, beforeEach, expect, it } from "vitest";
import { minute, second } from "../../../src/lib/clock.ts";
import * as deliveries from "../../../src/records/webhooks/deliveries.ts";
import { createSender } from "../../../src/records/webhooks/sender.ts";
import { webhookWorker } from "../../../src/records/webhooks/worker.ts";
import { eventKinds } from "../../../src/storage/column-types.ts";
import {
  call,
  goodPassword,
  newEmail,
  redeem,
  refresh,
  signedUp,
  signIn,
  signUp,
  validate,
} from "../../support/person.ts";
import { startReceiver, until, type Received, useReceiver } from "../../support/receiver.ts";
import { describeOnSqlite, type TestApp, type TestService } from "../../support/service.ts";
import { localWebhooks, webhookSecret } from "../../support/webhooks.ts";

async function register(
  service: TestService,
  app: TestApp,
  url: string,
  more: Record<string, unknown> = {},
): Promise<string> {
  const endpoint = { url, events: eventKinds, secret: webhookSecret, ...more };
  const { status, body } = await call(service, "POST", "/webhooks/endpoints", app.headers, endpoint);
  expect(status).toBe(201);
  return String(body["id"]);
}

/** Waits until the one delivery has been tried so often, and what became of it is written down. */
async function tried(service: TestService, id: string, times: number): Promise<void> {
  const { ctx } = service.server.app;
  await until(async () => (await deliveries.list(ctx, id, { limit: 1 }))[0]?.attempts.length === times, `try ${times}`);
}

const headersOf = ({ headers }: Received) => headers as Record<string, string>;

describeOnSqlite("webhooks of real sign-ins", localWebhooks, (service, { restart }) => {
  const receiver = useReceiver();
  let app: TestApp;
  beforeEach(async () => {
    app = await service.createApp();
    receiver.received.length = 0;
    receiver.always(204);
  });

  it("W1: the official library verifies them, and nothing that was changed, moved to another id or time, or sent late", async () => {
    const secrets = [webhookSecret, "any text of the receiver's own"];
    for (const secret of secrets) await register(service, app, receiver.url, { secret, events: ["user.login"] });
    await signedUp(service, app);
    await until(() => receiver.received.length === 2);
    let verified = 0;
    for (const received of receiver.received) {
      const headers = headersOf(received);
      for (const secret of secrets) {
        const verifier = new Webhook(secret.startsWith("whsec_") ? secret : Buffer.from(secret).toString("base64"));
        const accepts = (text: string, changed: Record<string, string> = {}): boolean => {
          try {
            verifier.verify(text, { ...headers, ...changed });
            return true;
          } catch {
            return false;
          }
        };
        if (!accepts(received.text)) continue;
        verified += 1;
        const time = Number(headers["webhook-timestamp"]);
        expect(accepts(received.text.replace("user.login", "user.logout"))).toBe(false);
        expect(accepts(`${received.text} `)).toBe(false);
        expect(accepts(received.text, { "webhook-id": "evt_other" })).toBe(false);
        for (const other of [time - 1, time + 1])
          expect(accepts(received.text, { "webhook-timestamp": String(other) })).toBe(false);
        expect(accepts(received.text, { "webhook-signature": "v1," })).toBe(false);
      }
    }
    // Each by its own secret, and by no other.
    expect(verified).toBe(2);
    service.clock.advance(6 * minute);
    await signedUp(service, app);
    await until(() => receiver.received.length === 4);
    const late = receiver.received
      .slice(2)
      .map((received) => () => new Webhook(webhookSecret).verify(received.text, headersOf(received)));
    for (const verify of late) expect(verify).toThrow(/timestamp too new|No matching signature/u);
  });

  it("W2: come again until they are taken, over a restart too, with the same id and body and another time and signature", async () => {
    receiver.always(500);
    const id = await register(service, app, receiver.url, { events: ["user.login"] });
    await signedUp(service, app);
    await tried(service, id, 1);
    service.clock.advance(6 * second);
    await webhookWorker(service.server.app.ctx).look();
    await tried(service, id, 2);
    await restart();
    receiver.always(204);
    service.clock.advance(7 * minute);
    await webhookWorker(service.server.app.ctx).look();
    await tried(service, id, 3);
    expect(receiver.received).toHaveLength(3);
    expect(new Set(receiver.received.map(({ id, text }) => `${id} ${text}`)).size).toBe(1);
    for (const header of ["webhook-timestamp", "webhook-signature"])
      expect(new Set(receiver.received.map(({ headers }) => headers[header])).size).toBe(3);
    // Taken: nothing comes any more.
    service.clock.advance(60 * minute);
    await webhookWorker(service.server.app.ctx).look();
    await signedUp(service, app);
    await until(() => receiver.received.length === 4);
    expect(receiver.received[3]?.id).not.toBe(receiver.received[0]?.id);
  });

  it("W7: a receiver that takes calls and never answers keeps no sign-in and no other receiver waiting", async () => {
    const silent = await startReceiver();
    silent.always(() => undefined);
    await register(service, app, silent.url);
    await register(service, app, receiver.url, { events: ["user.login"] });
    const person = await signedUp(service, app);
    await until(() => silent.received.length > 0);
    // It is still holding what it got: all of this happens meanwhile.
    expect((await validate(service, app, person.accessToken)).status).toBe(200);
    expect((await refresh(service, app, person.refreshToken)).status).toBe(200);
    for (let count = 0; count < 10; count += 1) await redeem(service, app, await signIn(service, app, person));
    await until(() => receiver.received.length === 11);
    expect(silent.received.every(({ ended }) => ended === undefined)).toBe(true);
    await silent.stop();
  });

  it("W8: tell of what is committed and of nothing else, each app of its own users, with no token or secret in them", async () => {
    const other = await service.createApp();
    await register(service, app, `${receiver.url}/mine`);
    await register(service, other, `${receiver.url}/theirs`);
    const email = newEmail();
    const signingUp = await signUp(service, app, { email });
    // None of these becomes a login.
    const { sessionId } = signingUp.session;
    const wrong = [
      { code: "A".repeat(43), sessionId },
      { code: signingUp.code, sessionId: `sis_${"A".repeat(43)}` },
    ];
    for (const body of wrong)
      expect((await call(service, "POST", "/auth/callback", app.headers, body)).status).toBe(400);
    await expect(redeem(service, other, signingUp)).rejects.toThrow("400");
    expect((await call(service, "POST", "/auth/callback", {}, { code: signingUp.code, sessionId })).status).toBe(401);
    const twice = await Promise.allSettled([
      redeem(service, app, await signIn(service, app, { email })),
      signUp(service, app, { email }),
    ]);
    expect(twice.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    await signedUp(service, other);
    await until(() => receiver.received.length === 4);
    // What was not told by now is not told later.
    await webhookWorker(service.server.app.ctx).look();
    const told = receiver.received.map(({ path, body }) => `${path} ${body.event}`).toSorted();
    expect(told).toEqual([
      "/hook/mine user.created",
      "/hook/mine user.login",
      "/hook/theirs user.created",
      "/hook/theirs user.login",
    ]);
    for (const { body, text, headers } of receiver.received) {
      expect(Object.keys(body)).toEqual(["event", "timestamp", "data"]);
      expect(Object.keys(body.data).toSorted()).toEqual([
        "authMethod",
        "email",
        "ipAddress",
        "sessionId",
        "userAgent",
        "userId",
      ]);
      const sent = text + JSON.stringify(headers);
      for (const secret of [
        goodPassword,
        signingUp.code,
        sessionId,
        app.apiKey,
        other.apiKey,
        webhookSecret.slice(6),
        "eyJ",
        "rt_",
      ])
        expect(sent).not.toContain(secret);
      // The person of the app that is told, and no other.
      expect(body.data["email"] === email).toBe(text.includes(email));
    }
    const mine = receiver.received.filter(({ path }) => path === "/hook/mine");
    expect(new Set(mine.map(({ body }) => body.data["email"]))).toEqual(new Set([email]));
  });
});

describeOnSqlite("what a receiver answers", localWebhooks, (service) => {
  const receiver = useReceiver();
  let app: TestApp;
  beforeAll(async () => {
    app = await service.createApp();
  });

  it("W3: is success from 200 to 299, and nothing else is; the words of the answer reach no app", async () => {
    const id = await register(service, app, receiver.url);
    for (const status of [
      200, 201, 202, 204, 206, 299, 300, 301, 302, 304, 307, 308, 400, 401, 404, 410, 429, 500, 503, 599,
    ]) {
      receiver.next(
        (answer) =>
          void answer
            .writeHead(status, { "x-inside": "canary", location: receiver.url })
            .end(status === 204 || status === 304 ? "" : "canary"),
      );
      // An endpoint takes ten tests a minute.
      service.clock.advance(60_000);
      const { body } = await call(service, "POST", `/webhooks/endpoints/${id}/test`, app.headers);
      expect(body).toMatchObject({ status, delivered: status >= 200 && status < 300 });
      expect(JSON.stringify(body)).not.toContain("canary");
    }
    expect(receiver.received).toHaveLength(20);
  });
});

it("W3: who does not answer in time is given up, whether it is silent from the start, within its headers or within its body", async () => {
  const receiver = await startReceiver();
  const sender = createSender({ privateNetworks: true, clock: Date.now, patience: 300 });
  const message = { url: receiver.url, headers: { "webhook-id": "evt_1" }, body: "{}" };
  receiver.next(
    () => undefined,
    (answer) => void answer.socket?.write("HTTP/1.1 200 OK\r\nX-A: "),
    (answer) => void answer.writeHead(200).write("and then nothing"),
  );
  for (const _ of [1, 2])
    expect(await sender.send(message)).toMatchObject({
      delivered: false,
      status: null,
      error: "no response within 0.3 s",
    });
  // The status has said it; the rest is not waited for.
  const patient = createSender({ privateNetworks: true, clock: Date.now, patience: 5000 });
  expect(await patient.send(message)).toMatchObject({ delivered: true, status: 200 });
  await until(() => receiver.received.every(({ ended }) => ended !== undefined));
  await Promise.all([sender.close(), patient.close(), receiver.stop()]);
});
