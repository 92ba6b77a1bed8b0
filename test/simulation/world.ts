/** The simulated world: a database, the nodes in front of it, and everybody who calls them. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHmac, hash } from "node:crypto";
import type { NewApplication } from "../../src/applications/new-application.ts";
import * as providers from "../../src/applications/providers/provider-clients.ts";
import * as applications from "../../src/applications/service.ts";
import type { Config } from "../../src/config/config.ts";
import { eventKinds } from "../../src/storage/column-types.ts";
import { silentLog } from "../../src/lib/silent-log.ts";
import { newWebhookSecret } from "../../src/records/webhooks/signature.ts";
import * as webhooks from "../../src/records/webhooks/service.ts";
import type { TestApp, TestService } from "../support/service.ts";
import { drawFaults, noFaults, type Faults } from "./faults.ts";
import type { Generator } from "./generator.ts";
import { Ledger, wasRefused } from "./ledger.ts";
import type { Member } from "./members.ts";
import { Possible, Violation, type KnownAccount, type KnownLogin, type KnownPerson } from "./model.ts";
import { openPrograms, type Programs } from "./programs.ts";
import { consoleOrigin, SimulatedNode, type Got, type Outside, type Sent } from "./node.ts";
import { Server, type Signals } from "./postgres-server.ts";
import { Provider } from "./provider.ts";
import { time } from "./time.ts";

const origin = "http://localhost:8080";
/** Where the application that commands change is told of its people. */
const hook = "https://receiver.example/hook";
/** Commits to a disk would take most of the time. */
const memory = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
/** On PostgreSQL, that of one run. */
const database = `simulation_${process.pid}`;
const unlimited = 1_000_000_000;
const cli = { kind: "cli", name: "simulation" } as const;

