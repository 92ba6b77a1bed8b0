/** An endpoint of webhooks as its server knows it: what it must be, be told, and be listed as. */
import { createHmac } from "node:crypto";
import type { DeliveryAnswer } from "../../src/records/webhooks/deliveries.ts";
import { Violation, type RegisteredEndpoint } from "./model.ts";
import { isTaken, type Answer, type Arrived } from "./receivers.ts";
import type { Resident } from "./resident.ts";
import { time } from "./time.ts";

const second = 1000;
const minute = 60 * second;
/** What is under way is over by then, whatever the database does. */
const settled = minute;
/** The least waits after attempts (docs/webhooks.md). */
const waits = [5 * second, 5 * minute, 30 * minute, 120 * minute].map((wait) => 0.8 * wait);

/** An event that must be told: when it happened, and about whom. */
export type Fact = {
  event: string;
  userId: string | null;
  email: string | null;
  authMethod: string | null;
  from: number;
  to: number;
  /** The endpoint may have been disabled by then. */
  mayLack?: boolean;
};

type Body = { event: string; timestamp: string; data: Record<string, string | null> };
type Seen = Arrived & { id: string; told: Body };

function isSample(id: string): boolean {
  return id.startsWith("evt_test_");
}

export class KnownEndpoint implements RegisteredEndpoint {
  readonly #me: Resident;
  readonly id: string;
  events: Set<string>;
  enabled = true;
  isDeleted = false;
  /** What must arrive, in the order in which it happened. */
  readonly expected: Fact[] = [];
  readonly entries = new Map<string, number>();
  /** When it was tested. */
  readonly tests: number[] = [];
  /** What it answers; undefined: that all is well. */
  answers: (() => Answer) | undefined;
  /** It may be disabled by what it answers, and has answered so. */
  mayGo = false;
  hasGone = false;
  /** Its server has moved away; `isKnown`: and everything of it is known. */
  isLeft = false;
  isKnown = false;
  readonly seen: Seen[] = [];
  #url: string;
  #movedAt = 0;
  #disabledReason: string | null = null;
  /** All that it may sign with: the first is the present one. */
  #secrets: string[];
  #old: { secret: string; from: number; to: number } | undefined;
  #rotatedAt = 0;
  readonly #everTold: Set<string>;
  readonly #forgotten = new Map<string | null, number>();
  #quietSince = Infinity;
  #againAt = 0;
  #freshSince = time.now();
  #rests = { from: 0, until: 0 };

  constructor(me: Resident, given: { id: string; url: string; events: readonly string[]; secret: string }) {
    this.#me = me;
    this.id = given.id;
    this.#url = given.url;
    this.events = new Set(given.events);
    this.#everTold = new Set(given.events);
    this.#secrets = [given.secret];
    this.#listenAt(given.url);
    me.world.endpoints.push(this);
  }

