/** Domains that organizations of founders claim, prove, lose and hand over. */
import { sameText, without } from "../firm-answers.ts";
import type { Claim, Firm, Who } from "../firm.ts";
import { time } from "../time.ts";
import { Lost } from "../world.ts";
import { removeRecord, setFailing, setRecord } from "../zones.ts";
import type { Manager } from "./founder-manager.ts";

export const domainActs: Record<string, (manager: Manager) => Promise<void>> = {
  claim: claims,
  "another claim": claims,
  prove: (manager) => proves(manager),
  "prove again": (manager) => proves(manager),
  lose: loses,
  join: setsJoin,
  "remove domain": (manager) => removes(manager),
  vouch: vouches,
  "hand over": handsOver,
};

const nameOf = (domain: string): string => `_authsvc-challenge.${domain}`;

/** Only owners, the server and operators. */
function may({ own }: Manager, who: Who): boolean {
  const rank = own.rankOf(who);
  return rank === "server" || rank === "owner";
}

/** The claim of the other organization. */
const rivalOf = ({ own, other }: Manager, firm: Firm): Firm => (firm === own ? other : own);

async function claims(manager: Manager): Promise<void> {
  const { own, me } = manager;
  const who = manager.drawWho();
  const word = me.name;
  const good = [`shared-${word}.com`, `shared-${word}.com`, `own-${word}.com`, `third-${word}.com`];
  const domain = me.chances.pick([...good, "gmail.com", "co.uk", "no domain"]);
  const join = me.chances.pick(["off", "ask", "on"]);
  const isRight = good.includes(domain);
  const answer =
    who.kind === "page"
      ? await manager.page({ act: "add-domain", domain })
      : who.kind === "console"
        ? await manager.console("domains", { domain, join })
        : await manager.api(who, "POST", `${own.path}/domains`, { domain, join });
  if (!manager.judge(answer, isRight && may(manager, who), `${who.kind} (${own.rankOf(who)}) claims ${domain}`)) return;
  const chosen = who.kind === "page" ? "off" : join;
  await claimed(manager, own, { domain, join: chosen, setupLinkId: null }, manager.actor(who));
}

/** What a claim leaves, and the first look of a worker. */
export async function claimed(
  manager: Manager,
  firm: Firm,
  { domain, join, setupLinkId }: { domain: string; join: string; setupLinkId: string | null },
  note: { actor: string; onBehalfOf?: string },
): Promise<void> {
  const known = firm.domains.get(domain);
  if (known) {
    // An owner who adds what a set-up link added confirms it.
    if (setupLinkId === null && known.setupLinkId !== null) confirmed(manager, firm, known, note);
    return;
  }
  firm.note({ ...note, action: "domain.add", details: { domain } });
  const row = await read(manager, firm, domain);
  const record = row["record"] as { name: string; value: string } | null;
  manager.me.must("O4", record?.name === nameOf(domain), `the record of ${domain} is ${JSON.stringify(record)}`);
  const value = record?.value ?? "";
  const claim = {
    domain,
    state: "pending",
    join,
    setupLinkId,
    misses: 0,
    value,
    isVouched: false,
    wasProved: false,
    isMoved: false,
    isFound: false,
  };
  firm.domains.set(domain, claim);
}

/** After the worker has looked for a new claim. */
async function read({ me }: Manager, firm: Firm, domain: string): Promise<Record<string, unknown>> {
  for (let tries = 0; tries < 20; tries += 1) {
    await time.pause(3000);
    const { body } = await me.server("GET", `${firm.path}/domains`);
    const row = (body["domains"] as Record<string, unknown>[] | undefined)?.find((each) => each["domain"] === domain);
    me.must("O4", row !== undefined, `${domain} is not claimed`);
    if (row?.["checkedAt"] !== null) return row ?? {};
  }
  throw new Lost("nobody has looked for a record");
}

/** What an owner or the server confirms counts from now on, with the record that was found. */
export function confirmed(
  manager: Manager,
  firm: Firm,
  claim: Claim,
  note: { actor: string; onBehalfOf?: string },
): void {
  claim.setupLinkId = null;
  firm.note({ ...note, action: "domain.confirm", details: { domain: claim.domain } });
  if (claim.isFound) found(manager, firm, claim, note);
}

/** Its record is there. */
export function found(manager: Manager, firm: Firm, claim: Claim, note: { actor: string; onBehalfOf?: string }): void {
  claim.isFound = true;
  if (claim.isVouched) return;
  if (claim.state === "proved") claim.misses = 0;
  else if (!firm.isDisabled && claim.setupLinkId === null) {
    const rival = rivalOf(manager, firm).domains.get(claim.domain);
    if (rival?.state === "proved") claim.state = "waiting";
    else proved(firm, claim, note, rival?.wasProved === true);
  }
}

