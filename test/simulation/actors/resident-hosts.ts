/** What residents do at protected hosts, by a browser and by tokens. */
import { HostVisitor, program } from "../../support/host-visitor.ts";
import type { Page } from "../../support/person.ts";
import { askForToken, tokenIn } from "../../support/personal-tokens.ts";
import { simulatedRequest } from "../browser.ts";
import { claimsOf } from "../oracles/tokens.ts";
import type { Resident } from "../resident.ts";
import { Lost } from "../world.ts";
import { offered } from "./resident-account.ts";

export const script = { "sec-fetch-mode": "cors", "sec-fetch-dest": "empty", accept: "*/*" };

/** Signs in at a host; twice if the way back arrived twice. */
export async function entering(me: Resident, browser: HostVisitor, host: string): Promise<Page> {
  let page = await browser.go(`https://${host}/a?b=1`);
  for (let turns = 0; turns < 3 && page.text !== program; turns += 1) {
    const left = await me.walk(page, browser.own);
    page = left.status === 303 ? await browser.go(left.location.href) : left;
    if (page.text !== program) page = await browser.go(`https://${host}/a?b=1`);
  }
  return page;
}

export async function enterHost(me: Resident, browser: HostVisitor, host: string): Promise<void> {
  const page = await entering(me, browser, host);
  me.must("O10", page.text === program, `cannot enter ${host}: ${page.status} at ${page.url}`);
}

export async function opensBy(me: Resident, token: string, host: string): Promise<boolean> {
  const browser = new HostVisitor(me.world.service, "nginx", simulatedRequest);
  const headers = { ...script, authorization: `Bearer ${token}` };
  return (await browser.open(`https://${host}/`, { headers })).text === program;
}

/** Signs out at a host: there alone. */
async function leaveHost(me: Resident): Promise<void> {
  const [host = ""] = me.world.house.hosts;
  const browser = new HostVisitor(me.world.service, "nginx", simulatedRequest);
  await enterHost(me, browser, host);
  const cookie = browser.jar(host).get("__Host-authsvc-proxy") ?? "";
  const page = await browser.open(`https://${host}/.authsvc/sign-out`);
  if (page.status !== 200) return;
  const { fields } = page.form("/.authsvc/sign-out");
  const headers = { origin: `https://${host}`, "sec-fetch-site": "same-origin" };
  const left = await browser.open(`https://${host}/.authsvc/sign-out`, { method: "POST", body: fields, headers });
  if (left.status >= 400) return;
  browser.jar(host).set("__Host-authsvc-proxy", cookie);
  const again = await browser.open(`https://${host}/`, { headers: script });
  me.world.reached("a sign-out at a host");
  me.must("O1", again.text !== program, "a login at a host went on after its sign-out");
}

/** O8: a host that is for a group lets its members in, and nobody else. */
async function groupAtHost(me: Resident): Promise<void> {
  const [, , host = ""] = me.world.house.hosts;
  const browser = new HostVisitor(me.world.service, "proxy", simulatedRequest);
  const enter = async (): Promise<boolean> => (await entering(me, browser, host)).text === program;
  me.must("O8", !(await enter()), `${host} let in who is not in its group`);
  const path = `/groups/staff/members/${me.userId}`;
  const joined = await me.server("PUT", path);
  me.must("O10", joined.status === 200, `is in no group: ${joined.status}`);
  me.leaves("entry group.add", "event user.updated", "entry group.remove", "event user.updated");
  me.must("O10", await enter(), `${host} does not let its group in`);
  offered(me, await me.at(), true);
  await me.server("DELETE", path);
  const { text } = await browser.open(`https://${host}/`, { headers: script });
  me.must("O1", text !== program, `${host} let in who has left its group`);
  me.world.reached("a host of a group");
}

