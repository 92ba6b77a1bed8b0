/** The acts of residents: docs/security.md has a column for each. */
import { insertIdentity } from "../../../src/credentials/identities/identity-store.ts";
import * as people from "../../../src/people/administration.ts";
import { Visitor, type Page } from "../../support/person.ts";
import { cellOf } from "../ends.ts";
import { checkNothingIsLeft } from "../oracles/deleted.ts";

import { has, type Resident } from "../resident.ts";
import { time } from "../time.ts";
import { appRemoved, by, check, facts, isOpen, really, updated } from "./resident-facts.ts";
import { removeApp, setUpApp } from "./resident-app.ts";
import { areOpen, chain, isReset, setByOthers } from "./resident-addresses.ts";
import { gather } from "./resident-things.ts";

type Done = { ticked?: boolean; stays?: boolean } | "not possible";

export type Act = (me: Resident) => Promise<Done>;

/** The columns of docs/security.md. */
export const acts: Record<string, Act> = {
  async "first proof"(me) {
    if (me.isVerified) me.leaves(...updated);
    await me.patch({ emailVerified: false });
    me.isVerified = false;
    await facts(me);
    const visitor = new Visitor();
    const since = time.now();
    const { session } = await me.begin(visitor);
    const form = await visitor.get(`${session.authUrl}/email-code`);
    const asked = await visitor.submit(form, "/email-code", { email: me.email });
    const waits = await visitor.get(asked.location.href);
    const { code } = await me.mailed("confirm", since);
    const shown = await visitor.submit(waits, "/code", { code });
    // The page asks before it takes the account over; it may be another step.
    const page = shown.status === 303 ? await visitor.get(shown.location.href) : shown;
    const agreed = has(page, "/code") ? await visitor.submit(page, "/code", {}) : page;
    me.must("O10", agreed.status === 303, `no first proof: ${agreed.status} at ${agreed.url}`);
    const again = async (): Promise<Page> => await visitor.submit(waits, "/code", { code });
    const works = async (): Promise<boolean> => (await again()).location.searchParams.has("code");
    me.voided.push({ what: "a mailed code after its use", works });
    me.former.push({ email: me.email, password: me.password });
    me.isVerified = true;
    if (me.key !== "") me.leaves(...appRemoved);
    me.leaves("entry user.address-proven", "event user.updated");
    me.key = "";
    await facts(me);
    return { stays: false };
  },
  async reset(me) {
    if (!me.isVerified) return "not possible";
    const former = { email: me.email, password: me.password };
    const link = await me.resetPassword("a reset horse battery staple");
    me.must("O3", !(await isOpen(link)), "a reset link was open after its use");
    const again = me.next("a stolen horse battery staple");
    const works = async (): Promise<boolean> => isReset(await me.use(link, { password: again }));
    me.voided.push({ what: "a reset link after its use", works });
    me.leaves("entry password.reset", "event user.updated");
    me.former.push(former);
    me.desk = new Visitor();
    return {};
  },
  async undo(me) {
    if (!me.isVerified) return "not possible";
    const undos = await chain(me);
    const undo = undos.length > 0 ? me.chances.pick(undos) : undefined;
    if (!undo) return "not possible";
    const { link, email } = undo;
    // Whatever the thief has by now ends, too.
    const later = [await gather["login"]?.(me), await gather["page"]?.(me)].filter((each) => each !== undefined);
    const done = await me.use(link);
    me.must("O10", done.status === 200, `no undo: ${done.status}`);
    // Those of before it stay, and those of later changes end.
    await areOpen(me, undos, undos.slice(0, undos.indexOf(undo)));
    me.world.reached("a change of address undone");
    // What it removes depends on when it was added.
    me.isUnsure = true;
    for (const each of later) each.isOver = true;
    me.held.push(...later);
    me.former.push({ email: me.email, password: me.password }, { email, password: me.password });
    me.email = email;
    await facts(me);
    return { stays: false };
  },
  async password(me) {
    const form = await me.at();
    const started = await me.press(form, "/account/add", { adds: "password" });
    const page = await me.walk(started, me.desk);
    me.must("O10", has(page, "/add/password"), `no form for a password: ${page.status}`);
    const hasTokens = page.text.includes('name="tokens"');
    const ticked = hasTokens && me.chances.chance(0.5);
    const password = me.next("another horse battery staple");
    const done = await me.desk.submit(page, "/add/password", { password, ...(ticked && { tokens: "on" }) });
    me.must("O10", done.status === 303, `no new password: ${done.status}`);
    me.leaves("entry password.changed password", "event user.updated");
    me.former.push({ email: me.email, password: me.password });
    me.password = password;
    return { ticked };
  },
  async method(me) {
    const id = `mth_given${time.now()}`;
    await me.world.operate(async (ctx) => {
      const now = time.now();
      const row = { id, appId: me.app.id, userId: me.userId, provider: "discord", issuer: "discord.com" };
      const identity = { ...row, subject: id, email: null, createdAt: now, lastUsedAt: now };
      await ctx.storage.write(async (tx) => await insertIdentity(tx, identity));
    });
    const form = await me.at(`/methods/${id}/remove`);
    const done = await me.press(form, `/account/methods/${id}/remove`);
    me.must("O10", done.location.searchParams.get("notice") === "removed", `not removed: ${done.status}`);
    me.leaves("entry method.removed oauth", "event method.removed oauth");
    return {};
  },
  async app(me) {
    return (await setUpApp(me)) ? {} : "not possible";
  },
  async "no app"(me) {
    if (me.key === "") return "not possible";
    await removeApp(me);
    return {};
  },
  async out(me) {
    const form = await me.at();
    const hasTokens = /end-all[\s\S]*?name="tokens"[\s\S]*?<\/form>/u.test(form.text);
    const ticked = hasTokens && me.chances.chance(0.5);
    const done = await me.press(form, "/account/logins/end-all", ticked ? { tokens: "on" } : {});
    me.must("O10", done.status === 303 && done.location.pathname.endsWith("/signed-out"), `not out: ${done.status}`);
    return { ticked };
  },
  async revoke(me) {
    if (me.chances.chance(0.5))
      await me.world.operate(async (ctx) => await people.revokeLogins(ctx, me.userId, really, by));
    else {
      const { status } = await me.server("POST", `/users/${me.userId}/logout`, {});
      me.must("O10", status === 200, `not signed out: ${status}`);
    }
    me.leaves("entry user.revoke-logins");
    return {};
  },
  async disable(me) {
    me.leaves("entry user.disable", "entry user.enable");
    await me.patch({ disabled: true });
    const visitor = new Visitor();
    const { page } = await me.begin(visitor);
    const { email, password } = me;
    const refused = await me.elsewhere(async () => await visitor.submit(page, "/password", { email, password }));
    me.must("O8", refused.status !== 303, "signed in although disabled");
    for (const held of me.held) if (cellOf("disable", held.kind) === "ends") me.end(held);
    for (const held of me.held) if (held.isOver) await check(me, held, "disable");
    await me.patch({ disabled: false });
    return {};
  },
  async address(me) {
    await setByOthers(me);
    return {};
  },
  async delete(me) {
    const since = time.now();
    const form = await me.at("/delete");
    me.isGone = true;
    me.leaves("entry user.delete", "event user.deleted");
    me.world.ledger.left({ actor: `user:${me.userId}`, act: "deleteOwn", about: me.userId }, { isSure: false });
    const done = await me.press(form, "/account/delete");
    me.must("O10", done.status === 303 && done.location.pathname === "/account/deleted", `not gone: ${done.status}`);
    await checkNothingIsLeft(me.world, me, since);
    return { stays: false };
  },
};
