/** A node of the service without sockets, which can die at any moment. */
import { hash } from "node:crypto";
import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { Config } from "../../src/config/config.ts";
import { openTeamEntry } from "../../src/console/entry/team-entry.ts";
import { consoleRouter } from "../../src/console/listener.ts";
import { hasher } from "../../src/credentials/passwords/hasher.ts";
import * as passwords from "../../src/credentials/passwords/service.ts";
import { stopping } from "../../src/api/service.ts";
import { ownPaths } from "../../src/forward-auth/own-paths.ts";
import { forwardAuthRouter } from "../../src/forward-auth/router.ts";
import type { Log } from "../../src/lib/log.ts";
import type { Context } from "../../src/runtime/context.ts";
import * as hosted from "../../src/pages/hosted/hosted.ts";
import { openApp, type App } from "../../src/process/app.ts";
import { startBackgroundWork, type BackgroundWork } from "../../src/process/background-work.ts";
import { rememberService } from "../../src/process/open-context.ts";
import { serviceRouter } from "../../src/process/service-router.ts";
import { folding } from "../../src/people/folding.ts";
import { aggregatedEvents } from "../../src/records/audit/aggregated-events.ts";
import { refusedCall } from "../../src/http/refused-calls.ts";
import type { Router } from "../../src/http/node-handler.ts";
import { mailTransport } from "../../src/records/mail/transport.ts";
import type { Transport } from "../../src/records/mail/mail.ts";
import { connections } from "../../src/applications/clients/workload/issuer-keys.ts";
import { pools } from "../../src/companies/connections.ts";
import { sender } from "../../src/records/webhooks/sender.ts";
import { routes } from "../../src/routes.ts";
import * as signingKeys from "../../src/tokens/signing-keys.ts";
import type { Generator } from "./generator.ts";
import type { CompanyNetwork } from "./company.ts";
import type { Faults } from "./faults.ts";
import { calls, portTo, type Call, type Watched } from "./port.ts";
import { closePort, openPort } from "./postgres-port.ts";
import type { Server } from "./postgres-server.ts";
import { time, type Machine, type Owner } from "./time.ts";

/** Where operators reach the console. */
export const consoleOrigin = "http://localhost:8090";
/** Where the proxy of protected hosts asks, and the address that it comes from. */
export const doorsOrigin = "http://localhost:8091";
export const proxyAddress = "10.0.0.1";

export type Listener = "service" | "console" | "doors";

export type Sent = {
  listener: Listener;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
};
export type Got = { status: number; headers: [name: string, value: string][]; body: string };

/** What surrounds the nodes. */
export type Outside = Watched & {
  config: Config;
  generator: Generator;
  clock: () => number;
  fetch: Context["fetch"];
  log: Log;
  transport: Transport;
  receive: ReturnType<typeof sender>;
  companies: CompanyNetwork;
  /** PostgreSQL's, if that is the database. */
  server: Server | undefined;
  note: (line: string) => void;
};

/** Below the ten seconds after which a supervisor may kill the process. */
const drainMilliseconds = 8000;

export class SimulatedNode {
  readonly owner: Owner;
  readonly app: App;
  /** Rejects when it crashes. */
  readonly died: Promise<never>;
  readonly #die: (reason: Error) => void;
  readonly #crashed = Promise.withResolvers<"crashed">();
  /** It takes no more calls. */
  isStopping = false;
  #running = 0;
  readonly #work: BackgroundWork;
  readonly #routers: Record<Listener, Router>;

