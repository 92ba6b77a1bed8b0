import * as fc from "fast-check";
import { setFlagsFromString } from "node:v8";
import { inspect } from "node:util";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Route } from "../../src/http/route.ts";
import { startMailServer, type MailServer } from "../support/mail.ts";
import { newUser } from "../support/mail-flows.ts";
import { startNameServer, type NameServer } from "../support/name-server.ts";
import { goodPassword, redeem, signIn, validate } from "../support/person.ts";
import { startProvider, type FakeProvider } from "../support/providers/provider.ts";
import { KeptConnection } from "../support/kept-connection.ts";
import type { RawAnswer } from "../support/raw-http.ts";
import type { Log } from "../../src/lib/log.ts";
import { silentLog } from "../../src/lib/silent-log.ts";
import { routes } from "../../src/routes.ts";
import { startReceiver, type Receiver } from "../support/receiver.ts";
import { startTestService, type Dialect } from "../support/service.ts";
import { localWebhooks } from "../support/webhooks.ts";
import { complaintsAbout } from "./malformed/answers.ts";
import { inputsFor, type Input } from "./malformed/inputs.ts";
import { bytesOf } from "./malformed/request-bytes.ts";
import { openWorld, type World } from "./malformed/world.ts";

/**
 * Every run tries others; CI the same each time, so that what it refuses is the change and not the
 * day. To repeat one: AUTHSVC_FUZZ_SEED=… with the seed that the failure names.
 */
const seed = Number(process.env["AUTHSVC_FUZZ_SEED"] ?? (process.env["CI"] ? 20_261_122 : Date.now() % 1_000_000_000));
/** Inputs that find their way into every route. `npm run test:long` tries as many. */
const thorough = 10_000;
const inputsOnSqlite = Number(process.env["AUTHSVC_FUZZ_INPUTS"] ?? 300);

describe.each<[Dialect, number]>([
  ["sqlite", inputsOnSqlite],
  // Its own rules of text, numbers and locks; what is before storage is the same.
  ["postgres", inputsOnSqlite / 10],
])("malformed input (%s)", (dialect, inputs) => {
  const lanes = Math.min(10, inputs / 10);
  let running: Awaited<ReturnType<typeof startTestService>>;
  let mailServer: MailServer;
  let receiver: Receiver;
  let provider: FakeProvider;
  let nameServer: NameServer;
  let table: Route[];
  /** Mistakes of ours, which the log would have. */
  const mistakes: string[] = [];
  const log: Log = { ...silentLog, error: (message, error) => void mistakes.push(`${message}: ${inspect(error)}`) };
  beforeAll(async () => {
    [mailServer, receiver, provider, nameServer] = await Promise.all([
      startMailServer(),
      startReceiver(),
      startProvider("google"),
      startNameServer(),
    ]);
    running = await startTestService(
      dialect,
      {
        ...localWebhooks,
        mail: mailServer.mail,
        trustedProxies: ["127.0.0.1"],
        dns: { servers: [nameServer.address] },
      },
      { log },
    );
    table = routes;
  });
  afterAll(async () => {
    await running.stop();
    await Promise.all([mailServer.close(), receiver.stop(), provider.close(), nameServer.close()]);
  });

  it(`answers ${inputs} inputs over every route as the contract says, and keeps nothing of them`, async () => {
    const { service } = running;
    const requestIds = new Set<string>();
    const tally = new Map<Route, { tries: number; admitted: number }>(
      table.map((route) => [route, { tries: 0, admitted: 0 }]),
    );
    let sent = 0;
    let heapBefore = 0;

    async function sendOne(connection: KeptConnection, world: World, input: Input): Promise<void> {
      const route = table[input.routeIndex];
      if (!route) throw new Error("no route");
      const { bytes, method, isPlain } = bytesOf(route, input, await world.live(route));
      const toHead = method === "HEAD";
      const answer = await connection.exchange(bytes, toHead);
      const mayLeadTo = [
        // A post from another site becomes the same request by GET.
        "/oauth2/authorize?",
        "/oauth2/end-session?",
        `${service.url}/`,
        "/sign-in/",
        "/account",
        "/organization",
        "/oauth/",
        "/oauth2/",
        world.app.redirectUri,
        provider.origin,
        "https://app.example/",
      ];
      const complaints = complaintsAbout(answer, { route, isPlain, toHead, mayLeadTo });
      const requestId = answer.headers.get("x-request-id") ?? "";
      complaints.push(...mistakes.splice(0));
      if (requestIds.has(requestId)) complaints.push("a request id for the second time");
      requestIds.add(requestId);
      if (complaints.length > 0) throw new Error(report(complaints, bytes, answer));
      const counted = tally.get(route);
      if (counted && isPlain) {
        counted.tries += 1;
        if (wasAdmitted(answer)) counted.admitted += 1;
      }
      await world.heal(route, method, answer.status);
      sent += 1;
      if (sent === Math.floor(inputs / 2)) heapBefore = heapUsed();
    }

    async function runLane(lane: number): Promise<void> {
      const world = await openWorld(service, { provider, mailServer, receiver });
      const connection = new KeptConnection(service);
      const property = fc.asyncProperty(inputsFor(table), async (input) => await sendOne(connection, world, input));
      await fc.assert(property, { seed: seed + lane, numRuns: inputs / lanes, endOnFailure: false });
      connection.close();
    }

    /** Chance may have missed a route with several parameters: it gets inputs of its own. */
    async function reachEvery(): Promise<void> {
      const world = await openWorld(service, { provider, mailServer, receiver });
      const connection = new KeptConnection(service);
      for (const [routeIndex, route] of table.entries()) {
        const isReached = (): boolean => (tally.get(route)?.admitted ?? 0) > 0;
        for (const input of isReached() ? [] : fc.sample(inputsFor([route]), { seed, numRuns: 500 }))
          if (!isReached()) await sendOne(connection, world, { ...input, routeIndex });
        expect.soft(isReached(), `${route.method} ${route.path} was reached behind its guards`).toBe(true);
      }
      connection.close();
    }

    await Promise.all(Array.from({ length: lanes }, (_, lane) => runLane(lane)));

    expect(sent).toBe(inputs);
    if (inputs >= thorough) await reachEvery();
    // 5,000 answers that each kept 2 KB would be 10 MB.
    expect(heapUsed() - heapBefore).toBeLessThan(6 * 1024 * 1024);

    // And a person signs in as if nothing had been.
    const app = await service.createApp();
    const { email } = await newUser(service, app, { password: goodPassword });
    const { accessToken } = await redeem(service, app, await signIn(service, app, { email }));
    expect((await validate(service, app, accessToken)).status).toBe(200);
  }, 600_000);
});

/** Whether a request got as far as what the route is for. */
function wasAdmitted({ status }: RawAnswer): boolean {
  return ![401, 404, 405, 413, 415].includes(status);
}

function report(complaints: string[], bytes: Buffer, { status, headers, body }: RawAnswer): string {
  const sent = bytes.toString("latin1").slice(0, 1500);
  return `${complaints.join("; ")}\n--- sent\n${JSON.stringify(sent)}\n--- answered\n${status} ${JSON.stringify([...headers])}\n${body.slice(0, 600)}`;
}

function heapUsed(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}
