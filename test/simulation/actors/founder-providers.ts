/** Providers of founders' organizations: by the server, owners and set-up links, and relinks. */
import * as setupLinks from "../../../src/companies/setup-links.ts";
import * as relinks from "../../../src/companies/relinks.ts";
import { findOrganization } from "../../../src/organizations/store.ts";
import { Visitor, type Page } from "../../support/person.ts";
import type { Company } from "../company.ts";
import { changesOf, sameText } from "../firm-answers.ts";
import type { FirmProvider, Person, SetupLink, Who } from "../firm.ts";
import { askedAgain, otherCode } from "../resident.ts";
import { time } from "../time.ts";
import { Lost } from "../world.ts";
import { setRecord } from "../zones.ts";
import type { Manager } from "./founder-manager.ts";
import { claimed, confirmed, found } from "./founder-domains.ts";
import { gives } from "./founder-members.ts";
import { disables } from "./founder-acts.ts";

export const providerActs: Record<string, (manager: Manager) => Promise<void>> = {
  provider: (manager) => sets(manager),
  "another provider": (manager) => sets(manager),
  "confirm provider": (manager) => confirms(manager),
  "waiting provider": waits,
  "remove provider": removes,
  "set-up link": (manager) => makesLink(manager),
  "use link": (manager) => usesLink(manager),
  "end link": (manager) => endsLink(manager),
  "link that ends": linkThatEnds,
  "another link that ends": linkThatEnds,
  "confirm domain": confirmsDomain,
  relink: relinked,
};

const day = 86_400_000;

function may({ own }: Manager, who: Who): boolean {
  const rank = own.rankOf(who);
  return rank === "server" || rank === "owner";
}

/** Two issuers of the founder's, each with a document. */
function companyOf({ me }: Manager): Company {
  const word = me.chances.pick(["one", "two"]);
  const issuer = `https://${word}.${me.name}.example`;
  return me.world.issuers.open(issuer, me.chances.fork(issuer));
}

async function sets(manager: Manager, given?: Who): Promise<void> {
  const { own, me } = manager;
  const { chances } = me;
  const drawn: Who[] = [{ kind: "server" }, { kind: "page" }, { kind: "by", id: manager.drawPerson().id }];
  const who = given ?? chances.pick(drawn);
  const company = companyOf(manager);
  const { issuer, secret: clientSecret } = company;
  const clientId = chances.pick(["client-1", "client-2"]);
  const isServer = who.kind === "server";
  const more = {
    ...(chances.chance(0.4) && { sessionSeconds: chances.pick([300, 3600, 200]) }),
    ...(chances.chance(0.3) && { trustsSecondFactor: chances.pick(["amr=mfa", null]) }),
    ...(chances.chance(0.3) && { fixedAddresses: chances.chance(0.5) }),
    ...(chances.chance(0.15) && { required: true }),
  };
  const fixed = chances.chance(0.3);
  const isActive = isServer || own.provider?.issuer === issuer;
  const isRight =
    !isServer || (more.sessionSeconds !== 200 && (more.required !== true || hasWorked(own.provider, issuer)));
  const answer =
    who.kind === "page"
      ? await manager.page(
          { act: "set", issuer, clientId, clientSecret, ...(fixed && { fixed: "on" }) },
          "/organization/provider",
        )
      : await manager.api(who, "PUT", `${own.path}/provider`, { issuer, clientId, clientSecret, ...more });
  if (
    !manager.judge(
      answer,
      isRight && may(manager, who),
      `${who.kind} (${own.rankOf(who)}) sets a provider ${JSON.stringify(more)}`,
    )
  )
    return;
  const same = [own.provider, own.waiting].find((each) => each?.issuer === issuer);
  const row: FirmProvider = {
    issuer,
    clientId,
    fixedAddresses: isServer ? (more.fixedAddresses ?? same?.fixedAddresses ?? false) : fixed,
    trustsSecondFactor:
      isServer && more.trustsSecondFactor !== undefined ? more.trustsSecondFactor : (same?.trustsSecondFactor ?? null),
    sessionSeconds:
      (isServer ? more.sessionSeconds : undefined) ?? same?.sessionSeconds ?? own.provider?.sessionSeconds ?? 43_200,
    setterId: who.kind === "page" ? me.userId : null,
    setupLinkId: null,
    isTried: isActive && hasWorked(own.provider, issuer),
    isRequired: isActive && own.provider?.isRequired === true,
  };
  const note = { ...manager.actor(who), action: "provider.set", event: "provider.updated", details: { issuer } };
  own.note({ ...note, changes: changesOf(isActive ? own.provider : same, row) });
  if (!isActive) {
    own.waiting = row;
    return;
  }
  if (own.provider && own.provider.issuer !== issuer) own.tells();
  if (more.required === true && isServer && !row.isRequired) {
    row.isRequired = true;
    own.note({ ...note, action: "provider.require", changes: { required: { from: "false", to: "true" } } });
    own.tells();
  }
  own.provider = row;
  own.waiting = undefined;
  me.world.reached("a provider set by a founder");
}

