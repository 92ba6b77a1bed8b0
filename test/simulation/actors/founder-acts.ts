/** What founders do with the organization itself: settings, tokens, its end. */
import { refresh, Visitor } from "../../support/person.ts";
import { sameText, shownText } from "../firm-answers.ts";
import type { Firm, Who } from "../firm.ts";
import { claimsOf } from "../oracles/tokens.ts";
import { time } from "../time.ts";
import { Lost } from "../world.ts";
import type { Manager } from "./founder-manager.ts";
import { gives } from "./founder-members.ts";

/** A running service notices within a second, and reads slowly at times. */
const noticed = 70_000;

/** What a change of fields leaves. */
export async function updates(manager: Manager): Promise<void> {
  const { own, other, me } = manager;
  const { chances } = me;
  const who = manager.drawWho();
  const rank = own.rankOf(who);
  const fresh = `own-${manager.next()}-${me.name}`;
  const all: Record<string, () => unknown> = {
    // A web address only if it is a domain that it has proved.
    name: () => chances.pick([`Firm ${manager.next()} of ${me.name}`, own.name, "acme.com", `own-${me.name}.com`]),
    slug: () => chances.pick([fresh, own.slug, other.slug, ...own.slugs]),
    secondFactor: () => chances.pick(["off", "optional"]),
    maxMembers: () => chances.pick([null, 3, 4, 0, own.members.size]),
    publicMetadata: () => ({ [chances.pick(["plan", "seats"])]: chances.pick([null, chances.below(5)]) }),
  };
  const fields: Record<string, readonly string[]> = {
    server: Object.keys(all),
    owner: ["name", "slug", "secondFactor"],
    admin: ["name"],
  };
  const count = who.kind === "page" ? 1 : 1 + chances.below(2);
  const onPage = who.kind === "page" ? ["name", "slug", "secondFactor"] : Object.keys(all);
  const choices = who.kind === "console" ? onPage.filter((name) => name !== "publicMetadata") : onPage;
  const names = [...new Set(Array.from({ length: count }, () => chances.pick(choices)))];
  const change = Object.fromEntries(
    Object.keys(all)
      .filter((name) => names.includes(name))
      .map((name) => [name, all[name]?.()]),
  );
  const isProved = (domain: string): boolean => {
    const claim = own.domains.get(domain);
    return claim?.state === "proved" && claim.setupLinkId === null;
  };
  const name = (change["name"] ?? "") as string;
  const wrongName = name.endsWith(".com") && !isProved(name);
  const slug = change["slug"] as string | undefined;
  const isNewSlug = slug !== undefined && !own.slugs.includes(slug);
  const wrongSlug = slug === other.slug || (isNewSlug && own.slugs.length > 3);
  const isRight = !wrongName && !wrongSlug && change["maxMembers"] !== 0;
  const may = rank !== undefined && names.every((name) => fields[rank]?.includes(name) === true);
  const altered = Object.keys(change).filter(
    (name) => !sameText(after(manager, change)[name], own[name as keyof Firm]),
  );
  if (who.kind === "console" && altered.length === 0) return;
  const texts = Object.fromEntries(Object.entries(change).map(([name, value]) => [name, shownText(value)]));
  const act = names[0] === "secondFactor" ? "policy" : (names[0] ?? "");
  const answer =
    who.kind === "page"
      ? await manager.page({ act, ...texts })
      : who.kind === "console"
        ? await manager.console("change", texts)
        : await manager.api(who, "PATCH", own.path, change);
  const what = `${who.kind} (${rank}) changes ${JSON.stringify(change)}`;
  if (!manager.judge(answer, isRight && may, what)) return;
  if (who.kind === "page" || who.kind === "console") await readTime(manager);
  else own.updatedAt = String(answer.body["updatedAt"]);
  if (altered.length > 0) alters(manager, change, altered, who);
  if (who.kind === "server" || who.kind === "by") own.isAsKept(answer.body, "a changed organization");
}

