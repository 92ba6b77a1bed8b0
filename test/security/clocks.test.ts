import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { hour, minute, second } from "../../src/lib/clock.ts";
import { examine } from "../../src/upkeep/doctor/service.ts";
import { mailDelivery } from "../../src/records/mail/delivery.ts";
import * as mail from "../../src/records/mail/service.ts";
import * as deliveries from "../../src/records/webhooks/deliveries.ts";
import { webhookWorker } from "../../src/records/webhooks/worker.ts";
import { startServer } from "../../src/process/server.ts";
import { assertion } from "../support/authenticator.ts";
import { firstProof, signedInWithTotp, signedUpWithTotp, wrongCodeAt } from "../support/factors.ts";
import { tryPassword } from "../support/limits.ts";
import { askForAccount, askForReset, codeIn, linkIn, mailTo, newUser } from "../support/mail-flows.ts";
import { useMailServer } from "../support/mail.ts";
import { bearer } from "../support/methods.ts";
import { askedBy, askOptions, openCeremony, post, signUpByPasskey } from "../support/passkey-ceremonies.ts";
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
} from "../support/person.ts";
import { useProviders } from "../support/providers/provider.ts";
import { atProvider, codeOf, startRound, appWith } from "../support/providers/round.ts";
import { startReceiver, until, type Receiver } from "../support/receiver.ts";
import {
  atUrl,
  describeEachDatabase,
  describeSqliteFirst,
  type TestApp,
  type TestService,
} from "../support/service.ts";
import { createEndpoint, happen, localWebhooks } from "../support/webhooks.ts";

const [github] = await useProviders("github");

const mailServer = await useMailServer();

const lines: string[] = [];
const keep = (line: string): void => void lines.push(line);
const log = { debug() {}, info: keep, warn: keep, error: keep, debugging: false };

/** Everything here waits for the same hour, forwards and back. */
const step = hour;

/** Goes back, and never returns on its own. */
function setBack(service: TestService, milliseconds = step): void {
  service.clock.advance(-milliseconds);
}

async function redeems(service: TestService, app: TestApp, signedIn: Awaited<ReturnType<typeof signIn>>) {
  const body = { code: signedIn.code, sessionId: signedIn.session.sessionId };
  return (await call(service, "POST", "/auth/callback", app.headers, body)).status;
}

describeSqliteFirst("after the clock was set back by an hour", (service) => {
  it("a person who waits after wrong codes can try at once", async () => {
    const app = await service.createApp({ settings: { secondFactor: "required" } });
    const { email, key, codes } = await signedUpWithTotp(service, app);
    const { visitor, page } = await firstProof(service, app, email);
    const wrong = wrongCodeAt(key, service.clock.now);
    const tries: number[] = [];
    while (!tries.includes(429)) tries.push((await visitor.submit(page, "/step/code", { code: wrong })).status);
    setBack(service);
    const back = await firstProof(service, app, email);
    expect((await back.visitor.submit(back.page, "/step/code", { code: codes[0] ?? "" })).status).toBe(303);
  });

  it("M9: a second factor that was given before is not fresh", async () => {
    const app = await service.createApp({ settings: { secondFactor: "required" } });
    const { tokens } = await signedInWithTotp(service, app, await signedUpWithTotp(service, app));
    setBack(service);
    const { accessToken } = (await refresh(service, app, tokens.refreshToken)).body as { accessToken: string };
    expect((await call(service, "DELETE", "/users/profile", bearer(accessToken))).status).toBe(403);
  });

  it("an account that had to wait signs in again", async () => {
    const app = await service.createApp();
    const { email } = await newUser(service, app, { password: goodPassword });
    for (let tries = 0; tries < 7; tries += 1) await tryPassword(service, app, email, "not the password");
    expect((await tryPassword(service, app, email, goodPassword)).status).toBe(401);
    setBack(service);
    expect((await tryPassword(service, app, email, goodPassword)).status).toBe(303);
  });

  it("the throttle still holds, and nodes a quarter of an hour apart do not open it", async () => {
    const app = await service.createApp();
    const { email } = await newUser(service, app, { password: goodPassword });
    for (let tries = 0; tries < 7; tries += 1) await tryPassword(service, app, email, "not the password");
    setBack(service, 14 * minute);
    expect((await tryPassword(service, app, email, goodPassword)).status).toBe(401);
    setBack(service);
    for (let tries = 0; tries < 2; tries += 1) await tryPassword(service, app, email, "not the password");
    expect((await tryPassword(service, app, email, goodPassword)).status).toBe(401);
  });

  it("a code is refused", async () => {
    const app = await service.createApp();
    const { email } = await newUser(service, app, { password: goodPassword });
    const before = await signIn(service, app, { email });
    setBack(service);
    expect(await redeems(service, app, before)).toBe(400);
    expect(await redeems(service, app, await signIn(service, app, { email }))).toBe(200);
  });

  it("a page of a sign-in says that its time is over", async () => {
    const app = await service.createApp();
    const { session, visitor } = await openCeremony(service, app, "");
    expect((await visitor.get(session.authUrl)).status).toBe(200);
    setBack(service);
    expect((await visitor.get(session.authUrl)).status).toBe(410);
  });

  it("the challenge of a passkey is refused", async () => {
    const app = await service.createApp();
    const { passkey } = await signUpByPasskey(service, app);
    const before = await openCeremony(service, app, "");
    const answer = assertion(passkey, askedBy(service, await askOptions(before)));
    setBack(service);
    expect((await post(before, answer)).status).toBeGreaterThanOrEqual(400);
  });

  it("a refresh token that was used is not good again", async () => {
    const app = await service.createApp();
    const { refreshToken } = await signedUp(service, app);
    const next = await refresh(service, app, refreshToken);
    expect((await refresh(service, app, refreshToken)).status).toBe(200);
    setBack(service);
    expect((await refresh(service, app, refreshToken)).status).toBe(401);
    expect((await refresh(service, app, String(next.body["refreshToken"]))).status).toBe(401);
  });

  it("a login goes on", async () => {
    const app = await service.createApp();
    const { refreshToken } = await signedUp(service, app);
    setBack(service);
    const next = await refresh(service, app, refreshToken);
    expect(next.status).toBe(200);
    expect((await validate(service, app, String(next.body["accessToken"]))).status).toBe(200);
  });

  it("sweeps go on", async () => {
    const app = await service.createApp();
    setBack(service);
    await openCeremony(service, app, "");
    service.clock.advance(11 * minute);
    await service.server.app.sweep();
    const { db, tables } = service.server.app.ctx.storage.reader;
    const rows = await db.select().from(tables.signInSessions);
    expect(rows.filter(({ appId }) => appId === app.id)).toEqual([]);
  });
});