/** Nobody signs in by it here: an owner tries it. */
const hasWorked = (provider: FirmProvider | undefined, issuer: string): boolean =>
  provider?.issuer === issuer && provider.isTried === true;

/** What a set-up link added, or an owner, counts once the server or an operator confirms it. */
async function waits(manager: Manager): Promise<void> {
  const { own, me } = manager;
  if (!own.waiting && own.rankOf({ kind: "page" }) === "owner") await sets(manager, { kind: "page" });
  if (own.waiting) await confirms(manager, { kind: me.chances.pick(["server", "console"]) });
}

async function confirms(manager: Manager, who = manager.drawWho()): Promise<void> {
  const { own, me } = manager;
  const waiting = own.waiting;
  // Trials are apart.
  if (who.kind === "page" && waiting?.isTried === true) return;
  const issuer = me.chances.chance(0.8) ? (waiting?.issuer ?? "https://nobody.example") : "https://nobody.example";
  const body = { issuer };
  const answer =
    who.kind === "page"
      ? await manager.page({ act: "confirm", issuer }, "/organization/provider")
      : who.kind === "console"
        ? await manager.console("provider/confirm", body)
        : await manager.api(who, "POST", `${own.path}/provider/confirm`, body);
  // Of an owner, only after a trial.
  const isAllowed = own.rankOf(who) === "server" && waiting !== undefined && waiting.issuer === issuer;
  if (!manager.judge(answer, isAllowed, `${who.kind} (${own.rankOf(who)}) confirms a provider`) || !waiting) return;
  activates(manager, { ...manager.actor(who), action: "provider.confirm", event: "provider.updated" });
  me.world.reached("a provider that a founder confirmed");
}

async function removes(manager: Manager): Promise<void> {
  const { own, me } = manager;
  const who = manager.drawWho();
  const isOnlyWaiting = who.kind === "page" && me.chances.chance(0.4);
  const row = isOnlyWaiting ? own.waiting : (own.provider ?? own.waiting);
  const answer =
    who.kind === "page"
      ? await manager.page({ act: isOnlyWaiting ? "withdraw" : "remove" }, "/organization/provider")
      : who.kind === "console"
        ? await manager.console("provider/remove")
        : await manager.api(who, "DELETE", `${own.path}/provider`);
  if (!manager.judge(answer, row !== undefined && may(manager, who), `${who.kind} removes a provider`) || !row) return;
  const details = { issuer: row.issuer, withoutMethod: 0 };
  own.note({ ...manager.actor(who), action: "provider.remove", event: "provider.updated", details });
  if (own.provider && !isOnlyWaiting) {
    own.tells();
    own.provider = undefined;
  }
  own.waiting = undefined;
}

async function makesLink(manager: Manager, given: { who?: Who; email?: string } = {}): Promise<void> {
  const { own, me } = manager;
  const who = given.who ?? manager.drawWho();
  const open = own.setupLinks.filter(({ isOver }) => !isOver);
  const all = [`it.${manager.next()}.of.${me.name}@example.org`, ...open.map((each) => each.email)];
  const email = given.email ?? me.chances.pick(all);
  if (open.length > 7 || own.setupLinks.filter((each) => each.email === email).length > 2) return;
  const since = time.now();
  const answer =
    who.kind === "page"
      ? await manager.page({ act: "setup-link", email })
      : who.kind === "console"
        ? await manager.console("setup-links", { email })
        : await manager.api(who, "POST", `${own.path}/setup-links`, { email });
  const isAllowed = may(manager, who) && !own.isDisabled;
  if (!manager.judge(answer, isAllowed, `${who.kind} (${own.rankOf(who)}) makes a set-up link`)) return;
  for (const each of open) if (each.email === email) each.isOver = true;
  const { link } = await me.mailed("organization/setup", since, email);
  const makerId = who.kind === "page" ? me.userId : null;
  const listed = await linksOf(manager);
  const made = listed.find((each) => each.email === email);
  own.setupLinks.push({
    id: made?.id ?? "",
    email,
    makerId,
    link,
    isOver: false,
    visitor: new Visitor(),
    openUntil: 0,
    token: "",
  });
  own.note({ ...manager.actor(who), action: "setup-link.make", details: { link: made?.id ?? "" } });
}

