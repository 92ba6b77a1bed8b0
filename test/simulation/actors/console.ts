/** An operator at the console, whose access other operators change while pages are open. */
import * as operators from "../../../src/operators/service.ts";
import * as people from "../../../src/people/administration.ts";
import type { OperatorRole } from "../../../src/storage/column-types.ts";
import { attest, type SoftPasskey } from "../../support/authenticator.ts";
import { choose } from "../../support/invites.ts";
import { signInTo } from "../../support/operators.ts";
import { askedBy, askOptions, post } from "../../support/passkey-ceremonies.ts";
import { Visitor, type Page } from "../../support/person.ts";
import { calling } from "../browser.ts";
import type { Generator } from "../generator.ts";
import { newPasskey } from "../key-pairs.ts";
import { wasRefused, type Act } from "../ledger.ts";
import { Possible, Violation, type KnownPerson } from "../model.ts";
import { consoleOrigin } from "../node.ts";
import { checkNothingIsLeft } from "../oracles/deleted.ts";
import { time } from "../time.ts";
import { Lost, type Part, type World } from "../world.ts";
import { inspect } from "./inspectors.ts";
import { changeAccess, drawAccess, type AccessAct } from "./access.ts";

const by = { actor: { kind: "cli", name: "operator" } } as const;
/** Invitations that nobody answered may leave more than is known. */
const inviter = { actor: { kind: "cli", name: "inviter" } } as const;
const minute = 60_000;

/** Of each act on a person: how its form's action ends, and whether it asks for the passkey. */
const forms: Record<AccessAct, { path: string; isSensitive: boolean }> = {
  disable: { path: "/disable", isSensitive: false },
  enable: { path: "/enable", isSensitive: true },
  revoke: { path: "/logins/end", isSensitive: false },
  delete: { path: "/delete", isSensitive: true },
};

/** A browser in which the operator is, or was, signed in. */
class Session {
  readonly visitor: Visitor;
  /** The passkey was used before. */
  readonly provenBefore = time.now();
  usedAt = time.now();
  /** When somebody first tried to end it, and when it certainly was over. */
  endedFrom = Number.POSITIVE_INFINITY;
  endedAt = Number.POSITIVE_INFINITY;

  constructor(visitor: Visitor) {
    this.visitor = visitor;
  }
}

class Operator {
  readonly id: string;
  readonly email: string;
  readonly passkey: SoftPasskey;
  readonly role = new Possible<OperatorRole>("owner");
  isGone = false;
  session: Session | undefined;

  constructor(id: string, email: string, passkey: SoftPasskey) {
    this.id = id;
    this.email = email;
    this.passkey = passkey;
  }
}

export async function useConsole(world: World, { chances, isOver, pause }: Part): Promise<void> {
  const caller = { world, ipAddress: "203.0.113.20", chances: chances.fork("network") };
  await Promise.all([
    calling(caller, async () => await new Desk(world, chances).live(isOver, pause)),
    inspect(world, { chances: chances.fork("inspector"), isOver, pause }),
  ]);
}

class Desk {
  readonly #world: World;
  readonly #chances: Generator;
  #operator: Operator | undefined;
  readonly #ended: Session[] = [];
  #count = 0;

  constructor(world: World, chances: Generator) {
    this.#world = world;
    this.#chances = chances;
  }