describeSqliteFirst("mails after the clock was set back by an hour", { mail: mailServer.mail }, (service) => {
  it("an address that had its mails gets one again within two hours", async () => {
    const app = await service.createApp();
    const { email } = await newUser(service, app, { password: goodPassword });
    for (let asked = 0; asked < 6; asked += 1) await askForReset(service, app, email);
    await mailTo(mailServer, email, 5, /password/u);
    setBack(service, 2 * step);
    await askForReset(service, app, email);
    await mailTo(mailServer, email, 6, /password/u);
    expect(mailServer.to(email)).toHaveLength(6);
  });

  it("link and code of a mail are refused", async () => {
    const app = await service.createApp();
    const { email } = await newUser(service, app, { password: goodPassword });
    const { visitor } = await askForReset(service, app, email);
    const mail = await mailTo(mailServer, email);
    expect((await visitor.get(linkIn(mail))).text).toContain('name="password"');
    const asked = await askForAccount(service, app);
    const code = codeIn(await mailTo(mailServer, asked.email));
    setBack(service);
    expect((await visitor.get(linkIn(mail))).text).not.toContain('name="password"');
    // As after a day: to the beginning, and not to the app.
    const refused = await asked.visitor.submit(asked.page, "/confirm", { code });
    expect(refused.headers.get("location")).toMatch(/\/create-account$/u);
  });

  it("a mail that could not be sent is tried again, and the one on its way is not sent twice", async () => {
    const app = await service.createApp();
    const [waiting, underWay] = [newEmail(), newEmail()];
    const { ctx } = service.server.app;
    mailServer.behave("takes");
    for (const email of [waiting, underWay]) await newUser(service, app, { email, password: goodPassword });
    // What was queued before would fail and stall as well.
    await until(async () => (await mail.pending(ctx)).mails === 0);
    mailServer.behave({ answers: 451 });
    await askForReset(service, app, waiting);
    await until(async () => (await mail.pending(ctx)).retried === 1);
    mailServer.behave("stalls");
    await askForReset(service, app, underWay);
    await until(() => mailServer.stalled() === 1);
    setBack(service);
    mailDelivery(ctx).look();
    // Its next try meets the same silence; then both go through.
    await until(() => mailServer.stalled() === 2);
    mailServer.behave("takes");
    await until(async () => (await mail.pending(ctx)).mails === 0);
    expect([mailServer.to(waiting).length, mailServer.to(underWay).length]).toEqual([1, 1]);
  });
});

