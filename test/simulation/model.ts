/** What was asked and answered, and what must therefore hold. It knows nothing of the code. */

/** A span of virtual time; `to` is undefined while nobody knows how it ended. */
type Span = { from: number; to: number | undefined };

export class Violation extends Error {
  readonly oracle: string;

  constructor(oracle: string, message: string) {
    super(`${oracle}: ${message}`);
    this.oracle = oracle;
  }
}

/** A login and its tokens, as its owner knows them. */
export class KnownLogin {
  readonly name: string;
  readonly userId: string;
  access: { token: string; expiresAt: number }[] = [];
  refresh: string;
  /** When each older refresh token was replaced. */
  readonly replaced = new Map<string, number>();
  /** The first attempt to end it, and the first answer that said that it has ended. */
  #end: Span | undefined;

  constructor(name: string, userId: string, refresh: string) {
    this.name = name;
    this.userId = userId;
    this.refresh = refresh;
  }

  isBeingEnded(at: number): void {
    this.#end ??= { from: at, to: undefined };
  }

  hasEnded(at: number): void {
    this.isBeingEnded(at);
    if (this.#end && this.#end.to === undefined) this.#end.to = at;
  }

  /** Whether it was over before `at`, for sure. */
  wasOver(at: number): boolean {
    return this.#end?.to !== undefined && this.#end.to <= at;
  }

  /** Whether nobody tried to end it before `at`. */
  wasUntouched(at: number): boolean {
    return this.#end === undefined || this.#end.from > at;
  }
}

/** The states that something may have, after acts whose outcome may be unknown. */
export class Possible<Value> {
  #values: Value[];

  constructor(value: Value) {
    this.#values = [value];
  }

  /** An act without an answer: both are possible. */
  maybe(value: Value): void {
    if (!this.#values.includes(value)) this.#values.push(value);
  }

  /** It is this and nothing else. */
  is(value: Value): void {
    this.#values = [value];
  }

  allows(value: Value): boolean {
    return this.#values.includes(value);
  }

  isOnly(value: Value): boolean {
    return this.#values.length === 1 && this.#values[0] === value;
  }

  get all(): readonly Value[] {
    return this.#values;
  }
}
