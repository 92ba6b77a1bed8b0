/** The simulated world: a database, the nodes in front of it, and everybody who calls them. */
import { AsyncLocalStorage } from "node:async_hooks";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHmac, hash } from "node:crypto";
import type { Config } from "../../src/config/config.ts";
import { loadConfig } from "../../src/config/load.ts";
import { silentLog } from "../../src/lib/silent-log.ts";
import type { MailMessage } from "../../src/records/mail/mail.ts";
import { writeProblemOf } from "../../src/storage/errors/write-problem.ts";
import type { TestService } from "../support/service.ts";
import { problemOf } from "./answers.ts";
import { CompanyNetwork } from "./company.ts";
import { drawFaults, noFaults, type Faults } from "./faults.ts";
import { Generator } from "./generator.ts";
import { Ledger, wasRefused } from "./ledger.ts";
import { problemOfMail } from "./mails.ts";
import type { Member } from "./members.ts";
import {
  Possible,
  Violation,
  type KnownAccount,
  type KnownFirm,
  type KnownLogin,
  type KnownPerson,
  type KnownResident,
  type RegisteredEndpoint,
} from "./model.ts";
import { consoleOrigin, doorsOrigin, proxyAddress, SimulatedNode, type Got, type Outside, type Sent } from "./node.ts";
import { Server, type Signals } from "./postgres-server.ts";
import { Provider } from "./provider.ts";
import { isTaken, Receivers, type Arrived } from "./receivers.ts";
import { time, type Machine } from "./time.ts";
import { forgetZones } from "./zones.ts";
import { hook, Town } from "./town.ts";

const origin = "http://localhost:8080";
/** Commits to a disk would take most of the time. */
const memory = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
/** On PostgreSQL, that of one run. */
const database = `simulation_${process.pid}`;
const unlimited = 1_000_000_000;
/** With a database that hangs or is slow. */
const longestCall = 60_000;
const hour = 3_600_000;

/** A server on which databases can be created. */
export type Cluster = { url(database: string): string; signals: Signals };

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

export class World extends Town {
  readonly faults: Faults = { ...noFaults };
  readonly reach = new Map<string, number>();
  /** Events that receivers were told of, and those among them that they took. */
  readonly arrived: Delivered[] = [];
  readonly delivered: Delivered[] = [];
  readonly receivers: Receivers;
  /** Those that servers of their own registered. */
  readonly endpoints: RegisteredEndpoint[] = [];
  readonly people: KnownPerson[] = [];
  readonly clubMembers: Member[] = [];
  /** Whether the club asks everybody for a second factor, and since when. */
  readonly clubAsks = { is: new Possible<"optional" | "required">("optional"), since: 0 };
  /** Whether a mailed code signs in at the club. */
  readonly clubTakesCodes = new Possible(true);
  readonly accounts: KnownAccount[] = [];
  /** Addresses whose accounts are imported together. */
  readonly imports: { emails: readonly string[]; isDone: Possible<boolean> }[] = [];
  readonly settings = {
    name: new Possible<string | undefined>("Simulated"),
    companyName: new Possible<string | undefined>(undefined),
  };
  /** Logins that have ended, with every secret that was seen of them. */
  readonly graveyard: KnownLogin[] = [];
  /** Mails that arrived, the newest last. */
  readonly mails: MailMessage[] = [];
  /** In which language the owner of an address reads, if that is known. */
  readonly languages = new Map<string, { language: string; since: number }>();
  readonly service: TestService;
  readonly provider = new Provider();
  readonly issuers = new CompanyNetwork();
  readonly residents: KnownResident[] = [];
  /** Operators who compare each entry that they leave. */
  readonly wardens = new Set<string>();
  readonly firmsOf: { firm: KnownFirm; me: KnownResident }[] = [];
  /** What receivers of clients were told: that a login has ended. */
  readonly logoutTokens: string[] = [];
  /** Two of them share a PostgreSQL. */
  readonly nodes: SimulatedNode[] = [];
  readonly ledger = new Ledger();
  /** Sees each call before it is sent, and its answer. */
  prober: { before(sent: Sent): Promise<Sent>; hears(sent: Sent, got: Got): void } | undefined;
  /** Errors that were logged while no fault explained them. */
  readonly logged: string[] = [];
  /** What went wrong beside the actors. */
  violation: unknown;
  calls = 0;
  crashes = 0;
  stops = 0;
  /** That of each node. */
  readonly #machines: readonly Machine[] = [{ ahead: 0 }, { ahead: 0 }];
  #clockWasWrongAt = 0;
  /** How often somebody began to replace the signing keys, which are everybody's. */
  rotations = 0;
  /** The latest time that a clock which was set back had said. */
  latestTime = 0;
  #commitsFailedAt = 0;
  #wasSlowAt = 0;
  /** When a node last died or stopped, or started after it. */
  #stoppedAt = 0;
  readonly #without: readonly string[];
  #trace = "";
  #lines: string[] = [];
  /** Its name is too long for the live socket: nothing is asked over a real one. */
  readonly #folder = mkdtempSync(join(memory, "authsvc-simulation-".padEnd(100, "-")));
  readonly #outside: Outside;
  #starts = 0;
  readonly #crashing: Generator;
  readonly #cluster: Cluster | undefined;