function proved(firm: Firm, claim: Claim, note: { actor: string; onBehalfOf?: string }, isMoved: boolean): void {
  Object.assign(claim, { state: "proved", wasProved: true, misses: 0, isMoved });
  firm.note({ ...note, action: "domain.proved", event: "domain.proved", details: { domain: claim.domain } });
}

/** One has proved what the other one waits for, and gives it up. */
async function handsOver(manager: Manager): Promise<void> {
  const { own, other, me } = manager;
  const domain = `shared-${me.name}.com`;
  if (own.isDisabled || other.isDisabled || other.isGone) return;
  if (!own.domains.has(domain)) {
    const answer = await manager.api({ kind: "server" }, "POST", `${own.path}/domains`, { domain });
    if (!manager.judge(answer, true, "the server claims")) return;
    await claimed(manager, own, { domain, join: "off", setupLinkId: null }, manager.actor({ kind: "server" }));
  }
  await rivalClaims(manager);
  const [claim, rival] = [own, other].map((firm) => firm.domains.get(domain));
  if (!claim || !rival) return;
  if (claim.state !== "proved") await provesOne(manager, own, claim, { kind: "server" });
  await provesOne(manager, other, rival, { kind: "server" });
  if (me.chances.chance(0.7)) await removes(manager, claim);
}

async function provesOne(manager: Manager, firm: Firm, claim: Claim, who: Who, isAllowed = true): Promise<void> {
  setRecord(nameOf(claim.domain), claim.value);
  if (!(await checks(manager, firm, claim, who, isAllowed))) return removeRecord(nameOf(claim.domain));
  found(manager, firm, claim, manager.actor(who));
  manager.me.world.reached("a domain's record found");
}

async function proves(manager: Manager): Promise<void> {
  const { own, other, me } = manager;
  const isOther = other.domains.size > 0 && !other.isGone && me.chances.chance(0.3);
  const firm = isOther ? other : own;
  if (!isOther && me.chances.chance(0.25)) return await rivalClaims(manager);
  if (firm.domains.size === 0) return;
  const claim = me.chances.pick([...firm.domains.values()]);
  const who: Who = isOther ? { kind: "server" } : manager.drawWho();
  await provesOne(manager, firm, claim, who, isOther || may(manager, who));
}

/** The other organization claims what this one has. */
async function rivalClaims(manager: Manager): Promise<void> {
  const { other, me } = manager;
  const domain = `shared-${me.name}.com`;
  if (other.domains.has(domain)) return;
  const answer = await manager.api({ kind: "server" }, "POST", `${other.path}/domains`, { domain });
  if (!manager.judge(answer, true, "the server claims for the other one")) return;
  await claimed(manager, other, { domain, join: "off", setupLinkId: null }, manager.actor({ kind: "server" }));
}

/** Asks DNS now. Only one may have the record at a time. */
async function checks(manager: Manager, firm: Firm, claim: Claim, who: Who, isAllowed: boolean): Promise<boolean> {
  const { domain } = claim;
  const answer =
    who.kind === "page"
      ? await manager.page({ act: "check-domain", domain })
      : who.kind === "console"
        ? await manager.console(`domains/${domain}/check`)
        : await manager.api(who, "POST", `${firm.path}/domains/${domain}/check`);
  if (!manager.judge(answer, isAllowed, `${who.kind} checks ${domain}`)) return false;
  claim.isUnknown = false;
  return true;
}

async function loses(manager: Manager): Promise<void> {
  const { own } = manager;
  if (own.domains.size === 0) return;
  const claim = manager.me.chances.pick([...own.domains.values()]);
  const who = manager.drawWho();
  // No answer changes nothing.
  if (!claim.isVouched && claim.setupLinkId === null && manager.me.chances.chance(0.4)) {
    setFailing(nameOf(claim.domain), true);
    if (await checks(manager, own, claim, who, may(manager, who))) claim.isUnknown = true;
    setFailing(nameOf(claim.domain), false);
    manager.me.world.reached("a domain about which DNS says nothing");
    return;
  }
  removeRecord(nameOf(claim.domain));
  if (!(await checks(manager, own, claim, who, may(manager, who)))) return;
  claim.isFound = false;
  if (claim.isVouched) return;
  // One miss a day counts, and the run lasts less.
  if (claim.state === "proved" && claim.misses === 0) {
    claim.misses = 1;
    own.tellsOwners(claim.domain);
  }
  if (claim.state === "waiting") claim.state = "pending";
}

async function setsJoin(manager: Manager): Promise<void> {
  const { own, me } = manager;
  if (own.domains.size === 0) return;
  const claim = me.chances.pick([...own.domains.values()]);
  const who = manager.drawWho();
  const { domain } = claim;
  const join = me.chances.pick(["off", "ask", "on"]);
  if (who.kind === "console" && join === claim.join) return;
  const answer =
    who.kind === "page"
      ? await manager.page({ act: "join-domain", domain, join })
      : who.kind === "console"
        ? await manager.console(`domains/${domain}/join`, { join })
        : await manager.api(who, "PATCH", `${own.path}/domains/${domain}`, { join });
  if (!manager.judge(answer, may(manager, who), `${who.kind} lets people join by ${domain}`)) return;
  if (join === claim.join) return;
  const changes = { join: { from: claim.join, to: join } };
  claim.join = join;
  own.note({ ...manager.actor(who), action: "domain.update", details: { domain }, changes });
}