/** O4: a form of before overwrites nothing that was changed since, and keeps all else. */
export async function isOvertaken(manager: Manager): Promise<void> {
  const { own, me, hand } = manager;
  const before = own.name;
  const [name, another] = [`Firm ${manager.next()} of ${me.name}`, `Firm ${manager.next()} of ${me.name}`];
  const page = await hand.open(`/applications/${me.app.id}/organizations/${own.id}`);
  const answer = await manager.api({ kind: "server" }, "PATCH", own.path, { name });
  if (!manager.judge(answer, true, "the server renames")) return;
  own.updatedAt = String(answer.body["updatedAt"]);
  alters(manager, { name }, ["name"], { kind: "server" });
  me.world.reached("a form of an organization that was overtaken");
  const rank = own.rankOf({ kind: "page" });
  if (me.chances.chance(0.4) && (rank === "owner" || rank === "admin")) {
    const late = await manager.page({ act: "name", name: another, was: before });
    return void manager.judge(late, false, "a page of before renames");
  }
  const isSame = me.chances.chance(0.6);
  const maxMembers = (own.maxMembers ?? own.members.size) + 1;
  const change: Record<string, string> = isSame ? { name: another } : { maxMembers: String(maxMembers) };
  const planned = await hand.submit(page, `${own.id}/change`, { ...change, check: "yes" });
  me.must("O9", planned.status !== 303, "a plan of a change was done");
  own.isAsKept((await me.server("GET", own.path)).body, "an organization after a plan");
  const { status } = await hand.submit(page, `${own.id}/change`, change);
  const done = { isDone: status === 303, status, body: {} };
  if (!manager.judge(done, !isSame, "a form of before at the console")) return;
  await readTime(manager);
  alters(manager, { maxMembers }, ["maxMembers"], { kind: "console" });
}

/** O9: "Check" creates nothing; the same form creates what it says. */
export async function plansAnother(manager: Manager): Promise<void> {
  const { me, hand } = manager;
  const slug = `planned-${manager.next()}-${me.name}`;
  const owner = manager.drawPerson();
  const path = `/applications/${me.app.id}/organizations`;
  const values = { name: `Planned by ${me.name}`, slug, owner: owner.id };
  const planned = await hand.post(path, { ...values, check: "yes" });
  me.must("O10", owner.isDisabled || planned.status === 200, `no plan of an organization: ${planned.status}`);
  const listed = async () => {
    const all = (await manager.own.pages("/organizations", "organizations")).filter((each) => each["slug"] === slug);
    return all[0];
  };
  me.must("O9", (await listed()) === undefined, "a planned organization is there");
  if (owner.isDisabled || me.chances.chance(0.5)) return;
  const { status } = await hand.post(path, values);
  const made = await listed();
  const is = [status, made?.["name"], made?.["secondFactor"], made?.["maxMembers"]];
  me.must("O4", sameText(is, [303, values.name, "off", null]), `created at the console: ${JSON.stringify(is)}`);
  const members = await manager.own.pages(`/organizations/${String(made?.["id"])}/members`, "members");
  const roles = members.map((each) => [each["id"], each["roles"]]);
  me.must("O4", sameText(roles, [[owner.id, ["owner"]]]), `its members are ${JSON.stringify(roles)}`);
  await me.server("DELETE", `/organizations/${String(made?.["id"])}`);
  manager.own.told.push(String(made?.["id"]));
  me.world.reached("an organization created at the console");
}

async function readTime(manager: Manager): Promise<void> {
  const { own, me } = manager;
  own.updatedAt = String((await me.server("GET", own.path)).body["updatedAt"]);
}

function after(manager: Manager, change: Record<string, unknown>): Record<string, unknown> {
  const patch = change["publicMetadata"] as Record<string, unknown> | undefined;
  const merged = Object.fromEntries(
    Object.entries({ ...manager.own.publicMetadata, ...patch }).filter(([, value]) => value !== null),
  );
  return { ...change, ...(patch && { publicMetadata: merged }) };
}

function alters(manager: Manager, change: Record<string, unknown>, altered: string[], who: Who): void {
  const { own } = manager;
  const was = own.secondFactor;
  if (typeof change["slug"] === "string" && !own.slugs.includes(change["slug"])) own.slugs.push(change["slug"]);
  Object.assign(own, after(manager, change));
  const changes = altered.includes("secondFactor") ? { secondFactor: { from: was, to: own.secondFactor } } : {};
  own.note({
    ...manager.actor(who),
    action: "update",
    event: "updated",
    details: { fields: altered.join(", ") },
    changes,
  });
}

