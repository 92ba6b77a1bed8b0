/**
 * Founders have two organizations with a handful of people each. The server, members by their own
 * rights and operators change them, and all that can be read is compared after each act.
 */
import { Feed, Firm, type Person } from "../firm.ts";
import { Hand } from "../hand.ts";
import { lives, type Resident } from "../resident.ts";
import type { Part, World } from "../world.ts";
import { checkDomains, domainActs, endDomains } from "./founder-domains.ts";
import { Manager } from "./founder-manager.ts";
import { checkConsole, checkOwnPage } from "./founder-pages.ts";
import { checkProvider, providerActs, triesOverLink } from "./founder-providers.ts";
import { changesRoles, removes, leavesByToken, disablesPerson } from "./founder-members.ts";
import { invites, withdraws, isInvited, newcomer } from "./founder-invitations.ts";
import { updates, isOvertaken, plansAnother, disables, deletesOwn, nonsense, token, deletes } from "./founder-acts.ts";

export async function founders(world: World, part: Part): Promise<void> {
  const hands = { hand: undefined as Hand | undefined };
  await lives(world, part, { app: world.founders, name: "founder", network: 150 }, async (me, own) => {
    await live(me, own, hands);
  });
}

type Acts = Record<string, (manager: Manager) => Promise<void>>;

async function live(
  me: Resident,
  { isOver, pause }: Pick<Part, "isOver" | "pause">,
  hands: { hand: Hand | undefined },
): Promise<void> {
  const { world, chances } = me;
  const people = new Map<string, Person>();
  for (const word of ["me", "ada", "bob", "cyd"]) await settle(me, people, word);
  hands.hand ??= await Hand.invited(world, chances, { email: `hand.of.${me.name}@example.org`, role: "owner" });
  const firms = [await found(me, people, "own", me.userId), await found(me, people, "other")];
  const [own, other] = firms as [Firm, Firm];
  world.firmsOf.push(...firms.map((firm) => ({ firm, me })));
  const feed = new Feed(me);
  await feed.begin();
  for (const { told } of firms) told.splice(0);
  const manager = new Manager(me, { own, other, people, hand: hands.hand });
  for (let rounds = 0; rounds < 30 && !isOver(); rounds += 1) {
    await pause(10_000);
    const acts = chances.pick([memberActs, domainActs, providerActs]);
    await acts[chances.pick(Object.keys(acts))]?.(manager);
    if (chances.chance(0.5)) await triesOverLink(manager);
    await own.check();
    if (chances.chance(0.3)) await other.check();
    await chances.pick([checkDomains, checkProvider])(manager);
    await chances.pick([checkConsole, checkOwnPage])(manager);
    await feed.check(firms);
  }
  await deletes(manager, endDomains);
  await feed.check(firms);
  await own.check();
  await other.check();
}

/** Somebody with a verified address; the founder has a password, too. */
async function settle(me: Resident, people: Map<string, Person>, word: string): Promise<void> {
  const isMe = word === "me";
  const email = isMe ? me.email : `${word}.of.${me.name}@example.org`;
  const name = `${word} of ${me.name}`;
  const wanted = { email, emailVerified: true, name, ...(isMe && { password: me.password }) };
  const { status, body } = await me.server("POST", "/users", wanted);
  me.must("O10", status === 201, `nobody was created: ${status} ${JSON.stringify(body.error)}`);
  const id = String(body["id"]);
  people.set(id, { id, email, name, isDisabled: false });
  if (!isMe) return;
  me.userId = id;
}

async function found(me: Resident, people: Map<string, Person>, word: string, owner?: string): Promise<Firm> {
  const { chances, app } = me;
  const ids = [...people.keys()];
  const whose = owner ?? chances.pick(ids);
  const slug = `${word}-${me.name}`;
  const publicMetadata = { plan: chances.below(3) };
  const wanted = { name: `${word} of ${me.name}`, slug, owner: whose, publicMetadata };
  const { status, body } = await me.server("POST", "/organizations", wanted);
  me.must("O10", status === 201, `no organization: ${status} ${JSON.stringify(body.error)}`);
  const firm = new Firm(me, people, body);
  firm.publicMetadata = publicMetadata;
  const actor = `app:${app.id}`;
  firm.note({ actor, action: "create", event: "created" });
  firm.joins(whose, { roles: ["owner"], joinedBy: "server" }, { actor });
  firm.isAsKept(body, "a new organization");
  return firm;
}

const memberActs: Acts = {
  roles: changesRoles,
  "other roles": changesRoles,
  "roles again": changesRoles,
  "roles once more": changesRoles,
  "more roles": changesRoles,
  remove: removes,
  leave: leavesByToken,
  invite: invites,
  "another invitation": invites,
  withdraw: withdraws,
  update: updates,
  "another update": updates,
  overtaken: isOvertaken,
  "plan of another": plansAnother,
  disable: disables,
  person: disablesPerson,
  accept: isInvited,
  newcomer: newcomer,
  "own deletion": deletesOwn,
  nonsense: nonsense,
  token: token,
};