async function removes(manager: Manager, given?: Claim): Promise<void> {
  const { own, me } = manager;
  if (own.domains.size === 0) return;
  const claim = given ?? me.chances.pick([...own.domains.values()]);
  const who: Who = given ? { kind: me.chances.pick(["server", "console"]) } : manager.drawWho();
  const { domain } = claim;
  const answer =
    who.kind === "page"
      ? await manager.page({ act: "remove-domain", domain })
      : who.kind === "console"
        ? await manager.console(`domains/${domain}/remove`)
        : await manager.api(who, "DELETE", `${own.path}/domains/${domain}`);
  if (manager.judge(answer, may(manager, who), `${who.kind} (${own.rankOf(who)}) removes ${domain}`))
    ended(manager, claim, manager.actor(who));
}

/** The claim is over; who waited for the domain holds it. */
function ended(manager: Manager, claim: Claim, note: { actor: string; onBehalfOf?: string; ipAddress?: null }): void {
  const { own, other } = manager;
  const { domain } = claim;
  own.domains.delete(domain);
  if (claim.isFound) removeRecord(nameOf(domain));
  own.note({ ...note, action: "domain.remove", details: { domain } });
  if (claim.state !== "proved") return;
  own.note({ ...note, action: "domain.lost", event: "domain.lost", details: { domain } });
  const next = other.domains.get(domain);
  if (next?.state !== "waiting" || other.isDisabled) return;
  proved(other, next, note, true);
  manager.me.world.reached("a domain that moved to another organization");
}

/** An operator's word is as good as a record. */
async function vouches(manager: Manager): Promise<void> {
  const { own, other, me } = manager;
  const all = [...own.domains.values()].filter(({ isVouched }) => !isVouched);
  if (all.length === 0) return;
  const claim = me.chances.pick(all);
  const { domain } = claim;
  const form = `domains/${domain}/vouch`;
  const page = await manager.hand.open(`/applications/${me.app.id}/organizations/${own.id}`);
  if (!page.text.includes(form)) return;
  const answer = await manager.console(form);
  const isAllowed = other.domains.get(domain)?.state !== "proved";
  if (!manager.judge(answer, isAllowed, `an operator vouches for ${domain}`)) return;
  const note = { actor: manager.hand.actor };
  if (claim.setupLinkId !== null) confirmed(manager, own, claim, note);
  const was = claim.state;
  if (was === "proved") Object.assign(claim, { isVouched: true, misses: 0 });
  else {
    proved(own, claim, note, false);
    claim.isVouched = true;
  }
  claim.isMoved = false;
  me.world.reached("a domain for which an operator vouches");
}

/** O4: of both organizations, whole. */
export async function checkDomains(manager: Manager): Promise<void> {
  const { own, other, me } = manager;
  const firm = me.chances.pick([own, other]);
  if (firm.isGone) return;
  const { status, body } = await me.server("GET", `${firm.path}/domains`);
  me.must("O4", status === 200, `no domains: ${status}`);
  const is = (body["domains"] as Record<string, unknown>[]).map((each) => {
    const { answer, provedAt, worksAt } = each;
    const rest = without(each, "createdAt", "checkedAt", "answer", "provedAt", "worksAt");
    const { result } = answer as { result: string };
    return { ...rest, result, wasProved: provedAt !== null, isMoved: worksAt !== null };
  });
  const rows = [...firm.domains.values()].toSorted((a, b) => (a.domain < b.domain ? -1 : 1));
  const should = rows.map(({ value, isVouched, isFound, isUnknown, ...rest }) => {
    const record = isVouched ? null : { name: nameOf(rest.domain), value };
    return { ...rest, record, result: isUnknown ? "unknown" : isFound ? "found" : "missing" };
  });
  me.must(
    "O4",
    sameText(is, should),
    `the domains of ${firm.name} are ${JSON.stringify(is)} instead of ${JSON.stringify(should)}`,
  );
  const id = me.chances.pick([...manager.people.keys()]);
  const rank = firm.rankOf({ kind: "by", id });
  const by = await me.server("GET", `${firm.path}/domains?by=${id}`);
  me.must("O8", (by.status === 200) === (rank === "admin"), `domains by ${rank ?? "nobody"}: ${by.status}`);
}

/** With the organization, by the service itself. */
export function endDomains(manager: Manager): void {
  const note = { actor: "service:domains", ipAddress: null };
  for (const claim of manager.own.domains.values()) ended(manager, claim, note);
}