/** What a program is told of who comes: everything that is true, and nothing else. */
async function mustTell(me: Resident, page: Page, { acr, floor }: { acr: string; floor: string | undefined }) {
  const { headers } = page;
  const groups = me.claims?.roles.toSorted() ?? [];
  const email = me.isVerified ? me.email : null;
  const names = ["id", "email", "groups", "floor"];
  const is = names.map((name) => headers.get(`remote-${name}`)).join(" ");
  const should = [me.userId, email, groups.length > 0 ? groups.join(",") : null, floor ?? null].join(" ");
  me.must("O6", is === should, `a program was told of ${is}, and it is ${should}`);
  const told = claimsOf(headers.get("x-authsvc-assertion") ?? "");
  const [says, does] = [
    [told["sub"], told["aud"], told["acr"], told["email"], told["email_verified"], told["groups"]],
    [me.userId, `https://${vaultOf(me)}`, acr, me.email, me.isVerified, groups],
  ].map((each) => JSON.stringify(each));
  me.must("O6", says === does, `an assertion says ${says} instead of ${does}`);
  const from = Number(told["iat"]) * 1000;
  me.must("O6", Number(told["exp"]) * 1000 - from === 60_000, "an assertion lasts longer than a minute");
}

function vaultOf({ world }: Resident): string {
  return world.house.hosts[3] ?? "";
}

/** O6 and O1: a host that asks for two factors tells its program what is true at each request. */
async function vault(me: Resident): Promise<void> {
  const host = vaultOf(me);
  const browser = new HostVisitor(me.world.service, me.chances.pick(["nginx", "proxy"]), simulatedRequest);
  const page = await entering(me, browser, host);
  if (me.key === "") return me.must("O6", page.text !== program, `${host} let in who has one factor`);
  me.must("O10", page.text === program, `cannot enter ${host}: ${page.status} at ${page.url}`);
  const look = async (floor?: string): Promise<void> => {
    const shown = await browser.open(`https://${host}/`, { headers: script });
    me.must("O4", shown.text === program, `a login at ${host} ended: ${shown.status}`);
    await mustTell(me, shown, { acr: "urn:authsvc:acr:2", floor });
  };
  await look();
  const group = `crew-${me.name}`;
  await me.server("PUT", `/groups/${group}`, {});
  const path = `/groups/${group}/members/${me.userId}`;
  const joined = await me.server("PUT", path);
  me.must("O10", joined.status === 200, `is in no group: ${joined.status}`);
  me.claims = { roles: [group] };
  const floor = me.next("floor");
  await me.patch({ private: { floor } }, "/metadata");
  await look(encodeURIComponent(floor));
  await me.server("DELETE", path);
  me.claims = { roles: [] };
  await me.patch({ private: { floor: null } }, "/metadata");
  await look();
  for (const what of ["entry group.add", "entry group.remove"]) me.leaves(what, "event user.updated");
  for (let times = 0; times < 2; times += 1) me.leaves("entry user.metadata", "event user.updated");
  me.world.reached("a program told of groups, values and factors");
}

/** O1, O6 and O8: a token opens hosts of its owner's groups of now, for its own factors. */
async function tokenOfGroup(me: Resident): Promise<void> {
  if (!me.isVerified) return;
  const { world } = me;
  const wiki = world.house.hosts[2] ?? "";
  const [vaulted, member] = [vaultOf(me), `/groups/staff/members/${me.userId}`];
  const joined = await me.server("PUT", member);
  me.must("O10", joined.status === 200, `is in no group: ${joined.status}`);
  me.claims = { roles: ["staff"] };
  me.leaves("entry group.add", "event user.updated", "entry group.remove", "event user.updated");
  const hasTwo = me.key !== "";
  // A person with one factor may choose it, but the token opens nothing until it has two.
  const isOffered = (await me.at("/new-token")).text.includes(`host.${vaulted}`);
  me.must("O10", isOffered || !hasTwo, `${vaulted} is not offered to a token`);
  const hosts = isOffered ? [wiki, vaulted] : [wiki];
  const chosen = Object.fromEntries(hosts.map((host) => [`host.${host}`, "on"]));
  const page = await askForToken(world.service, me.app, me.desk, chosen);
  if (page.status !== 200) throw new Lost("no token");
  const token = tokenIn(page);
  me.leaves("entry personal-token.create", "event personal-token.created");
  me.must("O10", await opensBy(me, token, wiki), `a token does not open ${wiki}`);
  me.must("O6", (await opensBy(me, token, vaulted)) === hasTwo, `a token of ${hasTwo ? 2 : 1} factors at ${vaulted}`);
  if (hasTwo) {
    const browser = new HostVisitor(world.service, "nginx", simulatedRequest);
    const headers = { ...script, authorization: `Bearer ${token}` };
    await mustTell(me, await browser.open(`https://${vaulted}/`, { headers }), {
      acr: "urn:authsvc:acr:1",
      floor: undefined,
    });
  }
  await me.server("DELETE", member);
  me.claims = { roles: [] };
  me.must("O1", !(await opensBy(me, token, wiki)), `a token opened ${wiki} after its owner left the group`);
  world.reached(
    hasTwo
      ? "a token of two factors at the host of a group that was left"
      : "a token of one factor at the host of a group that was left",
  );
  await endOwn(me, token, hosts);
}

