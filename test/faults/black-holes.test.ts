import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startMailServer, type MailServer } from "../support/mail.ts";
import { askForReset, newUser } from "../support/mail-flows.ts";
import { goodPassword, newEmail, redeem, refresh, signIn, validate } from "../support/person.ts";
import { startProvider, type FakeProvider } from "../support/providers/provider.ts";
import { appWith, atProvider, comeBack, startRound } from "../support/providers/round.ts";
import { startReceiver, type Receiver } from "../support/receiver.ts";
import { startTestService } from "../support/service.ts";
import { createEndpoint, localWebhooks } from "../support/webhooks.ts";
import { reportExperiment } from "./experiment.ts";

/**
 * Seconds. A provider may take 12, a webhook 15, the greeting of a mail server 10; a webhook that
 * failed twice is tried again after six minutes. The way to the provider and back took eight more
 * at a load of 27 on two cores; without a limit of ours it would be five minutes.
 */
const [providerTakes, deliveredWithin] = [30, 420];
/**
 * Of calls that have nothing to do with what is silent. Half of them: a busy machine has slow ones
 * of its own.
 */
const halfOfCallsWithin = 3000;

/** A port that takes connections and says nothing, until it is opened: then it leads on. */
async function startHole(target: number) {
  const sockets = new Set<Socket>();
  let isOpen = false;
  let swallowed = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    if (!isOpen) {
      swallowed += 1;
      socket.resume();
      return;
    }
    const onward = connect(target, "127.0.0.1").on("error", () => socket.destroy());
    socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    swallowed: () => swallowed,
    open(): void {
      isOpen = true;
    },
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

let [mailServer, receiver, github] = [] as unknown as [MailServer, Receiver, FakeProvider];
beforeAll(async () => {
  [mailServer, receiver, github] = [await startMailServer(), await startReceiver(), await startProvider("github")];
});
afterAll(async () => {
  await Promise.all([mailServer.close(), receiver.stop(), github.close()]);
});

it("mail server, receivers and a provider that take connections and say nothing: others sign in at once, and all arrives when they answer again", async () => {
  const mailHole = await startHole(mailServer.port);
  const hookHole = await startHole(Number(new URL(receiver.url).port));
  const { mail } = mailServer;
  const { service, stop } = await startTestService("sqlite", {
    ...localWebhooks,
    mail: { ...mail, server: { ...mail.server, port: mailHole.port } },
  });
  // The clock of this service runs: retries come by themselves.
  Object.defineProperty(service.clock, "now", { get: () => Date.now() });
  const lost: string[] = [];
  let checks = 0;
  const took: number[] = [];
  const timed = async <T>(work: Promise<T>): Promise<T> => {
    const startedAt = performance.now();
    const result = await work;
    took.push(performance.now() - startedAt);
    checks += 1;
    return result;
  };
  try {
    const app = await appWith(service, [github]);
    await createEndpoint(service, app, { url: receiver.url.replace(/:\d+/u, `:${hookHole.port}`) });
    const people = await Promise.all(
      Array.from({ length: 20 }, async () => await newUser(service, app, { password: goodPassword })),
    );
    github.instead.set("/token", () => undefined);
    const atTheProvider = Promise.all(
      people.slice(0, 5).map(async (_, number) => {
        const startedAt = performance.now();
        const round = await startRound(service, app, github);
        const person = { subject: String(number), email: newEmail(), verified: true };
        const { status } = await comeBack(round.visitor, await atProvider(round.address, github, person));
        return { status, seconds: (performance.now() - startedAt) / 1000 };
      }),
    );
    for (const { email } of people) {
      await timed(askForReset(service, app, email));
      const tokens = await timed(redeem(service, app, await timed(signIn(service, app, { email }))));
      const next = await timed(refresh(service, app, tokens.refreshToken));
      const valid = await timed(validate(service, app, String(next.body["accessToken"])));
      if (valid.status !== 200) lost.push(`validate answered ${valid.status}`);
    }
    expect(took.toSorted((a, b) => a - b)[took.length / 2]).toBeLessThan(halfOfCallsWithin);
    for (const { status, seconds } of await atTheProvider) {
      checks += 1;
      if (status !== 400) lost.push(`the provider's round answered ${status}`);
      expect(seconds).toBeLessThan(providerTakes);
    }
    // The control: both were tried, and nothing came through.
    expect([mailHole.swallowed() > 0, hookHole.swallowed() > 0]).toEqual([true, true]);
    expect([mailServer.received.length, receiver.received.length]).toEqual([0, 0]);

    mailHole.open();
    hookHole.open();
    const giveUpAt = performance.now() + deliveredWithin * 1000;
    const arrived = (): boolean =>
      receiver.received.length >= people.length && people.every(({ email }) => mailServer.to(email).length > 0);
    while (!arrived() && performance.now() < giveUpAt) await pause(200);
    for (const { email } of people) {
      const mails = mailServer.to(email).length;
      if (mails !== 1) lost.push(`${mails} mails to ${email}`);
    }
    const ids = new Set(receiver.received.map(({ id }) => id)).size;
    if (ids !== people.length) lost.push(`${ids} events of ${people.length}`);
    checks += 2 * people.length;
    reportExperiment("black holes", { rounds: people.length, checks, lost });
  } finally {
    await stop();
    await Promise.all([mailHole.close(), hookHole.close()]);
  }
});
