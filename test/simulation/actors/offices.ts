/**
 * An application that needs an organization for each login: who belongs to none gets nothing.
 * People come by the server, an invitation of a newcomer, or the domain of their address.
 */
import * as domains from "../../../src/organizations/domains/service.ts";
import { findOrganization } from "../../../src/organizations/store.ts";
import { codesIn, keyIn } from "../../support/factors.ts";
import { offered } from "../../support/memberships.ts";
import { call, refresh, Visitor, type Page } from "../../support/person.ts";
import { tryDryAt } from "../dry-runs.ts";
import { checkNothingIsLeft } from "../oracles/deleted.ts";
import { claimsOf } from "../oracles/tokens.ts";
import { has, lives, type Resident } from "../resident.ts";
import { time } from "../time.ts";
import { Lost, type Part, type World } from "../world.ts";

const by = { actor: { kind: "cli", name: "offices" } } as const;

type Office = { id: string; slug: string };

export async function offices(world: World, part: Part): Promise<void> {
  await lives(world, part, { app: world.offices, name: "clerk", network: 130, beside: 2 }, live);
}

async function live(me: Resident, { isOver, pause }: Pick<Part, "isOver" | "pause">): Promise<void> {
  const [own, other] = [await found(me, "own"), await found(me, "other")];
  await me.chances.pick([byServer, byInvitation, byInvitation, byDomain, byDomain])(me, own);
  for (let rounds = 0; rounds < 2 && !isOver(); rounds += 1) {
    await pause(120_000);
    await me.chances.pick([stranger, invited, leaves, demoted, strict])(me, own, other);
    if (me.chances.chance(0.3)) await tryDryAt(me, own.id);
  }
  if (me.chances.chance(0.4)) await goes(me, other);
}

/** With an owner who only owns it. */
async function found(me: Resident, word: string): Promise<Office> {
  const owner = await me.server("POST", "/users", { email: `${me.name}.${word}@example.org`, emailVerified: true });
  me.must("O10", owner.status === 201, `no owner: ${owner.status}`);
  const slug = `${word}-${me.name}`;
  const made = await me.server("POST", "/organizations", { name: `Office ${me.name}`, slug, owner: owner.body["id"] });
  me.must("O10", made.status === 201, `no organization: ${made.status} ${JSON.stringify(made.body.error)}`);
  return { id: String(made.body["id"]), slug };
}

async function hire(me: Resident, emailVerified: boolean): Promise<void> {
  const { email, password } = me;
  const { status, body } = await me.server("POST", "/users", { email, emailVerified, password });
  me.must("O10", status === 201, `was not created: ${status}`);
  me.userId = String(body["id"]);
  me.leaves("entry user.create", "event user.created");
  me.isVerified = emailVerified;
}

/** O8: no login without an organization, and none of one that the person is not in. */
async function nothing(me: Resident, asked: Record<string, unknown> = {}): Promise<Page> {
  const visitor = new Visitor();
  const { code, last, session } = await me.signIn(visitor, asked);
  me.must("O8", code === undefined, `signed in with ${JSON.stringify(asked)}, and belongs to no organization there`);
  // Whatever somebody's own form sends.
  const [, token = ""] = /name="token" value="([^"]+)"/u.exec(last.text) ?? [];
  if (token !== "") {
    const pressed = await visitor.post(`${session.authUrl}/step/organization`, { token, organization: "none" });
    me.must("O8", !pressed.location.searchParams.has("code"), "signed in without an organization");
    return await visitor.get(session.authUrl);
  }
  return last;
}

/** O12: a login that names this organization with these roles. */
async function loginOf(me: Resident, office: Office, roles: string[], asked: Record<string, unknown> = {}) {
  const signedIn = await me.signIn(new Visitor(), asked);
  me.must(
    "O10",
    signedIn.code !== undefined,
    `cannot sign in as a member: ${signedIn.last.status} at ${signedIn.last.url}`,
  );
  const { status, body } = await me.redeem(signedIn);
  if (status !== 200) throw new Lost("too late for the code");
  const claims = claimsOf(String(body["accessToken"]));
  const says = [claims["org_id"], claims["org_roles"]];
  me.must("O12", JSON.stringify(says) === JSON.stringify([office.id, roles]), `a token says ${JSON.stringify(says)}`);
  // What stands beside the token says the same.
  const told = body["organization"] as { id: string; slug: string; roles: string[] } | undefined;
  const beside = [told?.id, told?.slug, told?.roles];
  me.must(
    "O12",
    JSON.stringify(beside) === JSON.stringify([office.id, office.slug, roles]),
    `is told ${JSON.stringify(told)}`,
  );
  return { accessToken: String(body["accessToken"]), refreshToken: String(body["refreshToken"]) };
}

