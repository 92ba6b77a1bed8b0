/** The simulated world: a database, the nodes in front of it, and everybody who calls them. */
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
import type { Generator } from "./generator.ts";
import { Violation, type KnownLogin, type KnownPerson } from "./model.ts";
import { SimulatedNode, type Got, type Outside, type Sent } from "./node.ts";
import { time } from "./time.ts";

const origin = "http://localhost:8080";
/** Commits to a disk would take most of the time. */
const memory = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
const unlimited = 1_000_000_000;
const cli = { kind: "cli", name: "simulation" } as const;

/** A call that was not answered: it may have happened or not. */
export class Lost extends Error {}

/** What an actor draws from, and until when it acts. */
export type Part = { chances: Generator; isOver: () => boolean };

export type Actor = (world: World, part: Part) => Promise<void>;

export type Delivered = { id: string; type: string; body: Record<string, unknown> };

export class World {
  readonly generator: Generator;
  readonly faults: Faults = { ...noFaults };
  readonly reach = new Map<string, number>();
  readonly delivered: Delivered[] = [];
  readonly people: KnownPerson[] = [];
  /** Logins that have ended, with every secret that was seen of them. */
  readonly graveyard: KnownLogin[] = [];
  /** Mails that arrived, the newest last. */
  readonly mails: { to: string; text: string }[] = [];
  readonly service: TestService;
  app!: TestApp;
  node!: SimulatedNode;
  /** Errors that were logged while no fault explained them. */
  readonly logged: string[] = [];
  violation: unknown;
  calls = 0;
  crashes = 0;
  #trace = "";
  #lines: string[] = [];
  readonly #folder = mkdtempSync(join(memory, "authsvc-simulation-"));
  readonly #outside: Outside;
  #starts = 0;
  #died = Promise.withResolvers<never>();

  constructor(generator: Generator) {
    this.generator = generator;
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
    this.node = await SimulatedNode.start(this.#outside, `node ${this.#starts}`, this.faults);
  }

  /** The process dies, and another one starts on what was committed. */
  async crash(): Promise<void> {
    this.crashes += 1;
    this.note("crash");
    const dying = this.#died;
    const ended = this.node.crash();
    dying.reject(new Lost("the connection was closed"));
    await ended;
    await time.pause(200);
    await this.startNode();
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** One call, as a client makes it. Throws Lost. */
  async send(sent: Sent, ipAddress: string, chances: Generator): Promise<Got> {
    this.calls += 1;
    await time.pause(1 + chances.wait(this.faults.network));
    if (chances.chance(this.faults.lostRequests)) throw new Lost("the call never arrived");
    const { node } = this;
    if (node.owner.isDead) throw new Lost("the connection was refused");
    const got = await Promise.race([node.answer(sent, ipAddress), this.#died.promise]);
    await time.pause(1 + chances.wait(this.faults.network));
    if (chances.chance(this.faults.lostAnswers)) throw new Lost("the answer was lost");
    if (got.status >= 500) this.#noteServerError(sent, got);
    return got;
  }

  /** An act of an operator or a command. Throws Lost if the process dies meanwhile. */
  async operate<Result>(act: (ctx: SimulatedNode["ctx"]) => Promise<Result>): Promise<Result> {
    const { node } = this;
    if (node.owner.isDead) throw new Lost("the process has died");
    return await Promise.race([time.belongingTo(node.owner, async () => await act(node.ctx)), this.#died.promise]);
  }

  /** Draws anew what happens to the world. */
  drawFaults(chances: Generator): void {
    Object.assign(this.faults, drawFaults(chances));
  }

  reached(situation: string): void {
    this.reach.set(situation, (this.reach.get(situation) ?? 0) + 1);
  }

  note(line: string): void {
    const whole = `${time.now()} ${line}`;
    this.#trace = hash("sha256", `${this.#trace}${whole}`);
    this.#lines.push(whole);
    if (this.#lines.length > 2000) this.#lines.splice(0, 1000);
  }

  get trace(): { hash: string; lines: readonly string[] } {
    return { hash: this.#trace, lines: this.#lines };
  }

  #noteServerError(sent: Sent, got: Got): void {
    if (this.faults.failingCommits > 0 || this.node.owner.isDead) return;
    // 503 says that it is about to stop, or busy.
    if (got.status !== 503)
      throw new Violation("O10", `${sent.method} ${sent.path} answered ${got.status} without a fault`);
  }

  #noteError(message: string, error: unknown): void {
    if (this.faults.failingCommits > 0 || this.node?.owner.isDead !== false) return;
    this.logged.push(`${message}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }
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
    dns: { servers: [] },
    metrics: undefined,
    log: { level: "silent", format: "json", requests: "errors" },
  };
}