/** As a command shows them. */
async function linksOf({ own, me }: Manager): Promise<setupLinks.SetupLinkAnswer[]> {
  return await askedAgain(
    async () =>
      await me.world.operate(async (ctx) => {
        const row = await findOrganization(ctx.storage.reader, own.id);
        return row ? await setupLinks.list(ctx, row, { actor: { kind: "cli", name: "founders" } }) : [];
      }),
  );
}

/** It ends with its maker's right, and waits while the organization is disabled. */
function works({ own }: Manager, link: SetupLink): boolean {
  if (link.isOver || own.isDisabled || own.isGone) return false;
  return link.makerId === null || (own.isLive(link.makerId) && own.rolesOf(link.makerId).includes("owner"));
}

const isForm = ({ status, text }: Page): boolean => status === 200 && text.includes('value="provider"');

/** One that is made, opened, and then ended in one of the ways. */
async function linkThatEnds(manager: Manager): Promise<void> {
  const { own, me } = manager;
  if (own.isDisabled) return;
  const isOwner = own.rankOf({ kind: "page" }) === "owner";
  const count = own.setupLinks.length;
  await makesLink(manager, { who: { kind: isOwner ? "page" : "console" } });
  const link = own.setupLinks.at(-1);
  if (!link || own.setupLinks.length === count) return;
  await usesLink(manager, link);
  const ends: (() => Promise<void>)[] = [
    async () => await endsLink(manager, link),
    async () => await makesLink(manager, { who: { kind: "console" }, email: link.email }),
    async () => await gives(manager, me.userId, me.chances.pick([["admin"], ["billing", "member"]])),
    async () => await disables(manager, { kind: "server" }),
  ];
  await me.chances.pick(link.makerId === null ? ends.filter((_, at) => at !== 2) : ends)();
  await usesLink(manager, link);
}

/** O1: a link that is over is tried for what it was for. */
export async function triesOverLink(manager: Manager): Promise<void> {
  const over = manager.own.setupLinks.filter((link) => !works(manager, link));
  if (over.length > 0) await usesLink(manager, manager.me.chances.pick(over));
}

/** O8: a link opens in the browser to which a code of its mailbox was given, and nowhere else. */
async function usesLink(manager: Manager, given?: SetupLink): Promise<void> {
  const { own, me } = manager;
  if (own.setupLinks.length === 0) return;
  const link = given ?? me.chances.pick(own.setupLinks);
  const { visitor, email } = link;
  const path = new URL(link.link).pathname;
  const isWorking = works(manager, link);
  const page = await askedAgain(async () => await visitor.get(link.link));
  me.must(
    isWorking ? "O10" : "O1",
    (page.status === 200) === isWorking,
    `a set-up link is ${isWorking ? "" : "not "}open: ${page.status}`,
  );
  const isOpen = isWorking && link.openUntil > time.now();
  me.must("O8", isForm(page) === isOpen, `a set-up link shows its form: ${isForm(page)}, is open: ${isOpen}`);
  if (!isWorking) {
    const { secret: clientSecret, issuer } = companyOf(manager);
    const fields = me.chances.pick<Record<string, string>>([
      { act: "add-domain", domain: `late-${me.name}.com` },
      { act: "check-domain", domain: me.chances.pick([...own.domains.keys(), "none.example"]) },
      { act: "provider", issuer, clientId: "client-late", clientSecret },
      { code: "1234 5678" },
      {},
    ]);
    const posted = await visitor.post(link.link, { token: link.token, ...fields });
    me.must("O1", posted.status >= 400, `a set-up link that is over took ${fields["act"]}: ${posted.status}`);
    me.world.reached("a set-up link that is over");
    return;
  }
  link.token = tokenIn(page);
  const elsewhere = await askedAgain(async () => await new Visitor().get(link.link));
  me.must("O8", !isForm(elsewhere), "a set-up link is open in another browser");
  if (isOpen) return await adds(manager, link, page);
  const since = time.now();
  const sent = await visitor.submit(page, path, {});
  const code = await codeOf(manager, email, since);
  if (code === undefined) return;
  if (me.chances.chance(0.4)) {
    const wrong = await visitor.submit(sent, path, { code: otherCode(code) });
    me.must("O8", wrong.status === 422, `a wrong code of a set-up link: ${wrong.status}`);
  }
  if (me.chances.chance(0.3)) {
    const other = new Visitor();
    await other.submit(await other.get(link.link), path, { code });
    me.must("O8", !isForm(await other.get(link.link)), "a code opens a set-up link in another browser");
    me.world.reached("a set-up link's code in another browser");
  }
  const entered = await visitor.submit(sent, path, { code });
  me.must("O10", entered.status === 303, `a code opens no set-up link: ${entered.status}`);
  link.openUntil = time.now() + 3_600_000 - 60_000;
  own.note({ actor: `service:${link.id}`, action: "setup-link.open" });
  me.world.reached("a set-up link opened");
  await adds(manager, link, await visitor.get(link.link));
}

