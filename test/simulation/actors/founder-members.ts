/** Members of a founder's organization, and their roles. */
import { call } from "../../support/person.ts";
import { sameText, without } from "../firm-answers.ts";
import type { Firm, Person, Who } from "../firm.ts";
import type { Answer, Manager } from "./founder-manager.ts";

export const roleChoices = [
  "member",
  "member",
  "admin",
  "owner",
  "billing",
  "billing,member",
  "audit,member",
  "admin,audit",
];

export async function changesRoles(manager: Manager): Promise<void> {
  const { own, me } = manager;
  const who = manager.drawWho();
  const strangers = [...manager.people.values()].filter(({ id }) => !own.members.has(id));
  const person = strangers.length > 0 && me.chances.chance(0.4) ? me.chances.pick(strangers) : manager.drawPerson();
  const gets = me.chances.pick(roleChoices).split(",").toSorted();
  const was = own.rolesOf(person.id);
  const isMember = own.members.has(person.id);
  const adds = who.kind !== "page" && me.chances.chance(0.7);
  const isLastOwner = was.includes("owner") && !gets.includes("owner") && own.owners().every((id) => id === person.id);
  const mayJoin = isMember || (adds && own.rankOf(who) === "server" && !manager.isFull());
  const isAllowed =
    mayJoin && own.mayChange(who, was, gets, person.id) && (own.rankOf(who) === "server" || !isLastOwner);
  const what = `${who.kind} (${own.rankOf(who)}) gives ${person.name} with ${was.join()} the roles ${gets.join()}`;
  let answer: Answer;
  if (who.kind === "page") answer = await manager.page({ act: "roles", user: person.id, ...manager.boxes(gets) });
  else if (who.kind === "console") {
    const chosen = manager.some("roles", gets);
    const form = isMember ? `members/${person.id}/roles` : "members";
    const whom: Record<string, string> = isMember ? {} : { who: me.chances.pick([person.id, person.email]) };
    answer = await manager.console(form, { ...whom, ...chosen }, "roles");
    return judgeRoles(manager, answer, isMember || !manager.isFull(), what, person, gets, who);
  } else {
    const providerExempt = me.chances.chance(0.5) ? me.chances.chance(0.7) : undefined;
    const wanted = { roles: gets, ...(providerExempt !== undefined && { providerExempt }) };
    const isExempt = own.members.get(person.id)?.isExempt ?? false;
    const mayExempt = own.rankOf(who) === "server" || (providerExempt ?? isExempt) === isExempt;
    answer = await manager.api(who, adds ? "PUT" : "PATCH", `${own.path}/members/${person.id}`, wanted);
    judgeRoles(manager, answer, isAllowed && mayExempt, `${what}, exempt: ${providerExempt}`, person, gets, who);
    if (answer.isDone && providerExempt !== undefined) own.exempts(person.id, providerExempt, manager.actor(who));
  }
  if (who.kind === "page") judgeRoles(manager, answer, isAllowed, what, person, gets, who);
  if (!answer.isDone || who.kind === "page") return;
  const is = without(answer.body, "joinedAt");
  const { id, email, name, isDisabled: disabled } = person;
  const { joinedBy, isExempt } = own.members.get(id) ?? {};
  const should = { id, email, name, roles: gets, joinedBy, disabled, ...(isExempt && { providerExempt: true }) };
  me.must(
    "O4",
    sameText(is, should),
    `a member is answered as ${JSON.stringify(is)} instead of ${JSON.stringify(should)}`,
  );
}

function judgeRoles(
  manager: Manager,
  answer: Answer,
  isAllowed: boolean,
  what: string,
  person: Person,
  gets: string[],
  who: Who,
): void {
  if (!manager.judge(answer, isAllowed, what)) return;
  const { own } = manager;
  if (own.members.has(person.id)) own.becomes(person.id, gets, manager.actor(who));
  else own.joins(person.id, { roles: gets, joinedBy: "server" }, manager.actor(who));
}