async function byServer(me: Resident, own: Office): Promise<void> {
  await hire(me, me.chances.chance(0.5));
  await nothing(me);
  await join(me, own);
  await loginOf(me, own, ["member"]);
}

async function join(me: Resident, { id }: Office): Promise<void> {
  const { status } = await me.server("PUT", `/organizations/${id}/members/${me.userId}`, { roles: ["member"] });
  me.must("O10", status === 200, `is no member: ${status}`);
  me.leaves("entry organization.member.add", "event organization.member.added");
}

/** Of somebody without an account: the link makes one and works once, if nothing ended it. */
async function byInvitation(me: Resident, own: Office): Promise<void> {
  const { world, email } = me;
  const since = time.now();
  const wanted = { invitations: [{ email, roles: ["billing"] }] };
  const { status, body } = await me.server("POST", `/organizations/${own.id}/invitations`, wanted);
  me.must("O10", status === 200, `not invited: ${status}`);
  const [result] = (body["results"] ?? []) as { invitation: { id: string } | null }[];
  const { link } = await me.mailed("organization/invitation", since);
  const visitor = new Visitor();
  const page = await visitor.get(link);
  me.must("O10", page.status === 200, `no page of an invitation: ${page.status}`);
  if (me.chances.chance(0.4)) {
    const id = result?.invitation?.id ?? "";
    const ended = await me.server("DELETE", `/organizations/${own.id}/invitations/${id}`);
    me.must("O10", ended.status === 200, `not withdrawn: ${ended.status}`);
    const pressed = await visitor.submit(page, new URL(link).pathname, {});
    me.must("O3", pressed.status >= 400, `an invitation opened after it was withdrawn: ${pressed.status}`);
    const { body } = await me.server("GET", `/users?email=${encodeURIComponent(email)}`);
    me.must("O3", (body["users"] as unknown[] | undefined)?.length !== 1, "a withdrawn invitation made an account");
    world.reached("a newcomer's invitation withdrawn");
    return await byServer(me, own);
  }
  const pressed = await visitor.submit(page, new URL(link).pathname, {});
  me.must(
    "O10",
    pressed.status === 303 && pressed.location.pathname.startsWith("/invite/"),
    `no way in: ${pressed.status}`,
  );
  const again = await visitor.submit(page, new URL(link).pathname, {});
  me.must("O3", again.status >= 400, `an invitation worked twice: ${again.status}`);
  const choice = await visitor.get(pressed.location.href);
  const chosen = await visitor.submit(choice, new URL(choice.url).pathname, { adds: "password" });
  const form = await visitor.get(chosen.location.href);
  const saved = await visitor.submit(form, "/add/password", { password: me.password });
  me.must("O10", saved.status === 303, `no password for a newcomer: ${saved.status}`);
  me.must("O3", (await new Visitor().get(pressed.location.href)).status >= 400, "a newcomer's link works twice");
  const known = await me.server("GET", `/users?email=${encodeURIComponent(email)}`);
  const [user] = (known.body["users"] ?? []) as { id: string; emailVerified: boolean }[];
  me.must("O4", user?.emailVerified === true, "a newcomer's address is not verified");
  me.userId = user?.id ?? "";
  world.reached("a newcomer by invitation");
  me.leaves("entry user.create", "event user.created", "event method.added password");
  me.leaves("entry organization.member.add", "event organization.member.added");
  await loginOf(me, own, ["billing"]);
}