describeSqliteFirst("webhooks after the clock was set back by an hour", localWebhooks, (service, { restart }) => {
  let receiver: Receiver;
  let app: TestApp;
  beforeAll(async () => {
    receiver = await startReceiver();
  });
  beforeEach(async () => {
    receiver.received.length = 0;
    receiver.always(204);
    app = await service.createApp();
  });
  afterAll(async () => await receiver.stop());

  const isNoted = async (endpointId: string, attempts: number): Promise<boolean> => {
    const [first] = await deliveries.list(service.server.app.ctx, endpointId, { limit: 1 });
    return first?.attempts.length === attempts;
  };

  it.each([
    ["goes on", async () => await webhookWorker(service.server.app.ctx).look()],
    ["was started again", async () => await restart()],
  ])("are tried again by a service that %s", async (_title, go) => {
    const id = await createEndpoint(service, app, { url: receiver.url });
    receiver.next(500);
    await happen(service, app);
    await until(async () => await isNoted(id, 1));
    setBack(service);
    await go();
    const [first] = receiver.received;
    await until(() => receiver.received.filter(({ id }) => id === first?.id).length === 2);
  });

  it("are sent, though they were put in before, or claimed by a process that died", async () => {
    const id = await createEndpoint(service, app, { url: receiver.url });
    await webhookWorker(service.server.app.ctx).stop();
    await happen(service, app, { sessionId: "lgn_claimed" });
    expect(await deliveries.claim(service.server.app.ctx, id, 10)).toHaveLength(1);
    await happen(service, app, { sessionId: "lgn_waiting" });
    setBack(service);
    await restart();
    const isTold = (login: string) => receiver.received.some(({ body }) => body.data["sessionId"] === login);
    await until(() => isTold("lgn_claimed") && isTold("lgn_waiting"));
  });

  it("a receiver that asked for time gets it no longer than that", async () => {
    await createEndpoint(service, app, { url: receiver.url });
    receiver.next((answer) => void answer.writeHead(503, { "retry-after": "300" }).end());
    await happen(service, app, { sessionId: "lgn_1" });
    await until(async () => receiver.received.length === 1 && receiver.received[0]?.ended !== undefined);
    setBack(service);
    await happen(service, app, { sessionId: "lgn_2" });
    await until(() => receiver.received.some(({ body }) => body.data["sessionId"] === "lgn_2"));
  });
});

describeSqliteFirst("the state of a round after the clock was set back by an hour", (service) => {
  it("is refused", async () => {
    const app = await appWith(service, [github]);
    const somebody = { subject: "1", email: newEmail(), verified: true };
    const round = await startRound(service, app, github);
    const { url } = await atProvider(round.address, github, somebody);
    setBack(service);
    expect((await round.visitor.get(url)).status).toBe(404);
    const again = await startRound(service, app, github);
    const { url: good } = await atProvider(again.address, github, somebody);
    expect(codeOf(await again.visitor.get(good))).toHaveLength(43);
  });
});

describeEachDatabase("clocks of nodes", { surroundings: { log } }, (service) => {
  it.each([30, -30])("may be %d s apart: what one gives out the other takes", async (seconds) => {
    if (service.dialect === "sqlite") return;
    const app = await service.createApp();
    const config = { ...service.config, baseUrl: service.url };
    const server = await startServer(config, { clock: () => service.clock.now + seconds * second });
    const other = atUrl(service, server.url);
    try {
      const tokens = await redeem(other, app, await signUp(service, app, { email: newEmail() }));
      expect((await validate(service, app, tokens.accessToken)).status).toBe(200);
      const next = await refresh(service, app, tokens.refreshToken);
      expect((await validate(other, app, String(next.body["accessToken"]))).status).toBe(200);
    } finally {
      await server.close();
    }
  });

  it("that are wrong by 5 minutes are told once in the log, as doctor tells them, and once when they are right", async () => {
    await service.createApp();
    const { app } = service.server;
    // SQLite has no clock to compare with, but knows when it was last written to.
    const difference = service.dialect === "postgres" ? 5 * minute : -5 * minute;
    const apart = /30\d seconds|[2]99 seconds/u;
    const told = () => lines.filter((line) => apart.test(line) || line.includes("agrees with the database again"));
    await app.sweep();
    expect(told()).toEqual([]);
    service.clock.advance(difference);
    await app.sweep();
    await app.sweep();
    expect(told()).toEqual([expect.stringMatching(apart)]);
    const [finding] = (await examine(app.ctx)).filter(({ check }) => check === "clock");
    expect(finding).toMatchObject({ status: "problem", fix: "timedatectl set-ntp true" });
    service.clock.advance(-difference);
    await app.sweep();
    await app.sweep();
    expect(told()).toHaveLength(2);
    lines.length = 0;
  });
});
