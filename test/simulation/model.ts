/** What was asked and answered, and what must therefore hold. It knows nothing of the code. */

import { time } from "./time.ts";

/** A span of virtual time; `to` is undefined while nobody knows how it ended. */
type Span = { from: number; to: number | undefined };

export class Violation extends Error {
  readonly oracle: string;

  constructor(oracle: string, message: string) {
    super(`${oracle}: ${message}`);
    this.oracle = oracle;
  }
}

/** What can end, and whether it has: a login, a code, a secret. */
export class Endable {
  /** The first attempt to end it, and the first answer that said that it has ended. */
  #end: Span | undefined;

  isBeingEnded(at: number): void {
    this.#end = { from: Math.min(this.#end?.from ?? at, at), to: this.#end?.to };
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

/** A login and its tokens, as its owner knows them. */
export class KnownLogin extends Endable {
  readonly name: string;
  readonly userId: string;
  access: { token: string; expiresAt: number }[] = [];
  refresh: string;
  /** When each older refresh token was replaced. */
  readonly replaced = new Map<string, number>();
  /** When each refresh token was first sent: an answer that was lost may have replaced it. */
  readonly sent = new Map<string, number>();

  constructor(name: string, userId: string, refresh: string) {
    super();
    this.name = name;
    this.userId = userId;
    this.refresh = refresh;
  }
}

/** The states that something may have, after acts whose outcome may be unknown. */
export class Possible<Value> {
  #values: Value[];
  #running = 0;
  #begun = 0;

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

  /**
   * An act gives it this value, or one that follows from what it was. `happened`: whether it did;
   * undefined if nobody knows. Throws what the act throws; then both are possible.
   */
  async changing<Result>(
    to: Value | ((before: Value) => Value),
    act: () => Promise<Result>,
    happened: (result: Result) => boolean | undefined,
  ): Promise<Result> {
    const after = (values: readonly Value[]): Value[] =>
      typeof to === "function" ? values.map(to as (before: Value) => Value) : [to];
    const before = this.#values;
    const watch = this.watch();
    this.#begun += 1;
    this.#running += 1;
    this.#values = [...new Set([...before, ...after(before)])];
    try {
      const result = await act();
      const did = happened(result);
      // Of two at once, nobody knows which was last.
      if (watch.isAlone(1) && did !== undefined) this.#values = did ? [...new Set(after(before))] : before;
      return result;
    } finally {
      this.#running -= 1;
      if (!watch.isAlone(1)) this.#values = [...new Set([...this.#values, ...after(this.#values)])];
    }
  }

  /** `isAlone`: whether nothing but `own` changes has begun or ended since. */
  watch(): { isAlone(own?: number): boolean } {
    const [begun, running] = [this.#begun, this.#running];
    return { isAlone: (own = 0) => running === 0 && this.#begun === begun + own };
  }
}

/** What people choose as their password, one after the other. */
export const passwords = [
  "correct horse battery staple",
  "another horse battery staple",
  "a third horse battery staple",
];

/** Somebody with an account, as they and the operators know it. */
export class KnownPerson {
  readonly name: string;
  readonly email: string;
  readonly ipAddress: string;
  readonly password = new Possible(passwords[0] ?? "");
  readonly shownName = new Possible<string | undefined>(undefined);
  /** Undefined until the account certainly exists. */
  userId: string | undefined;
  /** What operators did. */
  readonly access = new Possible<"allowed" | "disabled" | "deleted">("allowed");
  /** Since when an operator may have begun to change it. */
  touched: { ends: boolean; from: number; to: number | undefined }[] = [];
  logins: KnownLogin[] = [];
  readonly #graveyard: KnownLogin[];

  constructor(name: string, ipAddress: string, graveyard: KnownLogin[]) {
    this.name = name;
    this.ipAddress = ipAddress;
    this.email = `${name}@example.org`;
    this.#graveyard = graveyard;
  }

  /** Whether nobody touched the account between these moments, so that it may do what it could. */
  wasLeftAlone(from: number): boolean {
    return this.access.isOnly("allowed") && this.touched.every(({ to }) => to !== undefined && to < from);
  }

  bury(login: KnownLogin): void {
    login.hasEnded(time.now());
    this.logins = this.logins.filter((each) => each !== login);
    if (!this.#graveyard.includes(login)) this.#graveyard.push(login);
  }

  /** Whether the account certainly exists no more. */
  get isGone(): boolean {
    return this.access.isOnly("deleted");
  }

  /**
   * Somebody else changes what it may do. `exists` undefined: it was refused. `isAlone`: nobody
   * else did meanwhile. Throws if nobody knows whether it happened.
   */
  async beingChanged(
    { becomes, ends }: { becomes: "allowed" | "disabled" | "deleted" | undefined; ends: boolean },
    act: () => Promise<boolean | undefined>,
  ): Promise<{ exists: boolean | undefined; isAlone: boolean }> {
    const touch: KnownPerson["touched"][number] = { ends, from: time.now(), to: undefined };
    this.touched.push(touch);
    if (becomes !== undefined) this.access.maybe(becomes);
    if (ends) for (const login of this.logins) login.isBeingEnded(time.now());
    const known = [...this.logins];
    let exists: boolean | undefined;
    try {
      exists = await act();
    } catch (error) {
      // Nobody knows whether it happened.
      touch.ends = false;
      touch.to = time.now();
      throw error;
    }
    touch.to = time.now();
    const isAlone = this.touched.every((each) => each === touch || (each.to ?? Infinity) < touch.from);
    // Of two at once, nobody knows which was last; but nothing follows a deletion.
    if (exists === false || (exists && becomes === "deleted")) this.access.is("deleted");
    else if (exists && becomes !== undefined && isAlone) this.access.is(becomes);
    else if (exists === undefined) touch.ends = false;
    if (exists === false || (exists && ends)) for (const login of known) this.bury(login);
    return { exists, isAlone };
  }
}

/** An account that only the application's server and commands change. */
export class KnownAccount {
  readonly email: string;
  /** Undefined until the server knows it. */
  userId: string | undefined;
  readonly exists = new Possible(true);
  readonly name = new Possible<string | null>(null);
  /** What the server keeps about it. */
  readonly metadata = {
    plan: new Possible<number | undefined>(undefined),
    seat: new Possible<number | undefined>(undefined),
  };
  readonly groups = new Map<string, Possible<boolean>>();

  constructor(email: string) {
    this.email = email;
  }

  isIn(group: string): Possible<boolean> {
    const known = this.groups.get(group) ?? new Possible(false);
    this.groups.set(group, known);
    return known;
  }
}

/** Somebody who does one thing after the other, as the oracles know them (`resident.ts`). */
export type KnownResident = {
  readonly name: string;
  readonly app: { id: string };
  email: string;
  userId: string;
  /** Empty: none. */
  password: string;
  /** Whether the account may be deleted. */
  isGone: boolean;
  /** Whether nobody knows what the last act left. */
  isUnsure: boolean;
  /** What the acts must have left: entries of the log and events, and how many. */
  readonly left: ReadonlyMap<string, number>;
};

/** An organization of a founder (`firm.ts`), as the oracles know it. */
export type KnownFirm = {
  readonly id: string;
  name: string;
  /** Each event that it must have left, with all its fields. */
  readonly events: readonly string[];
  /** Whom a mail told of what. */
  readonly mails: readonly { to: string; about: string; since: number }[];
};

/** An endpoint of webhooks whose server knows all that it must be told. */
export type RegisteredEndpoint = {
  id: string;
  /** Until the end of its server's life. */
  isKnown: boolean;
  isDeleted: boolean;
  /** The entries that its changes left. */
  entries: ReadonlyMap<string, number>;
  /** What it was told wrongly, or never. */
  problem(): string | undefined;
};
