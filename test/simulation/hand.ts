/** An operator's hand: each act at the console by a browser that has just used the passkey. */
import * as operators from "../../src/operators/service.ts";
import type { OperatorRole } from "../../src/storage/column-types.ts";
import { filled } from "../console/support-forms.ts";
import { attest, type SoftPasskey } from "../support/authenticator.ts";
import { choose } from "../support/invites.ts";
import { signInTo } from "../support/operators.ts";
import { askedBy, askOptions, post } from "../support/passkey-ceremonies.ts";
import { Visitor, type Page } from "../support/person.ts";
import type { Generator } from "./generator.ts";
import { newPasskey } from "./key-pairs.ts";
import { consoleOrigin } from "./node.ts";
import { askedAgain } from "./resident.ts";
import { time } from "./time.ts";
import { Lost, type World } from "./world.ts";

const inviter = { actor: { kind: "cli", name: "inviter" } } as const;
/** A passkey counts as fresh for ten minutes. */
const isFreshFor = 8 * 60_000;

export class Hand {
  readonly world: World;
  readonly id: string;
  readonly email: string;
  readonly #passkey: SoftPasskey;
  #visitor: Visitor | undefined;
  #provenAt = 0;
  /** Browsers of before, and when they used the passkey. */
  readonly #earlier: { visitor: Visitor; provenAt: number }[] = [];

  private constructor(world: World, { id, email, passkey }: { id: string; email: string; passkey: SoftPasskey }) {
    this.world = world;
    this.id = id;
    this.email = email;
    this.#passkey = passkey;
  }

  /** `appIds` empty: of all applications. */
  static async invited(
    world: World,
    chances: Generator,
    input: { email: string; role: OperatorRole; appIds?: string[] },
  ): Promise<Hand> {
    const wanted = { name: null, ...input };
    const made = await world.operate(async (ctx) => await operators.invite(ctx, wanted, { link: true }, inviter));
    const visitor = new Visitor();
    const ceremony = { visitor, page: await choose(made.link ?? "", "passkey", visitor), form: "/add/passkey" };
    const options = await askOptions(ceremony);
    const passkey = newPasskey(chances, options.user?.id ?? "");
    await post(ceremony, attest(passkey, askedBy(world.service, options)));
    return new Hand(world, { id: made.id ?? "", email: input.email, passkey });
  }

  get actor(): string {
    return `operator:${this.id}`;
  }

  /** A new browser; its answer may be that nobody is let in. */
  async signIn(): Promise<Page> {
    if (this.#visitor) this.#earlier.push({ visitor: this.#visitor, provenAt: this.#provenAt });
    const visitor = new Visitor();
    const first = await visitor.get(`${consoleOrigin}/console/overview`);
    const page = await signInTo(this.world.service, first, { passkey: this.#passkey }, visitor).catch(
      (error: unknown) => {
        // The first call came twice, and the browser has the cookie of the other sign-in.
        if (!String(error).includes("cannot be used by this browser")) throw error;
        throw new Lost("the browser is in another sign-in");
      },
    );
    this.#visitor = visitor;
    this.#provenAt = time.now();
    return page;
  }

  /** A page of the console, without "/console". */
  async open(path: string): Promise<Page> {
    const isFresh = time.now() < this.#provenAt + isFreshFor && this.world.clockWasRight(this.#provenAt);
    if (!this.#visitor || !isFresh) await this.signIn();
    const page = await askedAgain(async () => await this.#at.get(`${consoleOrigin}/console${path}`));
    // A call that arrived twice has used a code twice, which ends the session.
    if (page.status === 303 && !page.location.pathname.startsWith("/console/")) {
      this.#visitor = undefined;
      throw new Lost("the console asks to sign in");
    }
    return page;
  }

  get #at(): Visitor {
    if (!this.#visitor) throw new Lost("nobody is signed in");
    return this.#visitor;
  }

  /** Opens a page and presses a button there, with what its form has. */
  async press(path: string, form: string, values: Record<string, string> = {}, boxes = ""): Promise<Page> {
    const page = await this.open(path);
    if (page.status !== 200) return page;
    return await this.submit(page, form, values, boxes);
  }

  /** `boxes`: of this field, only those in `values` are chosen. */
  async submit(page: Page, form: string, values: Record<string, string> = {}, boxes = ""): Promise<Page> {
    const shown = Object.entries(filled(page, form));
    const kept = shown.filter(([name]) => boxes === "" || !name.startsWith(`${boxes}.`));
    const done = await this.#at.post(new URL(page.form(form).action, page.url).href, {
      ...Object.fromEntries(kept),
      ...values,
    });
    this.world.note(`the console: ${form.replaceAll(/[a-z]{3}_\w+/gu, "…")}: ${done.status}`);
    if (done.status === 303 && !done.location.pathname.startsWith("/console/")) throw new Lost("asked to sign in");
    return done;
  }

  /** A page, also if it asks to sign in. */
  async look(path: string): Promise<Page> {
    return await this.#at.get(`${consoleOrigin}/console${path}`);
  }

  /** A form with whatever it was given, also its token. */
  async postAs(path: string, values: Record<string, string>): Promise<Page> {
    return await this.#at.post(`${consoleOrigin}/console${path}`, values);
  }

  /** What no page has a form for, with the token of one that there is. */
  async post(path: string, values: Record<string, string>): Promise<Page> {
    const page = await this.open("/overview");
    return await this.#at.post(`${consoleOrigin}/console${path}`, { ...page.form("/sign-out").fields, ...values });
  }

  /** By a browser that used the passkey more than ten minutes ago; undefined: there is none. */
  async postLate(path: string, values: Record<string, string>): Promise<Page | undefined> {
    const [from, to] = [time.now() - 50 * 60_000, time.now() - 11 * 60_000];
    const late = this.#earlier.findLast(({ provenAt }) => provenAt > from && provenAt < to);
    if (!late || !this.world.clockWasRight(late.provenAt)) return undefined;
    const page = await late.visitor.get(`${consoleOrigin}/console/overview`);
    if (page.status !== 200) throw new Lost("the console asks to sign in");
    return await late.visitor.post(`${consoleOrigin}/console${path}`, { ...page.form("/sign-out").fields, ...values });
  }
}