  constructor(generator: Generator, { without = [], cluster }: { without?: readonly string[]; cluster?: Cluster }) {
    super(generator);
    const outside = AsyncLocalStorage.snapshot();
    forgetZones();
    this.#without = without;
    this.#crashing = generator.fork("crashing");
    this.#cluster = cluster;
    this.service = { url: origin, server: { forwardAuthUrl: doorsOrigin } } as TestService;
    const log = { ...silentLog, error: (message: string, error: unknown) => this.#noteError(message, error) };
    const receiver = generator.fork("receiver");
    this.receivers = new Receivers(generator.fork("receivers"), this.faults);
    this.#outside = {
      config: configIn(this.#folder, cluster && cluster.url(database)),
      server: undefined,
      note: (line) => this.note(line),
      reached: (situation) => this.reached(situation),
      // Outside of the call that dies, and after this turn: its batch of writes ends within it.
      crash: (owner) => outside(() => this.#beside(time.pause(1).then(async () => await this.crash(owner)))),
      lookUps: new Set(),
      generator: generator.fork("nodes"),
      clock: () => time.now(),
      fetch: this.provider.fetch,
      companies: this.issuers,
      log,
      transport: {
        send: async (message) => {
          const { language, since = 0 } = this.languages.get(message.to) ?? {};
          const known = writtenAt(message.id) > since ? language : undefined;
          const problem = problemOfMail(message, { language: known, url: origin, earlier: this.mails });
          if (problem !== undefined)
            this.violation ??= new Violation("O4", `a mail ${message.kind} to ${message.to} ${problem}`);
          await time.pause(20 + receiver.wait(50));
          if (receiver.chance(this.faults.failingMail)) return { result: "failed", reason: "simulated" } as const;
          this.mails.push(message);
          return { result: "sent" } as const;
        },
        close: () => {},
      },
      receive: {
        send: async (message, signal) =>
          await this.receivers.receive(message, signal, (arrived) => this.#hasArrived(arrived)),
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
    await time.belongingTo(this.node.owner, async () => await this.build(this.node.ctx));
  }

  async startNode(place: number): Promise<void> {
    for (;;) {
      this.#starts += 1;
      try {
        const machine = this.#machines[place] as Machine;
        this.nodes[place] = await SimulatedNode.start(this.#outside, `node ${this.#starts}`, this.faults, machine);
        return;
      } catch (error) {
        // Its supervisor starts it again.
        if (!this.isFault(error)) throw new Violation("O10", `a node does not start: ${(error as Error).message}`);
        await time.pause(1000);
      }
    }
  }

  /** A process dies, and another one starts on what was committed. */
  async crash(owner = this.#drawNode().owner): Promise<void> {
    const place = this.nodes.findIndex((node) => node.owner === owner);
    if (owner.isDead) return;
    this.crashes += 1;
    this.note(`crash of ${place}`);
    this.#stoppedAt = Infinity;
    await this.nodes[place]?.crash(new Lost("the connection was closed"));
    await time.pause(200);
    await this.startNode(place);
    this.#stoppedAt = time.now();
  }

  #drawNode(): SimulatedNode {
    return this.nodes.length > 1 ? (this.nodes[this.#crashing.below(this.nodes.length)] as SimulatedNode) : this.node;
  }

  /** A stop with a drain, and a start. */
  async stop(): Promise<void> {
    const node = this.#drawNode();
    if (node.owner.isDead || node.isStopping) return;
    const place = this.nodes.indexOf(node);
    this.stops += 1;
    this.note(`stop of ${place}`);
    this.#stoppedAt = Infinity;
    // After a crash, somebody else starts the next one.
    if ((await node.stop(new Lost("the connection was closed"))) === "crashed") return;
    await time.pause(200);
    await this.startNode(place);
    this.#stoppedAt = time.now();
  }

  /** The wall clock of the first machine is set; what is timed by the monotonic clock goes on. */
  setClock(ahead: number): void {
    const [machine = { ahead: 0 }] = this.#machines;
    this.note(`the clock is ${ahead / 1000} s ahead`);
    if (machine.ahead !== 0) this.#clockWasWrongAt = time.now();
    this.latestTime = Math.max(this.latestTime, time.now() + machine.ahead);
    machine.ahead = ahead;
  }

  /** Whether all clocks were right since `from`. Otherwise nobody knows what has expired. */
  clockWasRight(from: number): boolean {
    return this.#machines.every(({ ahead }) => ahead === 0) && this.#clockWasWrongAt < from;
  }

  /** Whether nothing since then repeated, delayed or lost what the service does itself. */
  wasCalm(from: number): boolean {
    const isDelayed = this.#isSlow() || this.faults.hangsUntil > from || this.#wasSlowAt > from;
    return this.clockWasRight(from) && this.#stoppedAt < from && !isDelayed && !this.#commitsMayFail(from);
  }

  /** For an hour: no access token lives longer. */
  get clockHasBeenRight(): boolean {
    return this.clockWasRight(time.now() - hour);
  }

  /** Which seconds a node may say that something happened at. */
  secondsOf({ from, to }: { from: number; to: number }): { from: number; to: number } {
    if (!this.clockWasRight(from)) return { from: 0, to: Infinity };
    return { from: Math.floor(from / 1000), to: Math.floor(to / 1000) };
  }

  /** Those written since then: an earlier one may arrive later, as it is tried again. */
  mailsSince(at: number): World["mails"] {
    return this.mails.filter(({ id }) => writtenAt(id) >= at);
  }

  /** What goes on beside the actors ends the run if it fails. */
  #beside(work: Promise<unknown>): void {
    work.catch((error: unknown) => (this.violation ??= error));
  }

  async close(): Promise<void> {
    for (const { owner } of this.nodes) owner.isDead = true;
    await this.#outside.server?.drop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Whether a simulated fault ended an act with this: it may have happened or not. */
  isFault(error: unknown): boolean {
    if (error instanceof Violation || wasRefused(error)) return false;
    if (error instanceof Lost || writeProblemOf(error) !== undefined) return true;
    // A command's transaction of a hundred slow statements takes longer than one may.
    if (this.#isSlow() && (error as Error).message === "PostgreSQL did not respond in time") return true;
    // PostgreSQL has many words for a connection that broke.
    return this.#cluster !== undefined && this.#commitsMayFail();
  }

  /** Whether the database is slow, hangs or did so lately. */
  #isSlow(): boolean {
    const { slow, hangsUntil } = this.faults;
    return slow >= 200 || Math.max(hangsUntil, this.#wasSlowAt) > time.now() - 10_000;
  }

  /** One call, as a client makes it. Throws Lost. */
  async send(sent: Sent, ipAddress: string, chances: Generator): Promise<Got> {
    this.calls += 1;
    const shown = (await this.prober?.before(sent)) ?? sent;
    // Each call draws equally much, whatever happens to it.
    const fate = new Generator(Buffer.from(chances.bytes(8)).toString("hex"));
    await this.#travel(fate.fork("there"));
    if (fate.chance(this.faults.lostRequests)) throw new Lost("the call never arrived");
    // A connection that breaks makes a client or a proxy repeat what is safe to repeat.
    const isRepeatable = sent.method === "GET" && sent.headers["dpop"] === undefined;
    if (fate.chance(this.faults.doubled) && isRepeatable) {
      this.reached("a call that arrives twice");
      const again = fate.fork("again");
      const repeated = this.#travel(again).then(async () => await this.arrive(sent, ipAddress, again));
      this.#beside(repeated.catch((error: unknown) => error instanceof Lost || Promise.reject(error as Error)));
    }
    const got = await this.arrive(shown, ipAddress, fate);
    this.prober?.hears(shown, got);
    await this.#travel(fate.fork("back"));
    if (fate.chance(this.faults.lostAnswers)) throw new Lost("the answer was lost");
    return got;
  }

  async #travel(fate: Generator): Promise<void> {
    await time.pause(1 + fate.wait(this.faults.network) + (fate.chance(this.faults.late) ? fate.wait(20_000) : 0));
  }

  /** The same without a network between. */
  async arrive(sent: Sent, ipAddress: string, fate: Generator): Promise<Got> {
    const node = this.nodes.length > 1 ? fate.pick(this.nodes) : this.node;
    if (node.owner.isDead || node.isStopping) throw new Lost("the connection was refused");
    const from = time.now();
    const got = await Promise.race([node.answer(sent, ipAddress), node.died]);
    this.note(`${sent.method} ${withoutIds(sent.path)}: ${got.status}`);
    if (got.status === 503) throw new Lost("the service is not ready");
    if (got.status >= 500) this.#noteServerError(sent, got, from);
    const problem = problemOf(sent, got) ?? this.pages.problemOf(sent, got);
    if (problem !== undefined) this.fail("O10", `${sent.method} ${sent.path} answered ${got.status}: ${problem}`);
    return got;
  }

  /** An act of an operator or a command. Throws Lost if the process dies meanwhile. */
  async operate<Result>(act: (ctx: SimulatedNode["ctx"]) => Promise<Result>): Promise<Result> {
    const { node } = this;
    if (node.owner.isDead || node.isStopping) throw new Lost("the process has died");
    try {
      return await Promise.race([node.operate(act), node.died]);
    } catch (error) {
      if (this.isFault(error)) throw new Lost(String(error));
      throw error;
    }
  }

  /** Also for callers that expect some calls to fail. */
  fail(oracle: string, message: string): never {
    const violation = new Violation(oracle, message);
    this.violation ??= violation;
    throw violation;
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
    if (this.faults.failingCommits > 0) this.#commitsFailedAt = time.now();
    if (this.faults.slow >= 200) this.#wasSlowAt = time.now();
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

  #hasArrived({ url, headers, body, answer }: Arrived): void {
    if (!answer) return;
    const logoutToken = new URLSearchParams(body).get("logout_token");
    if (logoutToken !== null) {
      // 400: the client does not accept this logout, which is final.
      if (isTaken(answer) || answer.status === 400) this.logoutTokens.push(logoutToken);
      return;
    }
    if (url === hook) this.#checkSignature(headers, body);
    const parsed = JSON.parse(body) as Record<string, unknown>;
    const event = { id: headers["webhook-id"] ?? "", type: String(parsed["type"]), body: parsed };
    this.arrived.push(event);
    if (isTaken(answer)) this.delivered.push(event);
  }

  /** By the present secret alone (Standard Webhooks); after a change, also by the one before. */
  #checkSignature(headers: Record<string, string>, body: string): void {
    const { secret, rotatedAt } = this.webhook;
    if (time.now() < rotatedAt + 60_000 || secret.all.length > 1 || !this.clockHasBeenRight) return;
    const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
    const key = Buffer.from((secret.all[0] ?? "").replace("whsec_", ""), "base64");
    const signature = `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
    const all = headers["webhook-signature"]?.split(" ") ?? [];
    // What a receiver throws is only another failed attempt.
    if (!all.includes(signature)) this.violation ??= new Violation("O5", "an event without a valid signature");
    if (all.length > 1) this.violation ??= new Violation("O1", "an event was signed by a secret that has ended");
  }

  /** O10: all lock in one order, but sweeps (docs/decisions/0049). */
  #noteCircle(labels: string[]): void {
    this.note(`a circle of ${labels.join(", ")}`);
    if (labels.some((label) => label.startsWith("sweep"))) return;
    this.violation ??= new Violation("O10", `these wait for each other: ${labels.join(", ")}`);
  }

  /** Now, or at some time since. */
  #commitsMayFail(since = time.now() - longestCall): boolean {
    const { failingCommits, fullUntil, hangsUntil } = this.faults;
    // Only PostgreSQL gives up while it hangs.
    const until = Math.max(fullUntil, this.#commitsFailedAt, this.#cluster ? hangsUntil : 0);
    return failingCommits > 0 || until > since;
  }

  #noteServerError(sent: Sent, got: Got, from: number): never {
    // Nobody knows what was done before.
    if (this.#commitsMayFail(from) || this.node.owner.isDead) throw new Lost("the service failed");
    throw new Violation("O10", `${sent.method} ${sent.path} answered ${got.status} without a fault`);
  }

  #noteError(message: string, error: unknown): void {
    if (this.#commitsMayFail() || !this.node || this.node.owner.isDead) return;
    this.logged.push(`${message}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }
}

/** The time in an id, in the ten digits of a base of 32 after its prefix. */
export function writtenAt(id: string): number {
  const digits = "0123456789abcdefghjkmnpqrstvwxyz";
  const [, time = ""] = /_(.{10})/u.exec(id) ?? [];
  return [...time].reduce((sum, digit) => sum * 32 + digits.indexOf(digit), 0);
}

/** A path without what a generator drew. */
function withoutIds(path: string): string {
  const [before = ""] = path.split("?");
  return before.replaceAll(/[^/]{20,}/gu, "…");
}

/** All else is as it is without a setting. */
function configIn(dataDir: string, url: string | undefined): Config {
  const { config } = loadConfig({ flags: { data: dataDir }, env: {}, cwd: dataDir });
  return {
    ...config,
    baseUrl: origin,
    console: { host: "127.0.0.1", port: 8090, baseUrl: consoleOrigin },
    trustedProxies: [proxyAddress],
    forwardAuth: { host: "127.0.0.1", port: 8091, tls: undefined, plain: false },
    database: { url, poolSize: 4 },
    // On SQLite, it makes its own.
    masterKey: url === undefined ? undefined : hash("sha256", "the master key of simulations", "base64url"),
    // What it sends goes to `Outside.transport`.
    mail: {
      server: { host: "mail.example", port: 25, user: undefined, password: undefined, tls: "none" },
      from: { name: undefined, address: "service@example.org" },
    },
    mailsPerHour: 2000,
    passwords: { ...config.passwords, memoryKiB: 8, iterations: 1, queueSize: 1000, puzzleAfter: 0 },
    rateLimits: {
      authentication: unlimited,
      userManagement: unlimited,
      applicationManagement: unlimited,
      webhooks: unlimited,
    },
    metrics: undefined,
    log: { ...config.log, level: "silent", requests: "errors" },
  };
}