  private constructor(owner: Owner, app: App, router: Router, work: BackgroundWork) {
    this.owner = owner;
    this.app = app;
    this.#routers = {
      service: router,
      console: consoleRouter(app.ctx, openTeamEntry(consoleOrigin)),
      doors: forwardAuthRouter(app.ctx, { own: ownPaths }),
    };
    this.#work = work;
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => {});
    this.died = promise;
    this.#die = reject;
  }

  get ctx(): Context {
    return this.app.ctx;
  }

  /** As `startServer` does, without a socket. */
  static async start(outside: Outside, name: string, faults: Faults, machine: Machine): Promise<SimulatedNode> {
    const { config, log, server, note, reached } = outside;
    const clock = (): number => outside.clock() + machine.ahead;
    const generator = outside.generator.fork(name);
    const owner: Owner = { isDead: false, machine };
    const port = generator.fork("port");
    if (server) openPort(owner, { server, node: name, generator: port, faults, note, reached, wires: new Set() });
    return await time.belongingTo(owner, async () => {
      const app = await openApp(config, {
        clock,
        log,
        random: (size) => generator.bytes(size),
        fetch: outside.fetch,
        // By the words that it begins with: no dictionary is read.
        strengthOf: ({ password }) =>
          Promise.resolve({
            isCommon: password.startsWith("a common"),
            guessesLog10: password.startsWith("a weak") ? 9 : 20,
            weakness: "predictable",
          }),
        storageAround: (storage) =>
          // PostgreSQL's own clock is not the simulated one.
          server
            ? { ...storage, time: async () => await Promise.resolve({ at: outside.clock(), isCurrent: true }) }
            : portTo(storage, { ...outside, owner, generator: port, faults }),
        serves: true,
      });
      const { ctx } = app;
      ctx.parts.made.set(hasher, simulatedHasher(generator.fork("hasher")));
      ctx.parts.made.set(mailTransport, outside.transport);
      ctx.parts.made.set(sender, outside.receive);
      const toCompanies = {
        open: async () => await Promise.resolve({ agent: undefined, send: outside.companies.send }),
      };
      ctx.parts.made.set(pools, { open: toCompanies, listed: toCompanies });
      ctx.parts.made.set(connections, toCompanies);
      await passwords.learnStoredHashes(ctx, () => stopping(ctx).now);
      await signingKeys.forSigning(ctx, "ES256");
      await rememberService(ctx);
      await app.watchClock();
      const router = serviceRouter(ctx, {
        routes,
        errorPage: (error, request, isHosted) => hosted.errorPage(ctx, error, request, isHosted),
        onAnswered: (answered) => {
          const refused = refusedCall(answered);
          if (refused) aggregatedEvents(ctx).note(refused);
        },
      });
      return new SimulatedNode(owner, app, router, startBackgroundWork(app));
    });
  }

  /** Answers a request; never, if the node dies before. */
  async answer(sent: Sent, ipAddress: string): Promise<Got> {
    const [path = ""] = sent.path.split("?");
    const router = this.#routers[sent.listener];
    return await this.#inCall({ path, authorization: sent.headers["authorization"] }, async () => {
      this.#running += 1;
      const { status, lines, body } = await router(messageOf(sent, ipAddress)).finally(() => (this.#running -= 1));
      if (this.owner.isDead) await new Promise(() => {});
      const headers: [string, string][] = [];
      for (let at = 0; at < lines.length; at += 2) headers.push([lines[at] ?? "", lines[at + 1] ?? ""]);
      return { status, headers, body: Buffer.from(body).toString() };
    });
  }

  /** An act of an operator or a command. */
  async operate<Result>(act: (ctx: Context) => Promise<Result>): Promise<Result> {
    return await this.#inCall({ path: "", authorization: undefined }, async () => await act(this.ctx));
  }

  async #inCall<Result>(about: Pick<Call, "path" | "authorization">, work: () => Promise<Result>): Promise<Result> {
    const call: Call = { ...about, commits: 0, isAnswered: false };
    const run = async (): Promise<Result> => await work().finally(() => (call.isAnswered = true));
    return await time.belongingTo(this.owner, async () => await calls.run(call, run));
  }

  /** Loses all that was not committed. Who waits for an answer gets `reason`. */
  async crash(reason: Error): Promise<void> {
    this.owner.isDead = true;
    this.#crashed.resolve("crashed");
    this.#die(reason);
    await time.pause(1);
    if (this.ctx.storage.dialect === "postgres") await closePort(this.owner);
    // Its queue is empty: a batch of writes never lasts longer than one turn.
    else await this.ctx.storage.close();
  }

  /** As for SIGTERM, unless it crashes first. Whose call takes too long gets `reason`. */
  async stop(reason: Error): Promise<"crashed" | undefined> {
    this.isStopping = true;
    const drained = time.belongingTo(this.owner, async () => await this.#drain(reason));
    return await Promise.race([drained, this.#crashed.promise]);
  }

  async #drain(reason: Error): Promise<undefined> {
    stopping(this.ctx).now = true;
    this.#work.stopTimers();
    const until = time.now() + drainMilliseconds;
    const sent = this.#work.stopSending();
    while (this.#running > 0 && time.now() < until) await time.pause(10);
    this.#die(reason);
    await Promise.race([sent, time.pause(Math.max(1, until - time.now()))]);
    await folding(this.ctx).stop();
    await this.app.close();
    this.owner.isDead = true;
  }
}

export function messageOf({ method, path, headers, body }: Sent, remoteAddress: string): IncomingMessage {
  const socket = Object.assign(new EventEmitter(), { remoteAddress, destroyed: false });
  const length: Record<string, string> = body === "" ? {} : { "content-length": String(Buffer.byteLength(body)) };
  const given: Record<string, string> = { host: "localhost", ...headers, ...length };
  return Object.assign(Readable.from(body === "" ? [] : [Buffer.from(body)]), {
    method,
    url: path,
    headers: given,
    // A header that is sent twice has two lines.
    rawHeaders: Object.entries(given).flatMap(([name, value]) => value.split("\n").flatMap((line) => [name, line])),
    httpVersion: "1.1",
    socket,
  }) as unknown as IncomingMessage;
}

/** Takes its time and no processor: what matters here is when a password is hashed. */
function simulatedHasher(generator: Generator): ReturnType<typeof hasher> {
  const todaysForm = "$argon2id$v=19$m=8,t=1,p=1$";
  const work = async (): Promise<void> => await time.pause(10 + generator.below(20));
  const hashed = (salt: string, password: string): string =>
    `${todaysForm}${salt}$${hash("sha256", `${salt} ${password.normalize("NFC")}`, "base64").replaceAll("=", "")}`;
  return {
    admit: () => {},
    hash: async (password) => {
      await work();
      return hashed(Buffer.from(generator.bytes(16)).toString("base64").replaceAll("=", ""), password);
    },
    verify: async (stored, password) => {
      await work();
      const salt = stored?.split("$")[4] ?? "";
      return { isRight: stored !== undefined && stored === hashed(salt, password), evenOut: async () => {} };
    },
    todaysForm,
    isImported: () => false,
    learn: () => {},
    isBusy: () => false,
    load: () => ({ running: 0, waiting: 0 }),
    isWeaker: () => false,
  };
}