const tokenIn = ({ text }: Page): string => /name="token" value="([^"]+)"/u.exec(text)?.[1] ?? "";

async function codeOf({ me }: Manager, email: string, since: number): Promise<string | undefined> {
  for (let tries = 0; tries < 10; tries += 1) {
    for (const mail of me.world.mailsSince(since)) {
      const code = /\b\d{4} ?\d{4}\b/u.exec(mail.text)?.[0];
      if (mail.to === email && code !== undefined && mail.text.includes("/organization/setup/")) return code;
    }
    await time.pause(2000);
  }
  return undefined;
}

/** What the link adds has no effect before it is confirmed. */
async function adds(manager: Manager, link: SetupLink, page: Page): Promise<void> {
  const { own, me } = manager;
  const post = async (fields: Record<string, string>) =>
    await link.visitor.post(link.link, { token: tokenIn(page), ...fields });
  const actor = `service:${link.id}`;
  if (me.chances.chance(0.5)) {
    const domain = me.chances.pick([`link-${me.name}.com`, `shared-${me.name}.com`]);
    const known = own.domains.get(domain);
    const added = await post({ act: "add-domain", domain });
    me.must("O10", added.status === 303, `a link adds no domain: ${added.status}`);
    if (!known) await claimed(manager, own, { domain, join: "off", setupLinkId: link.id }, { actor });
    const claim = own.domains.get(domain);
    if (claim?.setupLinkId !== link.id || !me.chances.chance(0.6)) return;
    setRecord(`_authsvc-challenge.${domain}`, claim.value);
    const checked = await post({ act: "check-domain", domain });
    me.must("O10", checked.status === 303, `a link checks no domain: ${checked.status}`);
    found(manager, own, claim, { actor });
    me.world.reached("a domain that a set-up link added was found");
    return;
  }
  const company = companyOf(manager);
  const { issuer, secret: clientSecret } = company;
  const clientId = me.chances.pick(["client-1", "client-3"]);
  const done = await post({ act: "provider", issuer, clientId, clientSecret });
  if (done.status === 429) throw new Lost("too many");
  const isAllowed = own.waiting === undefined || own.waiting.setupLinkId === link.id;
  me.must(isAllowed ? "O10" : "O8", (done.status === 303) === isAllowed, `a link sets a provider: ${done.status}`);
  if (!isAllowed) return;
  const same = [own.provider, own.waiting].find((each) => each?.issuer === issuer);
  const row: FirmProvider = {
    issuer,
    clientId,
    fixedAddresses: same?.fixedAddresses ?? false,
    trustsSecondFactor: same?.trustsSecondFactor ?? null,
    sessionSeconds: same?.sessionSeconds ?? own.provider?.sessionSeconds ?? 43_200,
    setterId: null,
    setupLinkId: link.id,
  };
  own.note({
    actor,
    action: "provider.set",
    event: "provider.updated",
    details: { issuer },
    changes: changesOf(same, row),
  });
  own.waiting = row;
  me.world.reached("a provider that a set-up link added");
}