  async live(isOver: Part["isOver"], pause: Part["pause"]): Promise<void> {
    while (!isOver()) {
      await pause(60_000);
      try {
        const operator = (this.#operator ??= await this.#invite());
        operator.session ??= await this.#signIn(operator);
        if (operator.session) await this.#act(operator, operator.session);
      } catch (error) {
        if (!(error instanceof Lost) && !wasRefused(error)) throw error;
      }
      if (this.#operator?.isGone === true) this.#operator = undefined;
      if (this.#operator?.session && this.#operator.session.endedAt < time.now()) this.#operator.session = undefined;
    }
  }

  /** Beside somebody who stays an owner, so that this one can be removed. */
  async #invite(): Promise<Operator> {
    this.#count += 1;
    const email = `operator${this.#count}@example.org`;
    const invited = async (address: string) => {
      const input = { email: address, role: "owner", name: null };
      return await this.#world.operate(async (ctx) => await operators.invite(ctx, input, { link: true }, inviter));
    };
    if (this.#count === 1) await invited("first@example.org");
    const { id, link } = await invited(email);
    const visitor = new Visitor();
    const ceremony = { visitor, page: await choose(link ?? "", "passkey", visitor), form: "/add/passkey" };
    const options = await askOptions(ceremony);
    const passkey = newPasskey(this.#chances, options.user?.id ?? "");
    await post(ceremony, attest(passkey, askedBy(this.#world.service, options)));
    return new Operator(id ?? "", email, passkey);
  }

  /** Undefined if it does not work. */
  async #signIn(operator: Operator): Promise<Session | undefined> {
    const visitor = new Visitor();
    const wasGone = operator.isGone;
    const { faults } = this.#world;
    const wasRepeating = faults.doubled > 0;
    const page = await signInTo(
      this.#world.service,
      await visitor.get(`${consoleOrigin}/console/people`),
      operator,
      visitor,
    );
    this.#world.note(`the operator signs in: ${page.status}`);
    if (page.status !== 200 || !new URL(page.url).pathname.startsWith("/console/")) return undefined;
    if (wasGone) throw new Violation("O8", "an operator signed in after the removal");
    const session = new Session(visitor);
    // A repeated call uses the code twice, which ends the session, now or when it arrives.
    if (wasRepeating || faults.doubled > 0) session.endedFrom = time.now();
    return session;
  }

  async #act(operator: Operator, session: Session): Promise<void> {
    const known = this.#world.people.filter(({ userId, isGone }) => userId !== undefined && !isGone);
    const old = this.#ended.length === 0 ? undefined : this.#chances.pick(this.#ended);
    if (old) await this.#open(old, "/overview");
    if (known.length === 0) return;
    const person = this.#chances.pick(known);
    const end = this.#chances.pick([
      async () => await this.#revoke(operator, session),
      async () => await this.#demote(operator),
      async () => await this.#remove(operator, session),
      async () => await this.#signOut(session),
    ] as const);
    const drawn = this.#chances.next();
    if (drawn < 0.6) return await this.#actOn(operator, session, person);
    const page = await this.#open(session, `/people/${person.userId}`);
    if (drawn < 0.75) {
      await end();
      this.#world.reached("a page of the console open while its operator's access ended");
      if (page?.status === 200) await this.#submit(operator, session, person, page);
      return;
    }
    this.#world.reached("an act at the console while its operator's access ends");
    const acts = [end(), ...(page?.status === 200 ? [this.#submit(operator, session, person, page)] : [])];
    for (const done of await Promise.allSettled(acts)) if (done.status === "rejected") throw done.reason;
    if (session.endedAt < time.now()) await this.#open(session, "/overview");
  }

  /** O1: no page for a session that has ended. */
  async #open(session: Session, path: string): Promise<Page | undefined> {
    const from = time.now();
    const page = await session.visitor.copy().get(`${consoleOrigin}/console${path}`);
    this.#world.note(`the console shows a page: ${page.status}`);
    if (page.status === 200) {
      if (session.endedAt < from) throw new Violation("O1", "the console was open to a session that had ended");
      session.usedAt = time.now();
      return page;
    }
    const isLate = from - session.usedAt > 55 * minute || from - session.provenBefore > 11 * 60 * minute;
    if (page.status === 303 && session.endedFrom > time.now() && !isLate && this.#world.clockHasBeenRight)
      throw new Violation("O4", "the console asked to sign in although nobody ended the session");
    // Somebody ended it.
    if (page.status === 303) this.#isOver(session);
    return undefined;
  }

  #isOver(session: Session): void {
    session.endedFrom = Math.min(session.endedFrom, time.now());
    if (session.endedAt === Number.POSITIVE_INFINITY) this.#ended.push(session);
    session.endedAt = Math.min(session.endedAt, time.now());
  }

  async #actOn(operator: Operator, session: Session, person: KnownPerson): Promise<void> {
    const page = await this.#open(session, `/people/${person.userId}`);
    if (page) await this.#submit(operator, session, person, page);
  }

  async #submit(operator: Operator, session: Session, person: KnownPerson, page: Page): Promise<void> {
    const drawn = drawAccess(person, this.#chances.next());
    const act = page.text.includes(`${forms[drawn].path}"`) ? drawn : "revoke";
    const { path, isSensitive } = forms[act];
    if (!page.text.includes(`/console/people/${person.userId}${path}"`)) return;
    const from = time.now();
    const mayAct = operator.role.allows("owner");
    const watch = operator.role.watch();
    await changeAccess(this.#world, person, { act, actor: `operator:${operator.id}` }, async () => {
      const values: Record<string, string> = act === "delete" ? { confirmation: person.email } : {};
      const done = await session.visitor.copy().submit(page, path, values);
      this.#world.note(`the console: ${act} ${person.name}: ${done.status}`);
      const isDone = done.status === 303 && done.location.pathname.startsWith("/console/people");
      if (!isDone) return done.status === 404 ? false : undefined;
      if (session.endedAt < from) throw new Violation("O1", `${act} by an operator whose session had ended`);
      if (!mayAct && watch.isAlone()) throw new Violation("O1", `${act} by an operator who had become a viewer`);
      if (isSensitive && from > session.provenBefore + 11 * minute && this.#world.clockHasBeenRight)
        throw new Violation("O6", `${act} without a fresh passkey`);
      return true;
    });
  }

  /** A command about the operator, which leaves this when it succeeds. */
  async #command(act: Act, operator: Operator, work: (ctx: World["node"]["ctx"]) => Promise<unknown>): Promise<void> {
    const leaving = { actor: "cli:operator", act, about: operator.id };
    await this.#world.ledger.leaving(leaving, async () => await this.#world.operate(work));
    this.#world.note(`a command about the operator: ${act}`);
  }

  async #revoke(operator: Operator, session: Session): Promise<void> {
    session.endedFrom = Math.min(session.endedFrom, time.now());
    await this.#command(
      "revoke",
      operator,
      async (ctx) => await people.revokeLogins(ctx, operator.id, { dryRun: false }, by),
    );
    this.#isOver(session);
  }

  async #demote(operator: Operator): Promise<void> {
    const role = operator.role.isOnly("viewer") ? "owner" : "viewer";
    await operator.role.changing(
      role,
      async () =>
        await this.#command(
          "changeOperator",
          operator,
          async (ctx) => await operators.update(ctx, operator.id, { role }, {}, by),
        ),
      () => true,
    );
  }

  async #remove(operator: Operator, session: Session): Promise<void> {
    session.endedFrom = Math.min(session.endedFrom, time.now());
    const from = time.now();
    await this.#command("removeOperator", operator, async (ctx) => await operators.remove(ctx, operator.id, {}, by));
    operator.isGone = true;
    this.#isOver(session);
    this.#world.reached("an operator removed");
    await checkNothingIsLeft(this.#world, { name: operator.email, userId: operator.id, email: operator.email }, from);
    const again = await this.#signIn(operator);
    if (again) throw new Violation("O8", "an operator signed in after the removal");
  }

  async #signOut(session: Session): Promise<void> {
    const page = await this.#open(session, "/overview");
    if (!page) return;
    session.endedFrom = Math.min(session.endedFrom, time.now());
    const done = await session.visitor.copy().submit(page, "/sign-out", {});
    this.#world.note(`the operator signs out: ${done.status}`);
    if (done.status === 200) this.#isOver(session);
  }
}
