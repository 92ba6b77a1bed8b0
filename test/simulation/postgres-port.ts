/** Stands between a node and PostgreSQL, in the place of its sockets: holds and cuts. */
import { EventEmitter } from "node:events";
import { connect } from "node:net";
import { Connection } from "pg";
import type { Generator } from "./generator.ts";
import type { Faults } from "./faults.ts";
import { outsider, type Server, type Session } from "./postgres-server.ts";
import { time, type Owner } from "./time.ts";

export type PostgresPort = {
  server: Server;
  node: string;
  generator: Generator;
  faults: Faults;
  note: (line: string) => void;
  reached: (situation: string) => void;
  wires: Set<Wire>;
};

const ports = new WeakMap<Owner, PostgresPort>();
/** The server's, in virtual time (`src/storage/postgres/hosts.ts`). */
const statementMilliseconds = 7500;

/** From now on the connections of `owner` go through `port`. */
export function openPort(owner: Owner, port: PostgresPort): void {
  ports.set(owner, port);
}

/** The process has died: the server notices it. */
export async function closePort(owner: Owner): Promise<void> {
  for (const wire of ports.get(owner)?.wires ?? []) await wire.leave();
}

const connection = Connection.prototype as unknown as { stream: unknown; connect(...to: unknown[]): void };
const connectForReal = connection.connect;
connection.connect = function connectThroughPort(this: typeof connection, ...to: unknown[]) {
  const owner = time.owner();
  const port = owner && ports.get(owner);
  if (port) this.stream = new Wire(port);
  else if (owner !== outsider) throw new Error("a connection that belongs to no node");
  connectForReal.apply(this, to);
};

/** What node-postgres uses of a socket. */
class Wire extends EventEmitter {
  writable = true;
  destroyed = false;
  readonly #port: PostgresPort;
  readonly #name: string;
  readonly #session: Session;
  #written: Buffer = Buffer.alloc(0);
  #sent: Unit[] = [];
  #onSent = (): void => {};
  #received: Buffer[] = [];
  #onAnswered = (): void => {};

  constructor(port: PostgresPort) {
    super();
    this.#port = port;
    port.wires.add(this);
    this.#name = `${port.node}/${port.wires.size}`;
    this.#session = {
      node: port.node,
      socket: undefined,
      pid: 0,
      answered: Promise.resolve(),
      isAnswered: true,
      isInTransaction: false,
      isAbandoned: false,
      wasChosen: false,
      label: "",
    };
  }

  setNoDelay(): void {}
  setKeepAlive(): void {}
  ref(): void {}
  unref(): void {}
  cork(): void {}
  uncork(): void {}

  connect(...to: [string] | [number, string]): void {
    void this.#live(to);
  }

  write(bytes: Buffer, done?: () => void): boolean {
    this.#written = Buffer.concat([this.#written, bytes]);
    for (;;) {
      const unit = firstUnit(this.#written, this.#session.pid === 0);
      if (!unit) break;
      this.#written = this.#written.subarray(unit.bytes.length);
      this.#sent.push(unit);
    }
    this.#onSent();
    if (done) process.nextTick(done);
    return true;
  }

  end(): void {
    if (this.#sent.every(({ label }) => label !== "end")) this.destroy();
  }

  destroy(error?: Error): this {
    if (this.destroyed) return this;
    this.#isOver();
    void this.#port.server.leave(this.#session);
    process.nextTick(() => {
      if (error) this.emit("error", error);
      this.emit("close");
    });
    return this;
  }

  async leave(): Promise<void> {
    this.#isOver();
    await this.#port.server.leave(this.#session);
  }

  #isOver(): void {
    this.destroyed = true;
    this.writable = false;
  }

  /** What is sent goes one after the other: each waits for the answer to the one before. */
  async #live(to: [string] | [number, string]): Promise<void> {
    const { generator, faults, reached } = this.#port;
    await this.#hold();
    if (this.destroyed) return;
    this.#open(to);
    this.emit("connect");
    for (;;) {
      const unit = await this.#next();
      await this.#hold();
      if (this.destroyed) return;
      if (unit.label === "end") return void this.destroy();
      const isCut = unit.label === "COMMIT" && generator.chance(faults.failingCommits);
      const isTooLate = isCut && generator.chance(0.5);
      if (isCut) this.#port.note(`${this.#name} is cut ${isTooLate ? "after" : "before"} its commit`);
      if (isCut && !isTooLate) return void this.destroy(connectionReset());
      const answer = await this.#ask(unit);
      if (isTooLate) reached("COMMIT whose answer was lost");
      if (isTooLate) return void this.destroy(connectionReset());
      if (generator.chance(0.3)) await this.#hold();
      if (this.destroyed) return;
      this.emit("data", answer);
      if (this.#session.socket?.destroyed) return void this.destroy();
    }
  }

  /** A statement takes a moment at least, so that each begins with a step of its own. */
  async #hold(): Promise<void> {
    const { generator, faults } = this.#port;
    await time.pause(1 + (faults.slow > 0 && generator.chance(0.3) ? generator.wait(faults.slow) : 0));
    while (faults.hangsUntil > time.now()) await time.pause(faults.hangsUntil - time.now());
  }

  async #next(): Promise<Unit> {
    while (this.#sent.length === 0) await new Promise<void>((resolve) => (this.#onSent = resolve));
    return this.#sent.shift() as Unit;
  }

  async #ask({ label, bytes }: Unit): Promise<Buffer> {
    const { server, note } = this.#port;
    const session = this.#session;
    const { promise, resolve } = Promise.withResolvers<void>();
    session.isAnswered = false;
    session.label = label;
    session.answered = promise;
    this.#onAnswered = () => {
      session.isAnswered = true;
      resolve();
    };
    const tooLong = setTimeout(() => void server.cancel(session), statementMilliseconds);
    await server.run(session, () => session.socket?.write(withoutTimeOuts(bytes)));
    clearTimeout(tooLong);
    const { answer, said } = answerOf(Buffer.concat(this.#received), session.wasChosen);
    session.wasChosen = false;
    this.#received = [];
    note(`${this.#name} ${label}: ${said}`);
    return answer;
  }

  #open(to: [string] | [number, string]): void {
    const socket = connect(...(to as [string]));
    this.#session.socket = socket;
    socket.on("data", (chunk: Buffer) => {
      this.#received.push(chunk);
      const whole = this.#received.length === 1 ? chunk : Buffer.concat(this.#received);
      this.#received = [whole];
      const end = endOf(whole);
      if (end === undefined) return;
      this.#session.pid ||= pidIn(whole);
      // I: no transaction. E: one that has failed, and holds nothing.
      this.#session.isInTransaction = end === "T";
      this.#onAnswered();
    });
    socket.on("error", () => {});
    socket.on("close", () => this.#onAnswered());
  }
}