/** By the server, of a member. */
export async function gives(manager: Manager, userId: string, roles: string[]): Promise<void> {
  const person = manager.people.get(userId);
  if (!person || !manager.own.members.has(userId)) return;
  const answer = await manager.api({ kind: "server" }, "PATCH", `${manager.own.path}/members/${userId}`, { roles });
  judgeRoles(manager, answer, true, `the server gives ${person.name} ${roles.join()}`, person, roles, {
    kind: "server",
  });
}

export async function removes(manager: Manager): Promise<void> {
  const { own, me } = manager;
  const [who, person] = [manager.drawWho(), manager.drawPerson()];
  const was = own.rolesOf(person.id);
  const isMember = own.members.has(person.id);
  if (who.kind === "console" && !isMember) return;
  const isOwn = who.kind === "page" && person.id === me.userId;
  const isLastOwner = was.includes("owner") && own.owners().every((id) => id === person.id);
  const isAllowed =
    isMember &&
    (isOwn ? own.isLive(person.id) : own.mayChange(who, was, [], person.id)) &&
    (own.rankOf(who) === "server" || !isLastOwner);
  const what = `${who.kind} (${own.rankOf(who)}) removes ${person.name} with ${was.join()}`;
  const answer =
    who.kind === "page"
      ? await manager.page({ act: isOwn ? "leave" : "remove", user: person.id })
      : who.kind === "console"
        ? await manager.console(`members/${person.id}/remove`)
        : await manager.api(who, "DELETE", `${own.path}/members/${person.id}`);
  if (manager.judge(answer, isAllowed, what)) own.leaves(person.id, manager.actor(who), { isOwn });
}

/** With the founder's own token. */
export async function leavesByToken(manager: Manager): Promise<void> {
  const { own, other, me } = manager;
  if (manager.people.get(me.userId)?.isDisabled === true) return;
  const firm = me.chances.pick([own, other]);
  if (own.isGone || !me.chances.chance(0.5)) return;
  const { accessToken } = await me.login();
  const headers = { authorization: `Bearer ${accessToken}`, "x-service-app-id": me.app.id };
  const listed = await call(me.world.service, "GET", "/users/organizations", headers);
  const is = (listed.body["organizations"] as { id: string }[] | undefined)?.map(({ id }) => id) ?? [];
  const should = [own, other].filter((each) => each.isLive(me.userId)).map(({ id }) => id);
  me.must(
    "O4",
    sameText(is.toSorted(), should.toSorted()),
    `own organizations are ${is.join()} instead of ${should.join()}`,
  );
  const was = firm.rolesOf(me.userId);
  const isLast = was.includes("owner") && firm.owners().every((id) => id === me.userId);
  const { status, body } = await call(me.world.service, "DELETE", `/users/organizations/${firm.id}`, headers);
  const isAllowed = firm.members.has(me.userId) && !isLast;
  if (firm.isDisabled && isAllowed) return maybeLeft(manager, firm, status < 300);
  if (manager.judge({ isDone: status < 300, status, body }, isAllowed, `leaves with ${was.join()}`))
    firm.leaves(me.userId, { actor: `user:${me.userId}` }, { isOwn: true });
}

/** The documents do not say whether somebody leaves what is disabled. */
function maybeLeft(manager: Manager, firm: Firm, isDone: boolean): void {
  if (isDone) firm.leaves(manager.me.userId, { actor: `user:${manager.me.userId}` }, { isOwn: true });
}

/** Their invitations end; an organization may be without an owner then. */
export async function disablesPerson(manager: Manager): Promise<void> {
  const { me } = manager;
  const others = [...manager.people.values()].filter(({ id }) => id !== me.userId);
  const person = others.find(({ isDisabled }) => isDisabled) ?? me.chances.pick(others);
  const disabled = !person.isDisabled;
  const { status } = await me.server("PATCH", `/users/${person.id}`, { disabled });
  me.must("O10", status === 200, `not changed: ${status}`);
  person.isDisabled = disabled;
  if (!disabled) return;
  for (const firm of [manager.own, manager.other]) {
    if (!firm.members.has(person.id)) continue;
    firm.endsSentOf(person.id);
    if (firm.rolesOf(person.id).includes("owner") && !firm.isGone) firm.isOwnerless({ actor: `app:${me.app.id}` });
  }
}
