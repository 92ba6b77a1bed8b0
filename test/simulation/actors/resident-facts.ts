/** What is true of a resident, whatever was done. */
import { Visitor, type Page } from "../../support/person.ts";
import { cellOf } from "../ends.ts";
import { otherCode, type Held, type Resident } from "../resident.ts";
import { time } from "../time.ts";
import { secondFactor } from "./resident-account.ts";

export const minute = 60_000;
export const by = { actor: { kind: "cli", name: "house" } } as const;
export const really = { dryRun: false };

/** Types five wrong codes and then the right one. */
export async function guessed(me: Resident, page: Page, form: string, code: string, visitor: Visitor): Promise<Page> {
  for (let tries = 1; tries <= 5; tries += 1) {
    const wrong = await visitor.submit(page, form, { code: otherCode(code, tries) });
    me.must("O8", wrong.status !== 303, `a wrong code was taken at ${form}`);
  }
  me.world.reached("a mailed code after five wrong ones");
  return await visitor.submit(page, form, { code });
}

/** O4: the account has the address that it should have. O8: nobody signs in by an earlier one. */
export async function facts(me: Resident): Promise<void> {
  const { status, body } = await me.server("GET", `/users/${me.userId}`);
  me.must("O4", status === 200, `is not there: ${status}`);
  const is = `${String(body["email"])} ${body["emailVerified"] === true ? "verified" : "unverified"}`;
  const should = `${me.email} ${me.isVerified ? "verified" : "unverified"}`;
  me.must("O4", is === should, `the address is ${is}, acknowledged: ${should}`);
  if (!me.isUnsure) await secondFactor(me);
  if (me.former.length === 0) return;
  const former = me.chances.pick([...me.former.slice(-1), ...me.former]);
  const visitor = new Visitor();
  const { page } = await me.begin(visitor);
  const refused = await me.elsewhere(async () => await visitor.submit(page, "/password", former));
  me.must("O8", refused.status !== 303, `signed in as ${former.email} with ${former.password}`);
}

/** It may have happened: nothing of what it ends is looked at again. */
export function endAs(me: Resident, act: string): void {
  me.held = me.held.filter(({ kind }) => cellOf(act, kind) === "");
}

export async function check(me: Resident, held: Held, act: string): Promise<void> {
  const from = time.now();
  const isAlive = await held.lives();
  if (held.isOver) me.must("O1", !isAlive, `${held.kind} went on after ${act}`);
  else if (time.now() < held.until) me.must("O4", isAlive, `${held.kind} ended with ${act}, at ${from}`);
}

export function held(kind: string, until: number, lives: Held["lives"]): Held {
  return { kind, until, lives, isOver: false };
}

export async function isOpen(link: string | null): Promise<boolean> {
  return link !== null && (await new Visitor().get(link)).status === 200;
}

/** The account has another address. */
export function moved(me: Resident, email: string, isVerified: boolean): void {
  me.former.push({ email: me.email, password: me.password });
  me.email = email;
  me.isVerified = isVerified;
}

/** The entries and events of some acts. */
export const updated = ["entry user.update", "event user.updated"];
export const changedOwn = ["entry user.address-changed", "event user.updated"];
export const appRemoved = ["entry factor.removed", "event method.removed totp"];
