/** How somebody comes by the provider of a company, and what they get. */
import { refresh, Visitor, type Page, type Session } from "../../support/person.ts";
import type { Claims, Company } from "../company.ts";
import { claimsOf } from "../oracles/tokens.ts";
import { has, type Resident } from "../resident.ts";
import { provenIn, silentTokens, type Proven } from "../single-sign-on.ts";
import { time } from "../time.ts";
import { Lost } from "../world.ts";

/** `isFixed`: nobody chooses their address there. `trusts`: its word about factors counts. */
export type Firm = {
  id: string;
  owner: string;
  domain: string;
  company: Company;
  sessionSeconds: number;
  isFixed: boolean;
  trusts: boolean;
};

/** What somebody has who came by the provider. `provenAt`: not before. */
export type Confined = { accessToken: string; refreshToken: string; browser: Visitor; provenAt: number };

/** A provider says that it authenticated somebody so many seconds before `at`, or not when. */
type Said = { at: number; ago: number | undefined };

export type Came = { session: Session; visitor: Visitor; page: Page; said?: Said };

/** A client that takes who came by a company. */
export function programOf({ world, app }: Resident) {
  return { id: world.companies.takes, redirectUris: [app.redirectUri] };
}

/** Of those who were linked anew. */
export const newSubjects = new WeakMap<Resident, string>();

export const subjectOf = (me: Resident): string => newSubjects.get(me) ?? `subject of ${me.name}`;

export const honest = (me: Resident): Claims => ({
  sub: subjectOf(me),
  email: me.email,
  email_verified: true,
  name: me.name,
});

export async function invite(me: Resident, { id }: Firm, email: string): Promise<void> {
  const wanted = { invitations: [{ email, roles: ["member"] }] };
  const { status } = await me.server("POST", `/organizations/${id}/invitations`, wanted);
  me.must("O10", status === 200, `not invited: ${status}`);
}

export const codeAt = (page: Page): string | undefined => page.location.searchParams.get("code") ?? undefined;

/** Follows redirects within the service, and presses on past what it only says. */
export async function follow(me: Resident, visitor: Visitor, page: Page): Promise<Page> {
  let at = page;
  for (let turns = 0; turns < 12; turns += 1) {
    if (at.status === 303 && at.location.origin === me.world.service.url) at = await visitor.get(at.location.href);
    else if (at.status === 200 && has(at, "/continue")) at = await visitor.submit(at, "/continue", {});
    else if (at.status === 200 && has(at, "/step/skip")) at = await visitor.submit(at, "/step/skip", {});
    else if (at.status === 200 && has(at, "/step/code") && me.key !== "")
      at = await visitor.submit(at, "/step/code", { code: await me.code() });
    else return at;
  }
  throw new Lost("too many pages");
}

/** `returns`: the browser that comes back. */
type Coming = { typed: string; person: Claims; visitor?: Visitor; returns?: Visitor };

/** Types an address, goes to the provider, and comes back as `person`. */
export async function arrive(
  me: Resident,
  company: Company,
  { typed, person, visitor = new Visitor(), returns = visitor }: Coming,
): Promise<Came> {
  const { session, page } = await me.begin(visitor);
  const asks = has(page, "/password");
  const before = asks ? await visitor.submit(page, "/password", { email: typed, password: "anything at all" }) : page;
  me.must("O10", has(before, "/company"), `is not led to the company: ${before.status} at ${before.url}`);
  const left = await visitor.submit(before, "/company", {});
  const address = /0; url=(.*)$/u.exec(left.headers.get("refresh") ?? "")?.[1];
  me.must("O10", address?.startsWith(company.issuer) === true, `does not leave: ${left.status} for ${String(address)}`);
  // Nothing, now, long ago, or later than now.
  const said = { at: time.now(), ago: me.chances.pick([undefined, 0, 200, 5000, -400]) };
  const when = said.ago === undefined ? {} : { auth_time: Math.floor(said.at / 1000) - said.ago };
  const back = await returns.get(company.authorize(address ?? "", { ...when, ...person }));
  // A way back that arrives twice is used up by the first, whose answer nobody waits for.
  if (back.status === 404 && me.world.faults.doubled > 0) throw new Lost("the way back arrived twice");
  return { session, visitor: returns, page: await follow(me, returns, back), said };
}

