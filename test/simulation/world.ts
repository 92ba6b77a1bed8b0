/** The simulated world: a database, the nodes in front of it, and everybody who calls them. */
import { AsyncLocalStorage } from "node:async_hooks";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hash } from "node:crypto";
import * as applications from "../../src/applications/service.ts";
import type { Config } from "../../src/config/config.ts";
import { eventKinds } from "../../src/storage/column-types.ts";
import { silentLog } from "../../src/lib/silent-log.ts";
import { newWebhookSecret } from "../../src/records/webhooks/signature.ts";
import * as webhooks from "../../src/records/webhooks/service.ts";
import type { TestApp, TestService } from "../support/service.ts";
import { drawFaults, noFaults, type Faults } from "./faults.ts";
import { Generator } from "./generator.ts";
import { Ledger } from "./ledger.ts";
import { Violation, type KnownLogin, type KnownMember, type KnownPerson } from "./model.ts";
import { SimulatedNode, type Got, type Outside, type Sent } from "./node.ts";
import { CommitFailed, type Call } from "./port.ts";
import { time, type Machine } from "./time.ts";

const origin = "http://localhost:8080";
/** Commits to a disk would take most of the time. */
const memory = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
const unlimited = 1_000_000_000;
const cli = { kind: "cli", name: "simulation" } as const;

/** With a database that hangs or is slow. */
const longestCall = 60_000;
const hour = 3_600_000;

/** A call that was not answered: it may have happened or not. */
export class Lost extends Error {}

/** What an actor draws from, and until when it acts. `pause` also decides how busy it is. */
export type Part = { chances: Generator; isOver: () => boolean; pause: (usual: number) => Promise<void> };

/** What an actor's pauses are multiplied with; a hundred times as long is hardly there. */
const paces = [1, 1, 1, 0.2, 5, 100];

/** Waits that follow a pace, which is drawn again each virtual hour. */
export function pacing(generator: Generator): Part["pause"] {
  const [pauses, hours] = [generator.fork("pauses"), generator.fork("hours")];
  return async (usual) => {
    const ofHour = hours.fork(String(Math.floor(time.now() / hour)));
    await time.pause(Math.min(pauses.wait(usual) * ofHour.pick(paces), hour / 6) + 1);
  };
}

export type Actor = (world: World, part: Part) => Promise<void>;

export type Delivered = { id: string; type: string; body: Record<string, unknown> };

export class World {
  readonly generator: Generator;
  readonly faults: Faults = { ...noFaults };
  readonly reach = new Map<string, number>();
  readonly delivered: Delivered[] = [];
  readonly people: KnownPerson[] = [];
  readonly members: KnownMember[] = [];
  /** Logins that have ended, with every secret that was seen of them. */
  readonly graveyard: KnownLogin[] = [];
  /** Mails that arrived, the newest last. */
  readonly mails: { to: string; text: string }[] = [];
  readonly service: TestService;
  app!: TestApp;
  node!: SimulatedNode;
  readonly ledger = new Ledger();
  /** Errors that were logged while no fault explained them. */
  readonly logged: string[] = [];
  /** What went wrong beside the actors. */
  violation: unknown;
  calls = 0;
  crashes = 0;
  stops = 0;
  readonly machine: Machine = { ahead: 0 };
  #clockWasWrongAt = 0;
  #commitsFailedAt = 0;
  /** A node that stops takes no calls. */
  #isStopping = false;
  readonly #without: readonly string[];
  #trace = "";
  #lines: string[] = [];
  readonly #folder = mkdtempSync(join(memory, "authsvc-simulation-"));
  readonly #outside: Outside;
  #starts = 0;
  #died = Promise.withResolvers<never>();

