/** Invitations to a founder's organization, and who follows them. */
import { Visitor, type Page } from "../../support/person.ts";
import { sameText } from "../firm-answers.ts";
import type { Who } from "../firm.ts";
import { time } from "../time.ts";
import type { Manager } from "./founder-manager.ts";
import { roleChoices } from "./founder-members.ts";

export async function invites(manager: Manager): Promise<void> {
  const { own, me } = manager;
  const { chances } = me;
  const who = manager.drawWho();
  const rank = own.rankOf(who);
  const known = [...manager.people.values()].map(({ email }) => email);
  const fresh = (): string => `guest.${manager.next()}.of.${me.name}@example.org`;
  const openOnes = own.invitations.map(({ email }) => email);
  const count = who.kind === "page" || who.kind === "console" ? 1 : 1 + chances.below(3);
  const wanted = Array.from({ length: count }, () => ({
    email: chances.pick([fresh(), fresh(), ...known, ...openOnes]),
    roles: chances.pick(roleChoices).split(",").toSorted(),
  })).filter(({ email }, at, all) => all.findIndex((each) => each.email === email) === at);
  if (wanted.some(({ email }) => (own.sent.get(email) ?? 0) >= 4)) return;
  const mayBe = wanted.map(({ email, roles }) => mayInvite(manager, who, email, roles));
  const since = time.now();
  if (who.kind === "page" || who.kind === "console") {
    const [{ email, roles } = { email: "", roles: [] }] = wanted;
    const answer =
      who.kind === "page"
        ? await manager.page({ act: "invite", addresses: email, ...manager.boxes(roles) })
        : await manager.console("invitations", { addresses: email, ...manager.some("roles", roles) }, "roles");
    const isDone = manager.judge(answer, mayBe[0] === true, `${who.kind} (${rank}) invites with ${roles.join()}`);
    if (!isDone) return;
    const { body } = await me.server("GET", `${own.path}/invitations?limit=200`);
    const made = (body["invitations"] as { id: string; email: string }[] | undefined)?.findLast(
      (each) => each.email === email,
    );
    me.must("O4", made !== undefined, `no invitation of ${email} by ${who.kind}`);
    return await invited(manager, who, { email, roles, id: made?.id ?? "" }, since);
  }
  const answer = await manager.api(who, "POST", `${own.path}/invitations`, { invitations: wanted });
  const isCalled = manager.judge(answer, rank !== undefined && rank !== "member", `${who.kind} (${rank}) invites`);
  if (!isCalled) return;
  const results = answer.body["results"] as {
    email: string;
    invitation: Record<string, unknown> | null;
    error: unknown;
  }[];
  for (const [at, { email, roles }] of wanted.entries()) {
    const result = results[at];
    const isDone = result?.invitation !== null && result?.error === null;
    const one = { isDone, status: 200, body: { result } };
    if (!manager.judge(one, mayBe[at] === true, `${who.kind} (${rank}) invites ${email} with ${roles.join()}`))
      continue;
    const { id, createdAt, expiresAt, ...is } = result?.invitation ?? {};
    const should = { email, roles, inviterId: who.kind === "by" ? who.id : null };
    me.must("O4", sameText(is, should), `an invitation is answered as ${JSON.stringify(is)}`);
    const lasts = Date.parse(String(expiresAt)) - Date.parse(String(createdAt));
    me.must("O4", lasts === 7 * 86_400_000, `an invitation lasts ${lasts}`);
    await invited(manager, who, { email, roles, id: String(id) }, since);
  }
}

function mayInvite(manager: Manager, who: Who, email: string, roles: readonly string[]): boolean {
  const { own } = manager;
  const [open] = own.invitations.filter((each) => each.email === email);
  const person = [...manager.people.values()].find((each) => each.email === email);
  const isMember = person !== undefined && own.members.has(person.id);
  const mayReplace = !open || own.mayChange(who, open.roles, roles);
  return own.mayChange(who, [], roles) && mayReplace && !isMember && !own.isDisabled && !own.isGone;
}

async function invited(
  manager: Manager,
  who: Who,
  { email, roles, id }: { email: string; roles: string[]; id: string },
  since: number,
): Promise<void> {
  const { own, me } = manager;
  own.invitations = own.invitations.filter((each) => each.email !== email);
  const inviterId = who.kind === "by" ? who.id : who.kind === "page" ? me.userId : null;
  own.invitations.push({ id, email, roles, inviterId });
  own.sent.set(email, (own.sent.get(email) ?? 0) + 1);
  own.note({ ...manager.actor(who), action: "invite", roles, details: { invitation: id } });
  const { link } = await me.mailed("organization/invitation", since, email);
  const before = manager.links.get(email);
  manager.links.set(email, link);
  if (before === undefined || before === link) return;
  // O3: an earlier one is over.
  me.voided.push({
    what: "an invitation that was replaced",
    works: async () => (await new Visitor().get(before)).status === 200,
  });
}

export async function withdraws(manager: Manager): Promise<void> {
  const { own, me } = manager;
  if (own.invitations.length === 0) return;
  const who = manager.drawWho();
  const one = me.chances.pick(own.invitations);
  const isAllowed = own.mayChange(who, one.roles, []);
  const answer =
    who.kind === "page"
      ? await manager.page({ act: "withdraw", invitation: one.id })
      : who.kind === "console"
        ? await manager.console(`invitations/${one.id}/withdraw`)
        : await manager.api(who, "DELETE", `${own.path}/invitations/${one.id}`);
  if (!manager.judge(answer, isAllowed, `${who.kind} (${own.rankOf(who)}) withdraws ${one.roles.join()}`)) return;
  own.invitations = own.invitations.filter((each) => each !== one);
  own.note({ ...manager.actor(who), action: "invitation.withdraw", details: { invitation: one.id } });
  const link = manager.links.get(one.email);
  if (link === undefined) return;
  const { status } = await new Visitor().get(link);
  me.must("O3", status !== 200, `a withdrawn invitation opens: ${status}`);
  const again = await manager.api({ kind: "server" }, "DELETE", `${own.path}/invitations/${one.id}`);
  me.must("O3", again.status === 404, `an invitation was withdrawn twice: ${again.status}`);
}

