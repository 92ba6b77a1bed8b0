/** The servers that are told of events and ended logins: what arrived, and what they answered. */
import type { Message } from "../../src/records/webhooks/sender.ts";
import type { AttemptOutcome } from "../../src/records/webhooks/delivery.ts";
import type { Faults } from "./faults.ts";
import type { Generator } from "./generator.ts";
import { time } from "./time.ts";

/** `status` null: no answer in time. `retryAfter`: in milliseconds. */
export type Answer = { status: number | null; retryAfter?: number };

/** Something that arrived, and how it was answered; undefined: not yet, or the connection broke. */
export type Arrived = Message & { at: number; answer?: Answer };

/** A receiver that looks at what it gets. */
export type Listening = (arrived: Arrived) => Answer;

const second = 1000;
/** A sender waits no longer. */
const patience = 15 * second;

/** None of them ends an event: it arrives later (docs/webhooks.md). */
export const refusals = (chances: Generator): Answer =>
  chances.pick<Answer>([
    { status: 500 },
    { status: 503, retryAfter: 20 * second },
    { status: 400 },
    { status: 404 },
    { status: 429, retryAfter: chances.pick([0, 10, 60, 400]) * second },
    { status: 302 },
    { status: null },
  ]);

export class Receivers {
  readonly #generator: Generator;
  readonly #faults: Faults;
  readonly #listening = new Map<string, Listening>();

  constructor(generator: Generator, faults: Faults) {
    this.#generator = generator;
    this.#faults = faults;
  }

  listen(url: string, listening: Listening): void {
    this.#listening.set(url, listening);
  }

  /** `onAnswer` gets what nobody waited for, once answered. Throws if `signal` cuts it off. */
  async receive(
    message: Message,
    signal: AbortSignal | undefined,
    onAnswer: (arrived: Arrived) => void,
  ): Promise<AttemptOutcome> {
    const at = time.now();
    const { url, body } = message;
    const usual = (): Answer =>
      this.#generator.chance(this.#faults.failingReceiver) ? refusals(this.#generator) : { status: 200 };
    await time.pause(10 + this.#generator.wait(40));
    const arrived: Arrived = { ...message, at };
    const own = this.#listening.get(url);
    const answer = own ? own(arrived) : usual();
    const { status, retryAfter } = answer;
    if (status === null) await cutOff(signal);
    if (signal?.aborted) throw new Error("cut off");
    arrived.answer = answer;
    if (!own) onAnswer(arrived);
    const delivered = isTaken(answer);
    return {
      at,
      durationMilliseconds: time.now() - at,
      status,
      error: delivered ? null : `status ${status}`,
      // Some receivers repeat what they got.
      response: status === null ? "" : body.slice(0, 1024),
      delivered,
      gone: status === 410,
      retryAfterMilliseconds: delivered ? undefined : retryAfter,
    };
  }
}

export function isTaken({ status }: Answer): boolean {
  return status !== null && status >= 200 && status < 300;
}

async function cutOff(signal: AbortSignal | undefined): Promise<void> {
  const aborted = new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()));
  await Promise.race([time.pause(patience), aborted]);
}