/** The server lists tokens and ends them. */
async function endOwn(me: Resident, token: string, hosts: string[]): Promise<void> {
  const { status, body } = await me.server("GET", `/users/${me.userId}/personal-tokens`);
  me.must("O10", status === 200, `no list of tokens: ${status}`);
  const listed = body["tokens"] as Record<string, unknown>[];
  const hostsOf = (each: Record<string, unknown>): string => (each["hosts"] as string[]).toSorted().join(" ");
  const [one, ...others] = listed.filter((each) => hostsOf(each) === hosts.toSorted().join(" "));
  me.must("O4", one !== undefined, `no token of ${hosts.join()} in ${JSON.stringify(listed)}`);
  if (!one || others.length > 0) return;
  const ended = await me.server("DELETE", `/users/${me.userId}/personal-tokens/${String(one["id"])}`);
  me.must("O10", ended.status === 200, `a token was not ended: ${ended.status}`);
  me.leaves("entry personal-token.end", "event personal-token.ended");
  for (const host of hosts)
    me.must("O1", !(await opensBy(me, token, host)), `a token opened ${host} after the server ended it`);
  const { body: then } = await me.server("GET", `/users/${me.userId}/personal-tokens`);
  const isListed = JSON.stringify(then).includes(String(one["id"]));
  me.must("O4", !isListed, "a token that was ended is still listed");
  me.world.reached("a personal token ended by the server");
}

/** O6: a group whose members need two factors, at a host that is for everybody. */
async function groupOfTwo(me: Resident): Promise<void> {
  const [host = ""] = me.world.house.hosts;
  const group = `twice-${me.name}`;
  const made = await me.server("PUT", `/groups/${group}`, { secondFactor: "required" });
  me.must("O10", made.status < 300, `no group: ${made.status}`);
  const browser = new HostVisitor(me.world.service, "nginx", simulatedRequest);
  await enterHost(me, browser, host);
  const path = `/groups/${group}/members/${me.userId}`;
  const joined = await me.server("PUT", path);
  me.must("O10", joined.status === 200, `is in no group: ${joined.status}`);
  const shown = await browser.open(`https://${host}/`, { headers: script });
  if (me.key === "") me.must("O6", shown.text !== program, `${host} let in who has one factor and needs two`);
  else me.must("O4", shown.text === program, `${host} refused who has two factors: ${shown.status}`);
  await me.server("DELETE", path);
  me.leaves("entry group.add", "event user.updated", "entry group.remove", "event user.updated");
  const again = await browser.open(`https://${host}/`, { headers: script });
  me.must("O4", again.text === program, `a login at ${host} ended with a group`);
  me.world.reached(me.key ? "a group of two factors, and two" : "a group of two factors, and one");
}

/** Short stories about hosts. */
export const hostEpisodes: ((me: Resident) => Promise<void>)[] = [
  leaveHost,
  groupAtHost,
  vault,
  vault,
  tokenOfGroup,
  tokenOfGroup,
  groupOfTwo,
];