/** The founder follows a link: their own, or somebody else's. */
export async function isInvited(manager: Manager): Promise<void> {
  const { own, me } = manager;
  if (own.isDisabled) return;
  const isTheirs = me.chances.chance(0.7);
  if (isTheirs && own.members.has(me.userId) && me.chances.chance(0.6)) {
    const removed = await manager.api({ kind: "server" }, "DELETE", `${own.path}/members/${me.userId}`);
    if (!manager.judge(removed, true, "the server removes the founder")) return;
    own.leaves(me.userId, manager.actor({ kind: "server" }));
  }
  const others = [...manager.people.values()].filter(({ id }) => id !== me.userId).map(({ email }) => email);
  const guest = own.invitations.find(({ email }) => others.includes(email));
  const email = isTheirs ? me.email : guest?.email;
  if (email === undefined) return;
  if (isTheirs && !own.invitations.some((each) => each.email === email)) {
    if (own.members.has(me.userId) || (own.sent.get(email) ?? 0) >= 4) return;
    const since = time.now();
    const roles = me.chances.pick(roleChoices).split(",").toSorted();
    const answer = await manager.api({ kind: "server" }, "POST", `${own.path}/invitations`, {
      invitations: [{ email, roles }],
    });
    const [result] = (answer.body["results"] ?? []) as { invitation: { id: string } | null }[];
    if (!manager.judge({ ...answer, isDone: result?.invitation !== null }, true, "the server invites the founder"))
      return;
    await invited(manager, { kind: "server" }, { email, roles, id: result?.invitation?.id ?? "" }, since);
  }
  const invitation = own.invitations.find((each) => each.email === email);
  const link = manager.links.get(email);
  if (!invitation || link === undefined) return;
  const pressed = await accept(manager, link);
  const isFull = !own.members.has(me.userId) && manager.isFull();
  if (!isTheirs) return me.must("O8", pressed === undefined, "accepted an invitation of somebody else");
  if (pressed === undefined) return me.must("O10", isFull, "cannot accept an invitation");
  me.must("O7", !isFull, "joined an organization that is full");
  accepted(manager, invitation.id, me.userId, invitation.roles);
  me.must("O3", (await accept(manager, link)) === undefined, "an invitation was accepted twice");
}

function accepted(manager: Manager, id: string, userId: string, roles: string[]): void {
  const { own } = manager;
  const actor = `user:${userId}`;
  own.invitations = own.invitations.filter((each) => each.id !== id);
  if (own.members.has(userId)) {
    const all = [...new Set([...own.rolesOf(userId), ...roles])].toSorted();
    own.becomes(userId, all, { actor });
  } else own.joins(userId, { roles, joinedBy: "invitation" }, { actor });
  own.note({ actor, action: "invitation.accept", userId, details: { invitation: id } });
}

/** Undefined: it did not work. */
async function accept(manager: Manager, link: string): Promise<Page | undefined> {
  const { me } = manager;
  const shown = await me.desk.get(link);
  if (shown.status !== 200 && shown.status !== 303) return undefined;
  // Who is signed in is led on.
  const first = shown.status === 303 ? shown : await me.desk.submit(shown, new URL(link).pathname, {});
  const page = await me.walk(first, me.desk);
  const form = /\/organization\/invitations\/inv_\w+/u.exec(page.url)?.[0];
  if (form === undefined || page.status !== 200 || !page.text.includes(form)) return undefined;
  const done = await me.desk.submit(page, `${form}?app_id=${me.app.id}`, {});
  return done.status === 303 && done.location.searchParams.has("organization") ? done : undefined;
}

/** Somebody without an account: the mail proves the address. */
export async function newcomer(manager: Manager): Promise<void> {
  const { own, me } = manager;
  const emails = [...manager.people.values()].map(({ email }) => email);
  const invitation = own.invitations.find(({ email }) => !emails.includes(email));
  const link = invitation && manager.links.get(invitation.email);
  if (!invitation || link === undefined || manager.people.size > 7) return;
  const visitor = new Visitor();
  const page = await visitor.get(link);
  if (own.isDisabled) return me.must("O8", page.status !== 200, "an invitation of what is disabled opens");
  me.must("O10", page.status === 200, `no page of an invitation: ${page.status}`);
  const pressed = await visitor.submit(page, new URL(link).pathname, {});
  if (manager.isFull())
    return me.must(
      "O7",
      pressed.status !== 303 || !pressed.location.pathname.startsWith("/invite/"),
      "a newcomer to what is full",
    );
  me.must("O10", pressed.status === 303, `no way in for a newcomer: ${pressed.status}`);
  const { body } = await me.server("GET", `/users?email=${encodeURIComponent(invitation.email)}`);
  const [user] = (body["users"] ?? []) as { id: string; email: string; name: string }[];
  me.must("O4", user !== undefined, "a newcomer has no account");
  const id = user?.id ?? "";
  manager.people.set(id, { id, email: invitation.email, name: user?.name ?? (null as never), isDisabled: false });
  accepted(manager, invitation.id, id, invitation.roles);
  me.must("O3", (await visitor.get(link)).status !== 200, "a newcomer's invitation opens again");
  me.world.reached("a newcomer at a founder's");
}