  #listenAt(url: string): void {
    this.#me.world.receivers.listen(url, (arrived) => this.#hear(arrived));
  }

  leaves(action: string, fields: readonly string[] = []): void {
    const line = [action, ...fields.toSorted()].join(" ");
    this.entries.set(line, (this.entries.get(line) ?? 0) + 1);
  }

  isNow(state: { enabled: boolean; disabledReason: string | null }): void {
    this.enabled = state.enabled;
    this.#disabledReason = state.disabledReason;
    this.#quietSince = state.enabled ? Infinity : time.now();
    if (state.enabled) this.#freshSince = time.now();
  }

  forget(userId: string): void {
    this.#forgotten.set(userId, time.now());
  }

  sendsAgain(): void {
    this.#againAt = time.now();
  }

  arrivedSince(from: number): Set<string> {
    return new Set(this.seen.filter(({ at }) => at >= from).map(({ id }) => id));
  }

  async removing<Result>(act: () => Promise<Result>): Promise<Result> {
    const result = await act();
    this.isDeleted = true;
    this.#quietSince = time.now();
    return result;
  }

  /** Throws what the act throws; then nobody knows. */
  async changing<Result>(wanted: Record<string, unknown>, act: () => Promise<Result>): Promise<Result> {
    const { url, events, enabled, secret, secretOverlapSeconds = 86_400 } = wanted;
    const from = time.now();
    if (typeof url === "string") this.#listenAt(url);
    if (typeof secret === "string") {
      this.#rotatedAt = Infinity;
      this.#secrets.unshift(secret);
    }
    if (enabled === true) this.isNow({ enabled: true, disabledReason: null });
    for (const event of (events as string[] | undefined) ?? []) this.#everTold.add(event);
    const result = await act();
    if (events !== undefined) this.events = new Set(events as string[]);
    if (enabled === true) this.isNow({ enabled: true, disabledReason: null });
    if (enabled === false && this.enabled) this.isNow({ enabled: false, disabledReason: "operator" });
    if (typeof url === "string") {
      this.#url = url;
      this.#movedAt = time.now();
      this.#freshSince = time.now();
    }
    if (typeof secret === "string") {
      const [, before = ""] = this.#secrets;
      const lasts = Number(secretOverlapSeconds) * second;
      this.#old = lasts === 0 ? undefined : { secret: before, from: from + lasts, to: time.now() + lasts };
      this.#rotatedAt = time.now();
    }
    return result;
  }

  /** Its answer, whole. */
  mustBe(answer: Record<string, unknown>): void {
    const { createdAt, updatedAt, failingSince, oldSecretUntil, events, ...rest } = answer;
    const is = JSON.stringify({ ...rest, events: ((events ?? []) as string[]).toSorted() });
    const should = JSON.stringify({
      id: this.id,
      appId: this.#me.app.id,
      url: this.#url,
      enabled: this.enabled,
      disabledReason: this.#disabledReason,
      events: [...this.events].toSorted(),
    });
    this.#me.must("O4", is === should, `an endpoint is ${is} instead of ${should}`);
    this.#me.must("O4", !Number.isNaN(Date.parse(createdAt as string)), "an endpoint without its time");
    this.#me.must("O4", String(updatedAt) >= String(createdAt), "an endpoint was changed before it was made");
    const until = oldSecretUntil === null ? undefined : Date.parse(oldSecretUntil as string);
    const { from = 0, to = 0 } = this.#old ?? {};
    const isRight = until === undefined ? time.now() >= from - second : until >= from && until <= to;
    this.#me.must("O1", isRight, `the former secret signs until ${until}, and not until ${to}`);
    const fails = this.#fails();
    if (fails !== undefined)
      this.#me.must("O5", (failingSince !== null) === fails, `failingSince is ${String(failingSince)}: ${fails}`);
  }

  hasForgotten(userId: string | null): boolean {
    return this.#forgotten.has(userId);
  }

  /** Whether it fails, by its last answers; undefined if they are too close to each other. */
  #fails(): boolean | undefined {
    const seen = this.seen.filter(({ id }) => !isSample(id));
    const [last, ...earlier] = seen.filter(({ at, answer }) => answer && at > this.#freshSince).toReversed();
    if (!last?.answer) return seen.some(({ at }) => at > this.#freshSince - settled) ? undefined : false;
    const { at, answer } = last;
    // It is disabled for that, and not said to fail.
    if (answer.status === 410) return undefined;
    if (at > time.now() - settled / 3 || !this.#me.world.wasCalm(this.#freshSince)) return undefined;
    if (earlier.some((each) => each.at > at - settled && isTaken(each.answer ?? answer) !== isTaken(answer)))
      return undefined;
    return seen.some((each) => !each.answer && each.at > at - settled) ? undefined : !isTaken(answer);
  }

  #isWrong(oracle: string, message: string): void {
    const { world, begun, name } = this.#me;
    if (world.clockWasRight(begun)) world.violation ??= new Violation(oracle, `${name}: ${this.id} ${message}`);
  }

  #hear(arrived: Arrived): Answer {
    if (this.isLeft && !this.isKnown) return { status: 200 };
    const seen: Seen = Object.assign(arrived, {
      id: arrived.headers["webhook-id"] ?? "",
      told: JSON.parse(arrived.body) as Body,
    });
    this.#checkMessage(seen);
    if (!isSample(seen.id)) this.#checkTime(seen);
    this.seen.push(seen);
    const answer = this.answers?.() ?? { status: 200 };
    if (answer.status === 410 && !isSample(seen.id)) this.hasGone = this.mayGo;
    if (answer.retryAfter !== undefined && !isSample(seen.id))
      this.#rests = { from: time.now(), until: time.now() + Math.min(answer.retryAfter, 10 * minute) };
    return answer;
  }

  #checkMessage({ id, told, body, headers }: Seen): void {
    const now = time.now();
    const keys = [Object.keys(told), Object.keys(told.data)].map((each) => each.toSorted().join());
    if (keys.join(" ") !== "data,event,timestamp authMethod,email,ipAddress,sessionId,userAgent,userId")
      this.#isWrong("O5", `was told ${body}`);
    const timestamp = headers["webhook-timestamp"] ?? "";
    if (Math.abs(Number(timestamp) * second - now) > settled) this.#isWrong("O5", `got the time ${timestamp}`);
    const signed = this.#secrets.map((secret) => {
      const key = Buffer.from(secret.replace("whsec_", ""), "base64");
      return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
    });
    const by = (headers["webhook-signature"] ?? "").split(" ").map((each) => signed.indexOf(each));
    if (by.includes(-1)) this.#isWrong("O5", "got a signature of nobody");
    if (now < this.#rotatedAt + settled) return;
    const { secret = "", from = 0, to = 0 } = this.#old ?? {};
    const old = this.#secrets.indexOf(secret);
    if (old !== -1 && now > from && now < to + settled) return;
    const should = old !== -1 && now <= from ? [0, old] : [0];
    if (by.join() !== should.join()) this.#isWrong("O1", `was signed by the secrets ${by.join()}`);
  }

  /** Neither too early, nor although it is disabled, deleted or elsewhere. */
  #checkTime({ id, told, url, at, body }: Seen): void {
    const now = time.now();
    const { world } = this.#me;
    const { userId = null, email } = told.data;
    if (!this.#everTold.has(told.event)) this.#isWrong("O5", `was told of ${told.event}`);
    if (now > this.#quietSince + settled) this.#isWrong("O5", `was told of ${told.event} although it is off`);
    if (url !== this.#url && this.#movedAt > 0 && now > this.#movedAt + settled && url !== "")
      this.#isWrong("O5", `was told at its former address`);
    if (email !== null && now > (this.#forgotten.get(userId) ?? Infinity) + settled)
      this.#isWrong("O11", `was told of somebody who is deleted: ${body}`);
    const { from, until } = this.#rests;
    if (at > from + 2 * second && at < until - second && world.wasCalm(from) && world.nodes.length === 1)
      this.#isWrong("O7", `was told of ${id} ${until - at} ms before it may be asked again`);
    const before = this.seen.filter((each) => each.id === id && each.at > this.#againAt);
    const last = before.at(-1);
    // After a crash, the service knows of fewer attempts.
    if (!last?.answer || !world.wasCalm(before[0]?.at ?? 0) || this.#againAt > last.at - settled) return;
    if (isTaken(last.answer)) this.#isWrong("O5", `was told of ${id} again`);
    const wait = Math.max(waits[before.length - 1] ?? 0, last.answer.retryAfter ?? 0);
    if (at < last.at + wait) this.#isWrong("O7", `was told of ${id} again after ${at - last.at} ms`);
  }

  mustHaveTested(body: Record<string, unknown>, event: string | undefined): void {
    const seen = this.seen.findLast(({ id }) => id === body["eventId"]);
    this.#me.must("O5", seen?.answer !== undefined, `a test of an endpoint did not arrive: ${JSON.stringify(body)}`);
    if (!seen?.answer) return;
    const [status, delivered] = [seen.answer.status, isTaken(seen.answer)];
    const kind = event ?? [...this.events].find((each) => each === body["event"]);
    const [is, should] = [
      [body["status"], body["delivered"], body["event"], body["error"] === null],
      [status, delivered, kind, delivered],
    ].map((each) => JSON.stringify(each));
    this.#me.must("O5", is === should && seen.told.event === kind, `a test says ${is}, and it was ${should}`);
    this.#me.must("O5", isSample(seen.id), "a test looks like an event");
  }

  /** Deliveries, the newest first: all that happened, with the attempts that arrived. */
  mustList(rows: readonly DeliveryAnswer[]): void {
    const { must, world } = { must: this.#me.must.bind(this.#me), world: this.#me.world };
    const happenedAt = rows.map(({ timestamp }) => Date.parse(timestamp));
    const isListed = ({ from, to }: Fact): boolean => happenedAt.some((at) => at >= from && at <= to);
    const expected = this.expected.filter((fact) => !fact.mayLack || isListed(fact));
    const [is, should] = [rows.map(({ event }) => event).toReversed(), expected.map(({ event }) => event)];
    must("O5", is.join() === should.join(), `the deliveries are ${is.join()} instead of ${should.join()}`);
    for (const [at, { eventId, timestamp, status, attempts, nextAttemptAt }] of rows.toReversed().entries()) {
      const { from = 0, to = 0, userId = null } = expected[at] ?? {};
      const happened = Date.parse(timestamp);
      must("O5", happened >= from && happened <= to, `${eventId} is of ${timestamp}, and not of ${from} to ${to}`);
      const seen = this.seen.filter(({ id, answer }) => id === eventId && answer);
      for (const attempt of attempts) {
        const one = seen.find((each) => each.at === Date.parse(attempt.at));
        const isSame = one?.answer?.status === attempt.status && (attempt.error === null) === isTaken(one.answer);
        must("O5", isSame, `${eventId} is said to have been ${attempt.status} at ${attempt.at}`);
      }
      const isForgotten = this.#forgotten.has(userId);
      const isCalm = (since: number): boolean => since < time.now() - 5 * second && world.wasCalm(since);
      const missing = seen.find((each) => !attempts.some((attempt) => Date.parse(attempt.at) === each.at));
      must("O5", !missing || isForgotten || !isCalm(missing.at), `an attempt of ${eventId} is not listed`);
      const last = attempts.at(-1);
      const ended = { delivered: last?.error === null, failed: last?.status === 410, waiting: last?.error !== null };
      const isRight = ended[status] || this.#againAt > 0 || (last === undefined && isForgotten);
      must("O5", isRight, `${eventId} is ${status} after ${last?.status}`);
      must("O5", (nextAttemptAt === null) === (status !== "waiting"), `${eventId} is ${status} until ${nextAttemptAt}`);
    }
  }

  /** O5: once everything is quiet, each was taken under one id, and nothing else. */
  problem(): string | undefined {
    const isRight = this.#me.world.clockWasRight(this.#me.begun);
    const left = [...this.expected];
    const taken = new Map<string, Body>();
    for (const { id, answer, told } of this.seen) if (!isSample(id) && answer && isTaken(answer)) taken.set(id, told);
    for (const { event, timestamp, data } of taken.values()) {
      const happened = Date.parse(timestamp);
      const { userId = null, email = null, authMethod = null, sessionId, ipAddress = null, userAgent = null } = data;
      const isByServer = event !== "login.failed";
      const at = left.findIndex(
        (fact) =>
          fact.event === event &&
          fact.userId === userId &&
          (fact.email === email || (email === null && this.#forgotten.has(userId))) &&
          fact.authMethod === authMethod &&
          (!isRight || (fact.from <= happened && happened <= fact.to)),
      );
      const isOfSource = isByServer
        ? ipAddress === null || ipAddress === this.#me.ipAddress
        : ipAddress !== null && userAgent !== null;
      if (at === -1 || sessionId !== null || !isOfSource)
        return `was told of ${event} with ${JSON.stringify(data)}, which was not so`;
      left.splice(at, 1);
    }
    const gone = this.seen.filter(({ answer }) => answer?.status === 410).length;
    const lacking = left.filter(({ mayLack }) => !mayLack);
    const [missing] = lacking;
    if (!this.enabled || this.isDeleted || lacking.length <= gone || !missing) return undefined;
    return `was never told of ${missing.event} of ${missing.userId} at ${missing.from}`;
  }
}