  constructor(generator: Generator, without: readonly string[] = []) {
    this.generator = generator;
    this.#without = without;
    const outside = AsyncLocalStorage.snapshot();
    this.service = { url: origin } as TestService;
    const log = { ...silentLog, error: (message: string, error: unknown) => this.#noteError(message, error) };
    const receiver = generator.fork("receiver");
    this.#outside = {
      config: configIn(this.#folder),
      generator: generator.fork("nodes"),
      clock: () => time.now(),
      log,
      transport: {
        send: async (message) => {
          await time.pause(20 + receiver.wait(50));
          if (receiver.chance(this.faults.failingMail)) return { result: "failed", reason: "simulated" } as const;
          this.mails.push({ to: message.to, text: message.text });
          return { result: "sent" } as const;
        },
        close: () => {},
      },
      receive: {
        send: async ({ headers, body }) => {
          const at = time.now();
          await time.pause(10 + receiver.wait(40));
          const isWell = !receiver.chance(this.faults.failingReceiver);
          const parsed = JSON.parse(body) as Record<string, unknown>;
          // Received, whatever it answers.
          this.delivered.push({ id: headers["webhook-id"] ?? "", type: String(parsed["type"]), body: parsed });
          return {
            at,
            durationMilliseconds: time.now() - at,
            status: isWell ? 200 : 500,
            error: isWell ? null : "status 500",
            response: "",
            delivered: isWell,
            gone: false,
            retryAfterMilliseconds: undefined,
          };
        },
        close: async () => {},
      },
      watched: {
        // Outside of the call that dies, and after this turn: its batch of writes ends within it.
        crash: () => outside(() => this.#beside(time.pause(1).then(async () => await this.crash()))),
        reached: (situation) => this.reached(situation),
        lookUps: new Set<Call>(),
      },
    };
  }

  async open(): Promise<void> {
    await this.startNode();
    const { ctx } = this.node;
    const redirectUri = "https://app.example/callback";
    const { application, apiKey } = await applications.createWithKey(
      ctx,
      { id: "app_sim", name: "Simulated", redirectUris: [redirectUri], settings: { signingAlgorithm: "EdDSA" } },
      {},
      cli,
    );
    const headers = { authorization: `Bearer ${apiKey}`, "x-service-app-id": application.id };
    this.app = { id: application.id, apiKey, redirectUri, headers };
    const secret = newWebhookSecret(ctx.random);
    const input = { url: "https://receiver.example/hook", events: [...eventKinds], secret };
    await webhooks.create(ctx, application.id, input, { actor: cli, appId: undefined });
  }

  async startNode(): Promise<void> {
    this.#starts += 1;
    this.#died = Promise.withResolvers<never>();
    this.#died.promise.catch(() => {});
    this.#isStopping = false;
    for (;;) {
      try {
        this.node = await SimulatedNode.start(this.#outside, `node ${this.#starts}`, this.faults, this.machine);
        return;
      } catch (error) {
        // As a supervisor does.
        if (!(error instanceof CommitFailed)) throw error;
        await time.pause(1000);
      }
    }
  }

  /** The process dies, and another one starts on what was committed. */
  async crash(): Promise<void> {
    if (this.node.owner.isDead) return;
    this.crashes += 1;
    this.note("crash");
    const dying = this.#died;
    const ended = this.node.crash();
    dying.reject(new Lost("the connection was closed"));
    await ended;
    await time.pause(200);
    await this.startNode();
  }

  /** A stop with a drain, and a start. */
  async stop(): Promise<void> {
    const { node } = this;
    if (node.owner.isDead || this.#isStopping) return;
    this.stops += 1;
    this.note("stop");
    const stopping = this.#died;
    this.#isStopping = true;
    const cutOff = (): void => stopping.reject(new Lost("the connection was closed"));
    // After a crash, somebody else starts the next one.
    if ((await node.stop(cutOff)) === "crashed") return;
    await time.pause(200);
    await this.startNode();
  }

  /** The wall clock of the machine is set; what is timed by the monotonic clock goes on. */
  setClock(ahead: number): void {
    this.note(`the clock is ${ahead / 1000} s ahead`);
    if (this.machine.ahead !== 0) this.#clockWasWrongAt = time.now();
    this.machine.ahead = ahead;
  }

  /** Whether the clock was right since `from`. Otherwise nothing is known about what expires. */
  clockWasRight(from: number): boolean {
    return this.machine.ahead === 0 && this.#clockWasWrongAt < from;
  }

  /** What goes on beside the actors ends the run if it fails. */
  #beside(work: Promise<unknown>): void {
    work.catch((error: unknown) => (this.violation ??= error));
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** One call, as a client makes it. Throws Lost. */
  async send(sent: Sent, ipAddress: string, chances: Generator): Promise<Got> {
    this.calls += 1;
    // Each call draws equally much, whatever happens to it.
    const fate = new Generator(Buffer.from(chances.bytes(8)).toString("hex"));
    await this.#travel(fate.fork("there"));
    if (fate.chance(this.faults.lostRequests)) throw new Lost("the call never arrived");
    // A connection that breaks makes a client or a proxy repeat what is safe to repeat.
    const isRepeatable = sent.method === "GET" && sent.headers["dpop"] === undefined;
    if (fate.chance(this.faults.doubled) && isRepeatable) {
      this.reached("a call that arrives twice");
      const again = this.#travel(fate.fork("again")).then(async () => await this.#arrive(sent, ipAddress));
      this.#beside(again.catch((error: unknown) => error instanceof Lost || Promise.reject(error as Error)));
    }
    const got = await this.#arrive(sent, ipAddress);
    await this.#travel(fate.fork("back"));
    if (fate.chance(this.faults.lostAnswers)) throw new Lost("the answer was lost");
    return got;
  }

  async #travel(fate: Generator): Promise<void> {
    await time.pause(1 + fate.wait(this.faults.network) + (fate.chance(this.faults.late) ? fate.wait(20_000) : 0));
  }

  async #arrive(sent: Sent, ipAddress: string): Promise<Got> {
    const { node } = this;
    if (node.owner.isDead || this.#isStopping) throw new Lost("the connection was refused");
    const got = await Promise.race([node.answer(sent, ipAddress), this.#died.promise]);
    this.note(`${sent.method} ${withoutSecrets(sent.path)}: ${got.status}`);
    if (got.status === 503) throw new Lost("the service is not ready");
    if (got.status >= 500) this.#noteServerError(sent, got);
    return got;
  }

  /** An act of an operator or a command. Throws Lost if the process dies meanwhile. */
  async operate<Result>(act: (ctx: SimulatedNode["ctx"]) => Promise<Result>): Promise<Result> {
    const { node } = this;
    if (node.owner.isDead || this.#isStopping) throw new Lost("the process has died");
    try {
      return await Promise.race([node.operate(act), this.#died.promise]);
    } catch (error) {
      if (error instanceof CommitFailed) throw new Lost(error.message);
      throw error;
    }
  }

  /** Draws anew what happens to the world. */
  drawFaults(chances: Generator): void {
    if (this.faults.failingCommits > 0) this.#commitsFailedAt = time.now();
    Object.assign(this.faults, drawFaults(chances, this.#without));
  }

  reached(situation: string): void {
    this.reach.set(situation, (this.reach.get(situation) ?? 0) + 1);
  }

  note(line: string): void {
    const whole = `${time.now()} ${line}`;
    this.#trace = hash("sha256", `${this.#trace}${whole}`);
    this.#lines.push(whole);
  }

  get trace(): { hash: string; lines: readonly string[] } {
    return { hash: this.#trace, lines: this.#lines };
  }

  /** Or may have failed during a call that is still running. */
  #commitsMayFail(): boolean {
    const { failingCommits, fullUntil } = this.faults;
    return failingCommits > 0 || Math.max(fullUntil, this.#commitsFailedAt) + longestCall > time.now();
  }

  #noteServerError(sent: Sent, got: Got): never {
    // Nobody knows what was done before.
    if (this.#commitsMayFail() || this.node.owner.isDead) throw new Lost("the service failed");
    throw new Violation("O10", `${sent.method} ${sent.path} answered ${got.status} without a fault`);
  }

  #noteError(message: string, error: unknown): void {
    if (this.#commitsMayFail() || !this.node || this.node.owner.isDead) return;
    this.logged.push(`${message}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }
}

/** A path without what a generator drew. */
function withoutSecrets(path: string): string {
  const [before = ""] = path.split("?");
  return before.replaceAll(/[^/]{20,}/gu, "…");
}

function configIn(dataDir: string): Config {
  return {
    dev: false,
    dataDir,
    baseUrl: origin,
    listen: { host: "127.0.0.1", port: 8080, tls: undefined },
    trustedProxies: [],
    database: { url: undefined, poolSize: 1 },
    masterKey: hash("sha256", "the master key of simulations", "base64url"),
    mail: undefined,
    mailsPerHour: 2000,
    passwords: {
      memoryKiB: 8,
      iterations: 1,
      parallelism: 1,
      concurrency: 2,
      queueSize: 1000,
      minGuessesLog10: 10,
      attemptsPerMinute: 5,
    },
    rateLimits: {
      authentication: unlimited,
      userManagement: unlimited,
      applicationManagement: unlimited,
      webhooks: unlimited,
    },
    webhooks: { allowPrivateNetworks: false, retentionDays: 30 },
    clientDocuments: { allowPrivateNetworks: false },
    metrics: undefined,
    log: { level: "silent", format: "json", requests: "errors" },
  };
}