function connectionReset(): Error {
  return Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
}

type Unit = { bytes: Buffer; label: string };

/** Everything up to what asks for an answer. `label` names it without what the run decides. */
function firstUnit(written: Buffer, isStart: boolean): Unit | undefined {
  if (written.length < 5) return undefined;
  if (isStart) return written.length < written.readInt32BE(0) ? undefined : { bytes: written, label: "start" };
  let label = "";
  for (let at = 0; at + 5 <= written.length;) {
    const end = at + 1 + written.readInt32BE(at + 1);
    if (end > written.length) return undefined;
    const type = String.fromCharCode(written[at] ?? 0);
    const texts = written.toString("latin1", at + 5, end).split("\0", 2);
    if (type === "Q") label = kindOf(texts[0] ?? "");
    if (type === "P" && texts[0] === "") label = kindOf(texts[1] ?? "");
    if (type === "B" && texts[1] !== "") label = texts[1] ?? "";
    if (type === "X") label = "end";
    if (type === "Q" || type === "S" || type === "X") return { bytes: written.subarray(0, end), label };
    at = end;
  }
  return undefined;
}

function kindOf(text: string): string {
  const [, verb = ""] = /^\s*(\w+)/u.exec(text) ?? [];
  const [, table = ""] = /\b(?:from|into|update) "?(\w+)/iu.exec(text) ?? [];
  return `${verb} ${table}`.trim();
}

/** They count real time: `statementMilliseconds` has their place. */
function withoutTimeOuts(bytes: Buffer): Buffer {
  const text = bytes.toString("latin1");
  const lifted = text.replace(
    /(SET (?:statement_timeout|idle_in_transaction_session_timeout) = )(\d+)/u,
    (_, set: string, value: string) => set + "0".padEnd(value.length),
  );
  return lifted === text ? bytes : Buffer.from(lifted, "latin1");
}

type Message = { type: string; at: number; end: number };

function messagesOf(bytes: Buffer): Message[] {
  const messages: Message[] = [];
  for (let at = 0; at + 5 <= bytes.length;) {
    const end = at + 1 + bytes.readInt32BE(at + 1);
    messages.push({ type: String.fromCharCode(bytes[at] ?? 0), at: at + 5, end });
    at = end;
  }
  return messages;
}

/** Whether a transaction is open (T); undefined if more of the answer is to come. */
function endOf(bytes: Buffer): string | undefined {
  const at = bytes.length - 6;
  return at >= 0 && bytes[at] === 0x5a && bytes.readInt32BE(at + 1) === 5
    ? bytes.toString("latin1", at + 5)
    : undefined;
}

function pidIn(bytes: Buffer): number {
  const key = messagesOf(bytes).find(({ type }) => type === "K");
  return key ? bytes.readInt32BE(key.at) : 0;
}

/**
 * The answer, and what it says without what differs from run to run. Whoever was chosen to leave a
 * circle hears what the server would have said.
 */
function answerOf(bytes: Buffer, wasChosen: boolean): { answer: Buffer; said: string } {
  const answer = wasChosen
    ? Buffer.from(bytes.toString("latin1").replace("\0C57014\0", "\0C40P01\0"), "latin1")
    : bytes;
  const said = messagesOf(answer).flatMap(({ type, at, end }) => {
    if (type === "C") return [answer.toString("latin1", at, end - 1)];
    return type === "E" ? [`error ${/\0C(\w{5})\0/u.exec(answer.toString("latin1", at, end))?.[1] ?? ""}`] : [];
  });
  return { answer, said: said.join(", ") };
}