async function endsLink(manager: Manager, given?: SetupLink): Promise<void> {
  const { own, me } = manager;
  if (own.setupLinks.length === 0) return;
  const link = given ?? me.chances.pick(own.setupLinks);
  const who = me.chances.pick<Who>([{ kind: "page" }, { kind: "console" }]);
  const answer =
    who.kind === "page"
      ? await manager.page({ act: "end-setup-link", link: link.id })
      : await manager.console(`setup-links/${link.id}/end`);
  if (!manager.judge(answer, may(manager, who) && !link.isOver, `${who.kind} ends a set-up link`)) return;
  link.isOver = true;
  own.note({ ...manager.actor(who), action: "setup-link.end", details: { link: link.id } });
}

async function confirmsDomain(manager: Manager): Promise<void> {
  const { own, me } = manager;
  const claim = [...own.domains.values()].find(({ setupLinkId }) => setupLinkId !== null);
  if (!claim) return;
  const who = me.chances.pick<Who>([{ kind: "server" }, { kind: "page" }, { kind: "by", id: manager.drawPerson().id }]);
  const { domain } = claim;
  const answer =
    who.kind === "page"
      ? await manager.page({ act: "confirm-domain", domain })
      : await manager.api(who, "PATCH", `${own.path}/domains/${domain}`, { confirmed: true });
  if (!manager.judge(answer, may(manager, who), `${who.kind} confirms ${domain}`)) return;
  confirmed(manager, own, claim, manager.actor(who));
  me.world.reached("a domain of a set-up link confirmed");
}

/** Named members may link another identity; owners, admins and who was never seen take a press. */
async function relinked(manager: Manager): Promise<void> {
  const { own, me } = manager;
  if (!own.provider && me.chances.chance(0.7)) await sets(manager, { kind: "server" });
  const members = [...manager.people.values()].filter(({ id }) => own.members.has(id));
  const person = members.length > 0 && me.chances.chance(0.8) ? me.chances.pick(members) : manager.drawPerson();
  await opensRelink(manager, person);
  if (me.chances.chance(0.7)) await agreesToRelink(manager, me.chances.chance(0.7) ? person.id : me.userId);
}

async function opensRelink(manager: Manager, person: Person): Promise<void> {
  const { own, me } = manager;
  const who = me.chances.pick<Who>([{ kind: "page" }, { kind: "console" }]);
  const answer =
    who.kind === "page"
      ? await manager.page({ act: "relink", addresses: person.email }, "/organization/provider")
      : await manager.console("provider/relinks", { who: person.email });
  const isAllowed = may(manager, who) && own.provider !== undefined && own.members.has(person.id);
  if (!manager.judge(answer, isAllowed, `${who.kind} opens a relink`)) return;
  const roles = own.rolesOf(person.id);
  const known = await relinksOf(manager);
  const one = known.find(({ userId }) => userId === person.id);
  me.must("O4", one !== undefined && one.agreedAt === null, `a relink is ${JSON.stringify(one)}`);
  const lasts = Date.parse(one?.expiresAt ?? "") - time.now();
  me.must("O4", lasts > 13.9 * day && lasts <= 14 * day, `a relink lasts ${lasts}`);
  const { lastLoginAt } = (await me.server("GET", `/users/${person.id}`)).body;
  const isRank = roles.includes("owner") || roles.includes("admin");
  const asks = isRank || lastLoginAt === null;
  me.must("O8", one?.asksOwner === asks, `a relink of ${roles.join()} takes an owner's press: ${one?.asksOwner}`);
  own.relinks.set(person.id, { isAgreed: false, isUnseen: lastLoginAt === null });
  const details = { asksOwner: one?.asksOwner ?? true, expiresAt: one?.expiresAt ?? "" };
  own.note({ ...manager.actor(who), action: "provider.relink", userId: person.id, details });
  me.world.reached("a relink");
}

async function relinksOf({ own, me }: Manager): Promise<relinks.RelinkAnswer[]> {
  return await askedAgain(
    async () =>
      await me.world.operate(async (ctx) => {
        const row = await findOrganization(ctx.storage.reader, own.id);
        return row ? await relinks.list(ctx, row, { actor: { kind: "cli", name: "founders" } }) : [];
      }),
  );
}

