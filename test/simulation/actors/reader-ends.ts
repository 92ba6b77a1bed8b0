/** How a program's login ends, also while it is used or begins. */
import * as grants from "../../../src/sign-in/grants.ts";
import type { Page } from "../../support/person.ts";
import { ClientLogin, issuer, postAs, type Program } from "../programs.ts";
import { time } from "../time.ts";
import { operated, settled } from "./in-flight.ts";
import { another, Browser, type Code, hasForm, type Reader } from "./reader.ts";
import { look, refreshWith } from "./reader-logins.ts";

/** RFC 7009; another program's attempt changes nothing. */
export async function revoke(reader: Reader, login: ClientLogin): Promise<void> {
  const { chances, known } = reader;
  const newest = login.access.at(-1);
  const token = chances.pick([login.refresh, newest?.token ?? ""]);
  if (chances.chance(0.2)) {
    await postAs(another(reader, login.program), "/oauth2/revoke", { token });
    reader.world.reached("a revocation by another program");
    return;
  }
  login.isBeingEnded(time.now());
  const { status } = await postAs(login.program, "/oauth2/revoke", { token });
  reader.world.note(`${login.name} is revoked: ${status}`);
  // RFC 7009 answers an access token that has expired with 200, too, and that ends nothing.
  const isLive = newest !== undefined && newest.expiresAt > time.now() && reader.world.clockHasBeenRight;
  if (status === 200 && (token !== newest?.token || isLive)) known.bury(login);
}

/** The person withdraws what a program may do: its logins and codes end. */
export async function withdraw(reader: Reader, program: Program): Promise<void> {
  const { known, world } = reader;
  const of = (login: unknown): login is ClientLogin => login instanceof ClientLogin && login.program === program;
  const ending = known.logins.filter(of);
  const codes = reader.codes.filter(({ asked }) => asked.program === program);
  // Codes of other programs end, too.
  for (const each of [...ending, ...reader.codes]) each.isBeingEnded(time.now());
  const source = { ipAddress: known.ipAddress, userAgent: null, requestId: "req_of_the_account_page" };
  const by = { actor: { kind: "user", name: known.userId ?? "" }, source } as const;
  const had = await operated(world, async (ctx) => await grants.remove(ctx, known.userId ?? "", program.id, by));
  world.note(`${known.name} withdraws ${program.id}: ${had}`);
  // Without a consent or login there is nothing to withdraw, and a code stays.
  if (had !== true) return;
  reader.consents.delete(program.id);
  for (const login of ending) known.bury(login);
  for (const code of codes) code.hasEnded(time.now());
}

/** Signs out by a program: the browser, and every login that it opened. */
export async function signOut(reader: Reader, browserAt: number): Promise<void> {
  const browser = reader.browsers[browserAt] as Browser;
  const login = browser.logins.at(-1);
  if (!login) return;
  const codes = reader.codes.filter((code) => code.browser === browser);
  const ending = [...browser.logins];
  for (const each of [...ending, ...browser.older, ...codes]) each.isBeingEnded(time.now());
  const copied = browser.visitor.copy();
  const returnsTo = login.program.redirectUri.replace("callback", "");
  const query = { id_token_hint: login.idToken, post_logout_redirect_uri: returnsTo };
  let page: Page;
  try {
    page = await browser.visitor.get(`${issuer}/oauth2/end-session?${new URLSearchParams(query).toString()}`);
    if (hasForm(page, "/confirm")) page = await browser.visitor.submit(page, "/confirm", {});
  } catch (error) {
    reader.browsers[browserAt] = new Browser();
    throw error;
  }
  reader.world.note(`${reader.known.name} signs out at ${login.program.id}: ${page.status}`);
  if (page.status !== 303 || !page.location.href.startsWith(returnsTo)) return;
  reader.world.reached(ending.length > 1 ? "a logout of two programs" : "a logout of one program");
  browser.proof = undefined;
  browser.logins = [];
  // O8: cookies that somebody copied before are worth no more.
  if (reader.chances.chance(0.5)) reader.browsers[browserAt] = new Browser(copied);
  for (const each of ending) reader.known.bury(each);
  for (const code of codes) if (code.proof.to < time.now()) code.hasEnded(time.now());
  await look(reader, reader.chances.pick(ending));
}

/** O1: a second sign-in continues the browser's session, so that signing out ends both logins. */
export async function signInAgain(reader: Reader, browserAt: number): Promise<void> {
  for (const program of [0, 1].map(() => reader.chances.pick(reader.world.programs.web))) {
    const code = await reader.signIn({ ...reader.ask(program), prompt: "login", maxAge: undefined }, browserAt);
    if (!code || !(await reader.redeem(code))) return;
  }
  reader.world.reached("two sign-ins in one browser, and a sign-out");
  await signOut(reader, browserAt);
}

/** O1: an end and other calls of the same login. */
export async function endWhile(reader: Reader, login: ClientLogin, end: () => Promise<void>): Promise<void> {
  reader.world.reached("a refresh while a client's login ends");
  await settled<unknown>([end, () => refreshWith(reader, login), () => look(reader, login)]);
  if (!login.wasOver(time.now())) return;
  await refreshWith(reader, login);
  await look(reader, login);
}

export async function withdrawWhileRedeeming(reader: Reader, program: Program, browserAt: number): Promise<void> {
  const code = await reader.signIn(reader.ask(program), browserAt);
  if (!code) return;
  const redeem = async (): Promise<ClientLogin | undefined> => await reader.redeem(code);
  const [login] = await settled<ClientLogin | undefined | void>([redeem, () => withdraw(reader, program)]);
  reader.world.reached("a redemption while the consent is withdrawn");
  await mustHaveEnded(reader, login ?? undefined, code);
}

export async function signOutWhileRedeeming(reader: Reader, browserAt: number): Promise<void> {
  const [wiki] = reader.world.programs.web;
  const browser = reader.browsers[browserAt] as Browser;
  const [first] = browser.logins;
  if (!first || !wiki) return;
  const code = await reader.signIn({ ...reader.ask(wiki), prompt: "", maxAge: undefined }, browserAt);
  if (code?.browser !== browser || browser.logins[0] !== first) return;
  const redeem = async (): Promise<ClientLogin | undefined> => await reader.redeem(code);
  const [login] = await settled<ClientLogin | undefined | void>([redeem, () => signOut(reader, browserAt)]);
  reader.world.reached("a redemption while the browser signs out");
  await mustHaveEnded(reader, login ?? undefined, code);
}

/** Its code has ended, so that a login that it began before has, too. */
async function mustHaveEnded(reader: Reader, login: ClientLogin | undefined, code: Code): Promise<void> {
  if (!login || !code.wasOver(time.now())) return;
  if (!login.wasOver(time.now())) reader.known.bury(login);
  await refreshWith(reader, login);
  await look(reader, login);
}