/** Who has a verified address of its domain joins, by themselves or asked; nobody else does. */
async function byDomain(me: Resident, own: Office): Promise<void> {
  const { world, chances } = me;
  const domain = `${own.slug}.example`;
  const joins = chances.pick(["on", "ask", "off"] as const);
  const isLost = chances.chance(0.2);
  const isEarlier = chances.chance(0.3);
  const isVerified = chances.chance(0.7);
  me.email = `${me.name}@${chances.chance(0.15) ? `sub.${domain}` : domain}`;
  if (isEarlier) await hire(me, isVerified);
  await time.pause(2000);
  await ofOffice(me, own, async (ctx, row) => await domains.add(ctx, row, { domain, join: joins, isProved: true }, by));
  if (isLost) await ofOffice(me, own, async (ctx, row) => await domains.remove(ctx, row, domain, by));
  await time.pause(2000);
  if (!isEarlier) await hire(me, isVerified);
  const mayJoin = joins !== "off" && !isLost && isVerified && !me.email.includes("@sub.");
  if (!mayJoin) {
    const page = await nothing(me);
    me.must("O8", !offered(page).includes(own.id), "is offered an organization that they may not join");
    world.reached("no way in by a domain");
    return await join(me, own);
  }
  if (joins === "on" && !isEarlier) {
    await loginOf(me, own, ["member"]);
    world.reached("a member by the domain");
    me.leaves("entry organization.member.add", "event organization.member.added");
    return;
  }
  const page = await nothing(me);
  const isOffered = JSON.stringify(offered(page)) === JSON.stringify([own.id]);
  me.must("O10", isOffered, `is offered ${JSON.stringify(offered(page))} at ${page.url}`);
  const visitor = new Visitor();
  const begun = await me.signIn(visitor);
  const pressed = await visitor.submit(begun.last, "/step/organization", { organization: own.id });
  me.must("O10", pressed.status === 303, `cannot join by the domain: ${pressed.status}`);
  world.reached("a member by the domain, who agreed");
  me.leaves("entry organization.member.add", "event organization.member.added");
  await loginOf(me, own, ["member"]);
}

async function ofOffice(
  me: Resident,
  { id }: Office,
  act: (ctx: World["node"]["ctx"], row: NonNullable<Awaited<ReturnType<typeof findOrganization>>>) => Promise<unknown>,
): Promise<void> {
  await me.world.operate(async (ctx) => {
    const row = await findOrganization(ctx.storage.reader, id);
    if (row) await act(ctx, row);
  });
}

async function rolesIn(me: Resident, { id }: Office): Promise<string[]> {
  const { body } = await me.server("GET", `/users/${me.userId}/organizations`);
  const all = (body["organizations"] ?? []) as { id: string; roles: string[] }[];
  return all.find((each) => each.id === id)?.roles ?? [];
}

/** O12: neither a sign-in nor a refresh names another organization. */
async function stranger(me: Resident, own: Office, other: Office): Promise<void> {
  await nothing(me, { organization: other.id });
  const tokens = await loginOf(me, own, await rolesIn(me, own));
  for (const organization of [other.id, null]) {
    const asked = { refreshToken: tokens.refreshToken, organization };
    const { status, body } = await call(me.world.service, "POST", "/auth/refresh", me.app.headers, asked);
    const named = status === 200 ? claimsOf(String(body["accessToken"]))["org_id"] : undefined;
    me.must("O12", status !== 200 || named === own.id, `a refresh gave ${String(named)} for ${String(organization)}`);
    if (status === 200) tokens.refreshToken = String(body["refreshToken"]);
  }
  me.world.reached("an organization of others");
}

/** O12: a sign-in for an organization is for no other, whatever somebody invited posts. */
async function invited(me: Resident, own: Office, other: Office): Promise<void> {
  if (!me.isVerified) return;
  const path = `/organizations/${other.id}/invitations`;
  const { status } = await me.server("POST", path, { invitations: [{ email: me.email, roles: ["member"] }] });
  me.must("O10", status === 200, `not invited: ${status}`);
  const visitor = new Visitor();
  const { last, session } = await me.signIn(visitor, { organization: other.id });
  const [, token = ""] = /name="token" value="([^"]+)"/u.exec(last.text) ?? [];
  const [, invitation = ""] = /name="invitation" value="([^"]+)"/u.exec(last.text) ?? [];
  me.must("O10", invitation !== "", `is not asked whether they join: ${last.status} at ${last.url}`);
  const tries = [{ organization: own.id }, { organization: "none" }, { organization: "later" }];
  for (const values of [...tries, { invitation, answer: "no" }]) {
    const pressed = await visitor.post(`${session.authUrl}/step/organization`, { token, ...values });
    const isIn = pressed.location.searchParams.has("code");
    me.must("O12", !isIn, `signed in with ${Object.keys(values).join(" and ")} for another organization`);
  }
  await loginOf(me, own, await rolesIn(me, own));
  me.world.reached("somebody invited who signs in for that organization");
}