async function agreesToRelink(manager: Manager, userId: string): Promise<void> {
  const { own, me } = manager;
  const who = me.chances.pick<Who>([{ kind: "page" }, { kind: "console" }]);
  const answer =
    who.kind === "page"
      ? await manager.page({ act: "agree-relink", user: userId }, "/organization/provider")
      : await manager.console(`provider/relinks/${userId}/agree`);
  const isOwn = who.kind === "page" && userId === me.userId;
  const isAllowed = may(manager, who) && own.relinks.has(userId) && own.members.has(userId) && !isOwn;
  if (!manager.judge(answer, isAllowed, `${who.kind} agrees to a relink`)) return;
  own.note({ ...manager.actor(who), action: "provider.relink.agree", userId });
  const relink = own.relinks.get(userId);
  if (relink) relink.isAgreed = true;
  me.world.reached("an owner agreed to a relink");
}

/** O4: the provider, the one that waits, the links and the relinks. */
export async function checkProvider(manager: Manager): Promise<void> {
  const { own, me } = manager;
  if (own.isGone) return;
  const { body, status } = await me.server("GET", `${own.path}/provider`);
  me.must("O4", status === 200, `no providers: ${status}`);
  const rowOf = (row: unknown): unknown => {
    if (row === null) return null;
    const { issuer, clientId, fixedAddresses, trustsSecondFactor, sessionSeconds, setterId, setupLinkId, ...rest } =
      row as FirmProvider & Record<string, unknown>;
    const others = ["requiredSince", "triedAt", "worksAt", "failingSince", "failure"].map(
      (each) => rest[each] !== null,
    );
    return { issuer, clientId, fixedAddresses, trustsSecondFactor, sessionSeconds, setterId, setupLinkId, others };
  };
  const should = (row: FirmProvider | undefined): unknown => {
    if (!row) return null;
    const { isTried = false, isSettled = false, isRequired = false, ...rest } = row;
    return { ...rest, others: [isRequired, isTried, isSettled, false, false] };
  };
  const is = { callbackUrl: body["callbackUrl"], provider: rowOf(body["provider"]), waiting: rowOf(body["waiting"]) };
  const callbackUrl = `${me.world.service.url}/oauth/${own.id}/callback`;
  const all = { callbackUrl, provider: should(own.provider), waiting: should(own.waiting) };
  me.must("O4", sameText(is, all), `the providers are ${JSON.stringify(is)} instead of ${JSON.stringify(all)}`);
  const open = own.setupLinks.filter(({ isOver }) => !isOver).map(({ id, email, makerId }) => ({ id, email, makerId }));
  const listed = (await linksOf(manager)).map(({ id, email, makerId }) => ({ id, email, makerId }));
  const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);
  me.must(
    "O4",
    sameText(listed.toSorted(byId), open.toSorted(byId)),
    `the set-up links are ${JSON.stringify(listed)} instead of ${JSON.stringify(open)}`,
  );
  const relinked = (await relinksOf(manager)).map(({ userId, asksOwner, agreedAt }) => [
    userId,
    asksOwner,
    agreedAt !== null,
  ]);
  const openOnes = [...own.relinks].map(([userId, { isAgreed, isUnseen }]) => {
    const isRank = ["owner", "admin"].some((role) => own.rolesOf(userId).includes(role));
    return [userId, isUnseen || isRank, isAgreed];
  });
  const known = openOnes.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  me.must("O4", sameText(relinked, known), `relinks are ${JSON.stringify(relinked)}, not ${JSON.stringify(known)}`);
  const id = me.chances.pick([...manager.people.keys()]);
  const by = await me.server("GET", `${own.path}/provider?by=${id}`);
  me.must("O8", by.status >= 400, `a member whom the server names sees the provider: ${by.status}`);
}

/** The provider that waits works from now on. */
function activates(manager: Manager, note: { actor: string; action: string; event: string }): void {
  const { own } = manager;
  const { provider, waiting } = own;
  if (!waiting) return;
  own.note({ ...note, details: { issuer: waiting.issuer }, changes: changesOf(provider, waiting) });
  if (provider) own.tells();
  own.provider = { ...waiting, isSettled: false, isRequired: provider?.isRequired === true };
  own.waiting = undefined;
}