export async function disables(manager: Manager, given?: Who): Promise<void> {
  const { own, me } = manager;
  const isOn = own.isDisabled || me.chances.chance(0.3);
  const drawn: Who[] = [{ kind: "server" }, { kind: "console" }, { kind: "by", id: manager.drawPerson().id }];
  const who = given ?? me.chances.pick(drawn);
  const disabled = !isOn;
  if (who.kind === "console" && own.isDisabled === disabled) return;
  const wasDeleting = own.deletesAt !== null;
  const answer =
    who.kind === "console"
      ? await manager.console(disabled ? "disable" : "enable")
      : await manager.api(who, "PATCH", own.path, { disabled });
  if (!manager.judge(answer, who.kind !== "by", `${who.kind} disables`)) return;
  await readTime(manager);
  const fields = wasDeleting ? "deletesAt" : "";
  const isChanged = own.isDisabled !== disabled;
  own.deletesAt = null;
  if (!isChanged && !wasDeleting) return;
  own.isDisabled = disabled;
  const action = !isChanged ? "update" : disabled ? "disable" : "enable";
  own.note({ ...manager.actor(who), action, event: "updated", details: { fields } });
  if (isChanged && disabled) own.tells();
  await waits();
}

/** Nodes notice what happened to a whole organization within a second. */
async function waits(): Promise<void> {
  await time.pause(2000);
}

/** An owner's deletion waits for a week, and is undone. */
export async function deletesOwn(manager: Manager): Promise<void> {
  const { own, me } = manager;
  if (own.isDisabled) return;
  const isAllowed = own.rankOf({ kind: "page" }) === "owner" && !own.lostOwner;
  const answer = await manager.page({ act: "delete" });
  if (!manager.judge(answer, isAllowed, `${own.rankOf({ kind: "page" })} deletes`)) return;
  const { body } = await me.server("GET", own.path);
  own.updatedAt = String(body["updatedAt"]);
  own.deletesAt = String(body["deletesAt"]);
  own.isDisabled = true;
  const left = Date.parse(own.deletesAt) - time.now();
  me.must("O4", left > 6.9 * 86_400_000 && left <= 7 * 86_400_000, `it is deleted in ${left}`);
  const actor = `user:${me.userId}`;
  own.note({ actor, action: "disable", event: "updated", details: { deletesAt: own.deletesAt } });
  own.tells();
  await waits();
  await own.check();
  me.world.reached("an owner's deletion");
  if (!me.chances.chance(0.6)) return;
  if (!manager.judge(await manager.page({ act: "restore" }), true, "an owner restores")) return;
  await readTime(manager);
  Object.assign(own, { isDisabled: false, deletesAt: null });
  own.note({ actor, action: "enable", event: "updated" });
  await waits();
}

/** O8: what is not there, or is another organization's. */
export async function nonsense(manager: Manager): Promise<void> {
  const { own, other, me } = manager;
  const [one, stranger] = [manager.drawPerson(), `usr_${"0".repeat(26)}`];
  const [foreign] = other.members.keys();
  const path = own.path;
  const tries: [string, string, unknown?][] = [
    ["PUT", `${path}/members/${stranger}`, { roles: ["member"] }],
    ["PUT", `${path}/members/${one.id}`, { roles: ["emperor"] }],
    ["PUT", `${path}/members/${one.id}`, { roles: [] }],
    ["DELETE", `${path}/members/${stranger}`],
    ["DELETE", `${path}/invitations/inv_${"0".repeat(26)}`],
    ["DELETE", `${path}/domains/nobody.example`],
    ["POST", `${path}/invitations`, { invitations: [] }],
    ["GET", `${path}/members?limit=0`],
    ["GET", `${path}/members?colour=red`],
    ["GET", `/organizations/${me.world.firms.organizations[0]?.id ?? "org_none"}`],
    ["PATCH", `/organizations/${me.world.offices.id}`, { name: "Somebody else's" }],
    ["POST", "/organizations", { name: "Twice", slug: own.slug, owner: one.id }],
    ["POST", "/organizations", { name: "Nobody's", owner: stranger }],
    ["POST", "/organizations", { name: "Slug", slug: me.chances.pick(["Bad", "a b", "-a", "a"]), owner: one.id }],
    ...[...manager.people.values()]
      .filter(({ isDisabled }) => isDisabled)
      .map(({ id }): [string, string, unknown] => ["POST", "/organizations", { name: "Disabled", owner: id }]),
    ["DELETE", `${path}/invitations/${other.invitations[0]?.id ?? "inv_none"}`],
    ...(foreign !== undefined && !own.members.has(foreign)
      ? ([
          ["DELETE", `${path}/members/${foreign}`],
          ["PATCH", `${path}/members/${foreign}`, { roles: ["member"] }],
        ] as [string, string, unknown?][])
      : []),
  ];
  const [method, place, body] = me.chances.pick(tries);
  const { status } = await me.server(method, place, body);
  me.must(
    "O8",
    status >= 400 && status < 500,
    `${method} ${place.replaceAll(/[a-z]{3}_\w+/gu, "…")} was answered with ${status}`,
  );
}