/** O4 and O11: somebody who is deleted is not invited any more. */
async function goes(me: Resident, other: Office): Promise<void> {
  const path = `/organizations/${other.id}/invitations`;
  const wanted = { invitations: [{ email: me.email, roles: ["member"] }] };
  const { status } = await me.server("POST", path, wanted);
  me.must("O10", status === 200, `not invited: ${status}`);
  const since = time.now();
  me.isGone = true;
  me.leaves("entry user.delete", "event user.deleted");
  me.world.ledger.left({ actor: "", act: "deleteOwn", about: me.userId }, { isSure: false });
  const deleted = await me.server("DELETE", `/users/${me.userId}`);
  me.must("O10", deleted.status === 200, `not deleted: ${deleted.status}`);
  await checkNothingIsLeft(me.world, me, since);
  const { body } = await me.server("GET", path);
  me.must("O11", !JSON.stringify(body).includes(me.email), "somebody who is gone is still invited");
  me.world.reached("somebody invited who is deleted");
}

/** O1: who is removed has nothing there any more, and comes back only if they are asked. */
async function leaves(me: Resident, own: Office): Promise<void> {
  const { accessToken, refreshToken } = await loginOf(me, own, await rolesIn(me, own));
  const isTold = await follow(me);
  const { status } = await me.server("DELETE", `/organizations/${own.id}/members/${me.userId}`);
  me.must("O10", status === 200, `not removed: ${status}`);
  await isTold();
  me.leaves("entry organization.member.remove", "event organization.member.removed");
  me.must("O1", !(await me.isValid(accessToken)), "a token outlived the membership");
  const refreshed = await refresh(me.world.service, me.app, refreshToken);
  me.must("O1", refreshed.status !== 200, "a refresh without an organization");
  await nothing(me);
  me.world.reached("somebody removed who needs an organization");
  await join(me, own);
  await loginOf(me, own, ["member"]);
}

/** O1 and O12: an owner's token says so, and ends with that right. */
async function demoted(me: Resident, own: Office): Promise<void> {
  const path = `/organizations/${own.id}/members/${me.userId}`;
  const give = async (roles: string[]): Promise<void> => {
    const { status } = await me.server("PUT", path, { roles });
    me.must("O10", status === 200, `roles are not changed: ${status}`);
  };
  const before = await rolesIn(me, own);
  await give(["owner"]);
  const { accessToken } = await loginOf(me, own, ["owner"]);
  const isTold = await follow(me);
  await give(before);
  await isTold();
  me.must("O1", !(await me.isValid(accessToken)), "an owner's token outlived the right");
  await loginOf(me, own, before);
  me.world.reached("an owner who is none any more");
}

/** O1: a server that verifies tokens itself, and asks for no kinds, is told that they end. */
async function follow(me: Resident): Promise<() => Promise<void>> {
  const poll = async (after: string) => {
    const { status, body } = await call(me.world.service, "GET", `/auth/revocations${after}`, me.app.headers);
    if (status !== 200) throw new Lost("a feed that is not there");
    return body as { cursor: string; revoked: { sub?: string; sid?: string }[] };
  };
  let { cursor } = await poll("");
  return async () => {
    for (let tries = 0; tries < 10; tries += 1) {
      const read = await poll(`?after=${cursor}`);
      if (read.revoked.some(({ sub }) => sub === me.userId)) return;
      ({ cursor } = read);
      await time.pause(2000);
    }
    me.must("O1", false, "the feed never told that tokens of a former right end");
  };
}

/** O6: where an organization requires a second factor, nobody enters without one. */
async function strict(me: Resident, own: Office): Promise<void> {
  if (me.key !== "") return;
  const before = await loginOf(me, own, await rolesIn(me, own));
  const path = `/organizations/${own.id}`;
  const { status } = await me.server("PATCH", path, { secondFactor: "required" });
  me.must("O10", status === 200, `not strict: ${status}`);
  await time.pause(70_000);
  me.must("O6", !(await me.isValid(before.accessToken)), "a token without a second factor is good where one is needed");
  const { code, last } = await me.signIn();
  me.must("O6", code === undefined, "signed in without the second factor that the organization needs");
  me.must("O10", has(last, "/step/set-up"), `is not asked to set an app up: ${last.status} at ${last.url}`);
  me.world.reached("a second factor that an organization needs");
  if (me.chances.chance(0.5)) {
    const visitor = new Visitor();
    const begun = await me.signIn(visitor);
    const shown = begun.last;
    me.key = keyIn(shown);
    const done = await visitor.submit(shown, "/step/set-up", { code: await me.code() });
    me.must("O10", codesIn(done).length === 10, `no app: ${done.status}`);
    me.leaves("entry factor.added", "event method.added totp");
    await loginOf(me, own, await rolesIn(me, own));
  } else {
    await me.server("PATCH", path, { secondFactor: "off" });
    await time.pause(70_000);
    await loginOf(me, own, await rolesIn(me, own));
  }
}