export async function agree(me: Resident, { visitor, page }: Came): Promise<Page> {
  if (!has(page, "/company/agree")) return page;
  return await follow(me, visitor, await visitor.submit(page, "/company/agree", {}));
}

export async function come(me: Resident, company: Company, how: Parameters<typeof arrive>[2]): Promise<Came> {
  const came = await arrive(me, company, how);
  const page = await agree(me, came);
  me.world.note(`${me.name} comes by a company: ${codeAt(page) === undefined ? page.status : "a code"}`);
  return { ...came, page };
}

/** O14: a confined login of this organization says so. O6: no factor that nobody trusts. */
export async function tokensOf(
  me: Resident,
  own: Firm,
  { session, page, visitor, said }: Came,
  hasSecond = false,
): Promise<Confined> {
  const provenAt = time.now();
  const code = codeAt(page);
  me.must("O10", code !== undefined, `cannot sign in by the company: ${page.status} at ${page.url}`);
  const { status, body } = await me.redeem({ session, code });
  if (status !== 200) throw new Lost("too late for the code");
  const accessToken = String(body["accessToken"]);
  const { org_id: id, org_confined: isConfined, acr, groups } = claimsOf(accessToken) as Record<string, unknown>;
  me.must("O14", id === own.id && isConfined === true, `a token is of ${String(id)}, confined: ${String(isConfined)}`);
  me.must("O14", groups === undefined, "a confined token names groups");
  const should = `urn:authsvc:acr:${hasSecond || me.key !== "" ? 2 : 1}`;
  me.must("O6", acr === should, `a confined token says ${String(acr)} instead of ${should}`);
  const proven = provenIn(accessToken);
  if (said) checkTime(me, proven, said);
  const refreshToken = await saysAgain(me, own, { proven, visitor, refreshToken: String(body["refreshToken"]) });
  return { accessToken, refreshToken, browser: visitor, provenAt };
}

/** O6: `auth_time` is that of the provider, by the clock of here; none if it is unknown. */
function checkTime(me: Resident, { auth_time: is }: Proven, { at, ago }: Said): void {
  const isKnown = ago !== undefined && ago >= 0;
  const [from, to] = [at, time.now()].map((each) => Math.floor(each / 1000) - (ago ?? 0));
  const isRight = isKnown ? is !== undefined && is >= Number(from) - 1 && is <= Number(to) + 1 : is === undefined;
  me.must("O6", isRight, `auth_time is ${is} at a company that said ${ago} seconds, not ${from} to ${to}`);
}

/** O6: a refreshed token, and those of a program by single sign-on, say the same as the first. */
async function saysAgain(
  me: Resident,
  own: Firm,
  { proven, visitor, refreshToken }: { proven: Proven; visitor: Visitor; refreshToken: string },
): Promise<string> {
  const same = (is: Proven, what: string): void => {
    const [one, other] = [is, proven].map((each) => JSON.stringify(each));
    me.must("O6", one === other, `${what} says ${one} instead of ${other}`);
  };
  const maxAge = me.chances.pick([undefined, 100, 1000]);
  const isOld = maxAge !== undefined && Math.floor(time.now() / 1000) - (proven.auth_time ?? 0) > maxAge + 1;
  const more = { organization: own.id, ...(maxAge !== undefined && { max_age: String(maxAge) }) };
  const by = await silentTokens(me.world, visitor, programOf(me), more);
  if (by) same(by, "a program's token by single sign-on");
  me.must("O6", !by || !isOld, `auth_time ${proven.auth_time} was enough for ${maxAge}`);
  const { status, body } = await refresh(me.world.service, me.app, refreshToken);
  if (status !== 200) return refreshToken;
  same(provenIn(body["accessToken"]), "a refreshed token");
  return String(body["refreshToken"]);
}
