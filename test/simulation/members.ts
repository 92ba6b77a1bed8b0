/** Somebody of the club, who may have every method: what they have, did and were told. */
import type { SoftPasskey } from "../support/authenticator.ts";
import { codeAt } from "../support/factors.ts";
import { Visitor } from "../support/person.ts";
import { Ends, type Thing } from "./ends.ts";
import type { Generator } from "./generator.ts";
import { Possible, Violation } from "./model.ts";
import { time } from "./time.ts";

const totpStep = 30_000;

/** A login as the application got it. */
export type ClubLogin = Thing & { token: string; tokenUntil: number };

type HalfDone = Thing & { goOn: () => Promise<void> };

/** A browser of somebody. `trust`: not to be asked for a second factor there. */
export class Browser {
  readonly visitor = new Visitor();
  readonly chances: Generator;
  trust: Thing | undefined;
  /** Signed in to the account page. */
  account: Thing | undefined;

  constructor(chances: Generator) {
    this.chances = chances;
  }
}

export class Member {
  readonly name: string;
  readonly email: string;
  readonly ipAddress: string;
  readonly chances: Generator;
  readonly ends = new Ends();
  readonly password: Possible<string>;
  /** Whether it has worked, so that there is one. */
  knowsPassword = false;
  readonly passkeys: { passkey: SoftPasskey; is: Possible<"there" | "gone"> }[] = [];
  /** The key of the authenticator app; "": none. */
  readonly factor = new Possible("");
  /** Recovery codes that were shown and not certainly used. */
  recoveryCodes: string[] = [];
  readonly access = new Possible<"allowed" | "disabled">("allowed");
  userId: string | undefined;
  /** When a right password was last answered, which ends the count of wrong ones. */
  passwordTakenAt = 0;
  readonly browsers: readonly Browser[];
  logins: ClubLogin[] = [];
  /** A sign-in that waits for its second step. */
  halfDone: HalfDone | undefined;
  /** Secrets that certainly have worked, and may do so once. */
  readonly #used = new Set<string>();
  #count = 0;

  constructor(name: string, ipAddress: string, chances: Generator) {
    this.name = name;
    this.ipAddress = ipAddress;
    this.email = `${name}@example.org`;
    this.chances = chances;
    this.browsers = [1, 2].map((number) => new Browser(chances.fork(`browser ${number}`)));
    this.password = new Possible(this.newPassword());
  }

  newPassword(): string {
    this.#count += 1;
    return `the horse battery staple ${this.#count} of ${this.name}`;
  }

  usablePasskeys(): SoftPasskey[] {
    return this.passkeys.filter(({ is }) => is.isOnly("there")).map(({ passkey }) => passkey);
  }

  /** A code of an app, of a time step of which none has worked: waits for one. */
  async unusedCode(key: string): Promise<{ code: string; secret: string }> {
    const step = (): string => `the code of the time step ${Math.floor(time.now() / totpStep)}`;
    while (this.#used.has(step())) await time.pause(totpStep - (time.now() % totpStep));
    return { code: codeAt(key, time.now()), secret: step() };
  }

  /** O3: a secret has worked, which it may do once. */
  worked(secret: string): void {
    if (this.#used.has(secret)) throw new Violation("O3", `${secret} of ${this.name} worked twice`);
    this.#used.add(secret);
  }
}
