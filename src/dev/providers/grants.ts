import { minute, type Clock } from "../../lib/clock.ts";
import { newSecret, type Random } from "../../lib/random.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import type { Failure } from "./failures.ts";
import type { Person } from "./people.ts";

/** A person's consent at a stand-in. */
export type Grant = {
  provider: string;
  request: AuthorizationRequest;
  person: Person;
  failure: Failure | undefined;
};

const codesLast = minute;
const tokensLast = 10 * minute;
const most = 1000;

/** The codes and access tokens of all stand-ins, in memory; new ones displace the oldest. */
export class Grants {
  readonly #codes = new Map<string, Grant & { expiresAt: number }>();
  readonly #tokens = new Map<string, Grant & { expiresAt: number }>();
  readonly #seen = new Map<string, true>();
  readonly #clock: Clock;
  readonly #random: Random;

  constructor({ clock, random }: { clock: Clock; random: Random }) {
    this.#clock = clock;
    this.#random = random;
  }

  issueCode(grant: Grant): string {
    const code = newSecret(this.#random);
    remember(this.#codes, code, { ...grant, expiresAt: this.#clock() + codesLast });
    return code;
  }

  /** Works once, whatever the result. */
  consumeCode(provider: string, code: string): Grant | undefined {
    const grant = this.#codes.get(code);
    this.#codes.delete(code);
    return grant?.provider === provider && grant.expiresAt > this.#clock() ? grant : undefined;
  }

  issueToken(grant: Grant): string {
    const token = newSecret(this.#random);
    remember(this.#tokens, token, { ...grant, expiresAt: this.#clock() + tokensLast });
    return token;
  }

  findToken(provider: string, token: string): Grant | undefined {
    const grant = this.#tokens.get(token);
    return grant?.provider === provider && grant.expiresAt > this.#clock() ? grant : undefined;
  }

  /** Whether this subject agrees for the first time: only then Apple sends the name. */
  isFirstTime(subject: string): boolean {
    const isNew = !this.#seen.has(subject);
    remember(this.#seen, subject, true);
    return isNew;
  }
}

function remember<T>(memory: Map<string, T>, key: string, value: T): void {
  memory.set(key, value);
  const [oldest] = memory.keys();
  if (memory.size > most && oldest !== undefined) memory.delete(oldest);
}