/** A server on which databases can be created. */
export type Cluster = { url(database: string): string; signals: Signals };

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
  readonly clubMembers: Member[] = [];
  /** Whether the club asks everybody for a second factor, and since when. */
  readonly clubAsks = { is: new Possible<"optional" | "required">("optional"), since: 0 };
  readonly accounts: KnownAccount[] = [];
  /** Addresses whose accounts are imported together. */
  readonly imports: { emails: readonly string[]; isDone: Possible<boolean> }[] = [];
  readonly settings = {
    name: new Possible<string | undefined>("Simulated"),
    companyName: new Possible<string | undefined>(undefined),
  };
  /** `rotatedAt`: when its secret last changed. */
  webhook = { id: "", secret: new Possible(""), rotatedAt: 0 };
  /** Logins that have ended, with every secret that was seen of them. */
  readonly graveyard: KnownLogin[] = [];
  /** Mails that arrived, the newest last. */
  readonly mails: { to: string; text: string }[] = [];
  readonly service: TestService;
  app!: TestApp;
  /** Where people have all methods and second factors. */
  club!: TestApp;
  readonly provider = new Provider();
  programs!: Programs;
  /** What receivers of clients were told: that a login has ended. */
  readonly logoutTokens: string[] = [];
  /** Two of them share a PostgreSQL. */
  readonly nodes: SimulatedNode[] = [];
  readonly ledger = new Ledger();
  /** Errors that were logged while no fault explained them. */
  readonly logged: string[] = [];
  /** What must never be, seen by nobody who could throw. */
  violation: Violation | undefined;
  calls = 0;
  crashes = 0;
  #trace = "";
  #lines: string[] = [];
  readonly #folder = mkdtempSync(join(memory, "authsvc-simulation-"));
  readonly #outside: Outside;
  #starts = 0;
  readonly #crashing: Generator;
  readonly #cluster: Cluster | undefined;

  constructor(generator: Generator, cluster?: Cluster) {
    this.generator = generator;
    this.#crashing = generator.fork("crashing");
    this.#cluster = cluster;
    this.service = { url: origin } as TestService;
    const log = { ...silentLog, error: (message: string, error: unknown) => this.#noteError(message, error) };
    const receiver = generator.fork("receiver");
    this.#outside = {
      config: configIn(this.#folder, cluster && cluster.url(database)),
      server: undefined,
      note: (line) => this.note(line),
      reached: (situation) => this.reached(situation),
      generator: generator.fork("nodes"),
      clock: () => time.now(),
      fetch: this.provider.fetch,
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
        send: async ({ url, headers, body }) => {
          const at = time.now();
          await time.pause(10 + receiver.wait(40));
          const isWell = !receiver.chance(this.faults.failingReceiver);
          const logoutToken = new URLSearchParams(body).get("logout_token");
          // Received, whatever it answers.
          if (logoutToken !== null) this.logoutTokens.push(logoutToken);
          else {
            if (url === hook && !this.#isSigned(headers, body))
              throw new Violation("O5", "an event without a valid signature");
            const parsed = JSON.parse(body) as Record<string, unknown>;
            this.delivered.push({ id: headers["webhook-id"] ?? "", type: String(parsed["type"]), body: parsed });
          }
          return {
            at,
            durationMilliseconds: time.now() - at,
            status: isWell ? 200 : 500,
            error: isWell ? null : "status 500",
            // Some receivers repeat what they got.
            response: body.slice(0, 1024),
            delivered: isWell,
            gone: false,
            retryAfterMilliseconds: undefined,
          };
        },
        close: async () => {},
      },
    };
  }

  /** One that lives, if any does. */
  get node(): SimulatedNode {
    return this.nodes.find(({ owner }) => !owner.isDead) ?? (this.nodes[0] as SimulatedNode);
  }

  async open(): Promise<void> {
    if (this.#cluster) {
      const { signals, url } = this.#cluster;
      const generator = this.generator.fork("server");
      const { reached } = this.#outside;
      const onCircle = (labels: string[]): void => this.#noteCircle(labels);
      const around = { generator, reached, onCircle, signals };
      this.#outside.server = await time.outside(Server.create(url("postgres"), database, around));
    }
    await Promise.all((this.#cluster ? [0, 1] : [0]).map(async (place) => await this.startNode(place)));
    await time.belongingTo(this.node.owner, async () => await this.#fill(this.node.ctx));
  }

  async #fill(ctx: SimulatedNode["ctx"]): Promise<void> {
    this.app = await this.#newApplication(ctx, { id: "app_sim", name: "Simulated" });
    this.programs = await openPrograms(ctx, this.app, this.generator.fork("programs"));
    this.club = await this.#newApplication(
      ctx,
      { id: "app_club", name: "Club", methods: ["password", "passkey", "oauth"] },
      { secondFactor: "optional", trustBrowsersDays: 30, emailCode: true },
    );
    await providers.set(ctx, "app_club", { name: "discord", clientId: "club", secret: "secret" }, cli);
  }

  async #newApplication(
    ctx: SimulatedNode["ctx"],
    input: Pick<NewApplication, "methods"> & { id: string; name: string },
    settings: NewApplication["settings"] = {},
  ): Promise<TestApp> {
    const redirectUri = "https://app.example/callback";
    const { application, apiKey } = await applications.createWithKey(
      ctx,
      { ...input, redirectUris: [redirectUri], settings: { signingAlgorithm: "EdDSA", ...settings } },
      {},
      cli,
    );
    const secret = newWebhookSecret(ctx.random);
    const endpoint = { url: input.id === "app_sim" ? hook : `${hook}/${input.id}`, events: [...eventKinds], secret };
    const { id } = await webhooks.create(ctx, application.id, endpoint, { actor: cli, appId: undefined });
    if (input.id === "app_sim") this.webhook = { id, secret: new Possible(secret), rotatedAt: time.now() };
    const headers = { authorization: `Bearer ${apiKey}`, "x-service-app-id": application.id };
    return { id: application.id, apiKey, redirectUri, headers };
  }

  async startNode(place: number): Promise<void> {
    for (;;) {
      this.#starts += 1;
      try {
        this.nodes[place] = await SimulatedNode.start(this.#outside, `node ${this.#starts}`, this.faults);
        return;
      } catch (error) {
        // Its supervisor starts it again.
        if (!this.isFault(error)) throw new Violation("O10", `a node does not start: ${(error as Error).message}`);
      }
    }
  }

  /** A process dies, and another one starts on what was committed. */
  async crash(): Promise<void> {
    const place = this.nodes.length > 1 ? this.#crashing.below(this.nodes.length) : 0;
    this.crashes += 1;
    this.note(`crash of ${place}`);
    await this.nodes[place]?.crash(new Lost("the connection was closed"));
    await time.pause(200);
    await this.startNode(place);
  }

  async close(): Promise<void> {
    for (const { owner } of this.nodes) owner.isDead = true;
    await this.#outside.server?.drop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Whether a simulated fault ended an act with this: it may have happened or not. */
  isFault(error: unknown): boolean {
    if (error instanceof Violation || wasRefused(error)) return false;
    return error instanceof Lost || this.faults.failingCommits > 0;
  }

  /** One call, as a client makes it. Throws Lost. */
  async send(sent: Sent, ipAddress: string, chances: Generator): Promise<Got> {
    this.calls += 1;
    await time.pause(1 + chances.wait(this.faults.network));
    if (chances.chance(this.faults.lostRequests)) throw new Lost("the call never arrived");
    const node = this.nodes.length > 1 ? chances.pick(this.nodes) : this.node;
    if (node.owner.isDead) throw new Lost("the connection was refused");
    const got = await Promise.race([node.answer(sent, ipAddress), node.died]);
    await time.pause(1 + chances.wait(this.faults.network));
    if (chances.chance(this.faults.lostAnswers)) throw new Lost("the answer was lost");
    if (got.status >= 500) this.#noteServerError(sent, got);
    return got;
  }

  /** An act of an operator or a command. Throws Lost if the process dies meanwhile. */
  async operate<Result>(act: (ctx: SimulatedNode["ctx"]) => Promise<Result>): Promise<Result> {
    const { node } = this;
    if (node.owner.isDead) throw new Lost("the process has died");
    try {
      return await Promise.race([time.belongingTo(node.owner, async () => await act(node.ctx)), node.died]);
    } catch (error) {
      if (this.isFault(error)) throw new Lost(String(error));
      throw error;
    }
  }

  /** O4: what is read is what was acknowledged. */
  mustBe<Value>(what: string, known: Possible<Value>, read: Value): void {
    if (!known.allows(read))
      throw new Violation("O4", `${what} is ${String(read)}; acknowledged: ${known.all.join(" or ")}`);
  }

  mustBeAsKept({ email, name, metadata }: KnownAccount, shownName: unknown, shown: unknown): void {
    this.mustBe(`the name of ${email}`, name, shownName as string | null);
    const { plan, seat } = (shown ?? {}) as { plan?: number; seat?: number };
    this.mustBe(`the plan of ${email}`, metadata.plan, plan);
    this.mustBe(`the seat of ${email}`, metadata.seat, seat);
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
    if (this.#lines.length > 200_000) this.#lines.splice(0, 100_000);
  }

  get trace(): { hash: string; lines: readonly string[] } {
    return { hash: this.#trace, lines: this.#lines };
  }

  /** By the present secret (Standard Webhooks); right after a change, also by the one before. */
  #isSigned(headers: Record<string, string>, body: string): boolean {
    const { secret, rotatedAt } = this.webhook;
    if (time.now() < rotatedAt + 60_000 || secret.all.length > 1) return true;
    const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
    const key = Buffer.from((secret.all[0] ?? "").replace("whsec_", ""), "base64");
    const signature = `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
    return headers["webhook-signature"]?.split(" ").includes(signature) === true;
  }

  /** O10: all lock in one order, but sweeps (docs/decisions/0049). */
  #noteCircle(labels: string[]): void {
    this.note(`a circle of ${labels.join(", ")}`);
    if (labels.some((label) => label.startsWith("sweep"))) return;
    this.violation ??= new Violation("O10", `these wait for each other: ${labels.join(", ")}`);
  }

  #noteServerError(sent: Sent, got: Got): never {
    // Nobody knows what was done before. 503 says that it is about to stop, or busy.
    if (this.faults.failingCommits > 0 || this.node.owner.isDead || got.status === 503)
      throw new Lost("the service failed");
    throw new Violation("O10", `${sent.method} ${sent.path} answered ${got.status} without a fault`);
  }

  #noteError(message: string, error: unknown): void {
    if (this.faults.failingCommits > 0 || !this.node || this.node.owner.isDead) return;
    this.logged.push(`${message}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }
}

function configIn(dataDir: string, url: string | undefined): Config {
  return {
    dev: false,
    dataDir,
    baseUrl: origin,
    listen: { host: "127.0.0.1", port: 8080, tls: undefined },
    console: { host: "127.0.0.1", port: 8090, baseUrl: consoleOrigin },
    trustedProxies: [],
    database: { url, poolSize: 4 },
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