/** O12: a token of the founder says their roles, and is over when one of them is taken. */
export async function token(manager: Manager): Promise<void> {
  const { own, me } = manager;
  // Where there is a provider, companies try what it is for.
  if (!own.isLive(me.userId) || own.provider) return;
  const visitor = new Visitor();
  manager.wanted = own.id;
  const { session, page } = await me.begin(visitor, { organization: me.chances.pick([own.id, own.slug]) });
  const last = await me.walk(page, visitor);
  manager.wanted = "none";
  const code = last.location.searchParams.get("code") ?? undefined;
  const why = `${last.status} ${/<h1>([^<]*)/u.exec(last.text)?.[1]}`;
  me.must("O10", code !== undefined, `cannot sign in to an organization: ${why}`);
  const { status, body } = await me.redeem({ session, code });
  if (status !== 200) throw new Lost("too late for the code");
  const claims = claimsOf(String(body["accessToken"]));
  const { id, slug, name } = own;
  const roles = own.rolesOf(me.userId);
  const is = [claims["org_id"], claims["org_roles"], body["organization"]];
  const should = [id, roles, { id, slug, name, roles }];
  me.must("O12", sameText(is, should), `a login says ${JSON.stringify(is)} instead of ${JSON.stringify(should)}`);
  const gets = me.chances.pick([["member"], ["owner"], ["billing", "member"]]);
  await gives(manager, me.userId, gets);
  const isLess = roles.some((role) => !gets.includes(role));
  const isValid = await me.isValid(String(body["accessToken"]));
  me.must(
    isLess ? "O1" : "O4",
    isValid !== isLess,
    `a token with ${roles.join()} is ${isValid ? "valid" : "over"} with ${gets.join()}`,
  );
  const next = await refresh(me.world.service, me.app, String(body["refreshToken"]));
  me.must("O4", next.status === 200, `no refresh after a change of roles: ${next.status}`);
  const now = claimsOf(String(next.body["accessToken"]))["org_roles"];
  me.must("O12", sameText(now, gets), `a refresh says ${JSON.stringify(now)} instead of ${gets.join()}`);
}

/** At once and for good; the other one stays as it is. */
export async function deletes(manager: Manager, endDomains: (manager: Manager) => void): Promise<void> {
  const { own, me } = manager;
  const who = me.chances.pick<Who>([{ kind: "server" }, { kind: "console" }]);
  const answer =
    who.kind === "console"
      ? await manager.console("delete", { confirmation: own.name })
      : await manager.api(who, "DELETE", own.path);
  if (!manager.judge(answer, true, `${who.kind} deletes`)) return;
  endDomains(manager);
  Object.assign(own, { isGone: true, isDisabled: true, invitations: [] });
  own.tells();
  own.note({ ...manager.actor(who), action: "delete", event: "deleted" });
  await time.pause(noticed);
  for (const link of manager.links.values())
    me.must("O3", (await new Visitor().get(link)).status !== 200, "an invitation outlived its organization");
  own.members.clear();
  me.world.reached("a founder's organization deleted");
}
