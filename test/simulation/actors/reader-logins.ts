/** What is tried with a program's login: its refresh tokens and its access tokens. */
import { Violation } from "../model.ts";
import { checkTokens } from "../oracles/tokens.ts";
import { issuer, postAs, ProgramKey, type ClientLogin } from "../programs.ts";
import { time } from "../time.ts";
import { Lost } from "../world.ts";
import { settled } from "./in-flight.ts";
import { another, grace, type Reader } from "./reader.ts";

export async function refreshWith(
  reader: Reader,
  login: ClientLogin,
  token = login.refresh,
): Promise<string | undefined> {
  const from = time.now();
  // Like any program, it asks again at once if no answer came.
  for (let tries = 0; tries < 3; tries += 1) {
    try {
      return await refreshOnce(reader, login, token, from);
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
      await time.pause(300);
    }
  }
  // The token may be used up, and its next use would be one too many.
  login.isBeingEnded(from);
  return undefined;
}

async function refreshOnce(
  reader: Reader,
  login: ClientLogin,
  token: string,
  from: number,
): Promise<string | undefined> {
  const { program, prover } = login;
  const form = { grant_type: "refresh_token", refresh_token: token };
  const { status, body } = await postAs(program, "/oauth2/token", form, { prover });
  reader.world.note(`${login.name} refreshes: ${status}`);
  if (status !== 200) {
    const replacedAt = login.replaced.get(token);
    const isCurrent = token === login.refresh || (replacedAt !== undefined && replacedAt + grace > time.now());
    if (status === 400 && isCurrent && time.now() - from < grace && mustBeLive(reader, login, from))
      throw new Violation("O4", `${login.name} was refused with its newest refresh token`);
    return undefined;
  }
  if (login.wasOver(from)) throw new Violation("O1", `${login.name} was refreshed after its end`);
  const authTime = { from: login.authTime, to: login.authTime };
  const granted = { program, userId: login.userId, scopes: login.scopes, key: prover?.thumbprint };
  checkTokens(body, { ...granted, nonce: undefined, authTime }, reader.world.app.id);
  const next = String(body["refresh_token"]);
  if (next !== token) {
    if (!login.replaced.has(token)) login.replaced.set(token, time.now());
    if (login.refresh === token) login.refresh = next;
  }
  reader.noteAccess(login, body);
  return next;
}

function mustBeLive(reader: Reader, login: ClientLogin, from: number): boolean {
  return reader.world.clockHasBeenRight && login.wasUntouched(time.now()) && reader.known.wasLeftAlone(from);
}

/** O2: both answers have the same successor. */
export async function refreshTwice(reader: Reader, login: ClientLogin): Promise<void> {
  const { refresh } = login;
  const next = await settled([() => refreshWith(reader, login, refresh), () => refreshWith(reader, login, refresh)]);
  const [first, second] = next;
  reader.world.reached("two refreshes of one client's login");
  if (first !== undefined && second !== undefined && first !== second)
    throw new Violation("O2", `two successors of one refresh token of ${login.name}`);
}

/** O2: after its grace, an old token ends the login. */
export async function refreshLate(reader: Reader, login: ClientLogin): Promise<void> {
  const [old] = [...login.replaced].filter(([, at]) => at + 2 * grace < time.now() && reader.world.clockWasRight(at));
  if (!old) return;
  login.isBeingEnded(time.now());
  const form = { grant_type: "refresh_token", refresh_token: old[0] };
  const { status } = await postAs(login.program, "/oauth2/token", form, { prover: login.prover });
  reader.world.note(`${login.name} refreshes late: ${status}`);
  reader.world.reached("a client's refresh token used again after its grace");
  if (status === 200) throw new Violation("O2", `an old refresh token of ${login.name} gave tokens`);
  if (status !== 400) return;
  reader.known.bury(login);
  await look(reader, login);
}

/** O2: another program, or key, gets nothing, and ends nothing. */
export async function refreshAsAnother(reader: Reader, login: ClientLogin): Promise<void> {
  const { program } = login;
  // Only a public client's refresh tokens are bound to its key.
  const keeps = program.isBound && !program.key && reader.chances.chance(0.5);
  const thief = keeps ? program : another(reader, program);
  const prover = thief.isBound ? new ProgramKey(reader.chances.fork(`thief ${(reader.count += 1)}`)) : undefined;
  const form = { grant_type: "refresh_token", refresh_token: login.refresh };
  const { status } = await postAs(thief, "/oauth2/token", form, { prover });
  reader.world.note(`${thief.id} tries ${login.name}: ${status}`);
  reader.world.reached("a refresh token in another program, or with another key");
  if (status === 200) throw new Violation("O2", `${thief.id} refreshed ${login.name}`);
  await refreshWith(reader, login);
}

/** O1 and O4: introspection and userinfo. */
export async function look(reader: Reader, login: ClientLogin): Promise<void> {
  const [wiki] = reader.world.programs.web;
  const newest = [login.access.at(-1), { token: login.refresh, expiresAt: time.now() + 60_000 }, ...login.exchanged];
  const { token = "", expiresAt = 0 } = reader.chances.pick(newest) ?? {};
  // Another call may just replace a refresh token.
  const mayBeInactive = token === login.refresh;
  const from = time.now();
  if (wiki) {
    const { status, body } = await postAs(wiki, "/oauth2/introspect", { token });
    const isActive = body["active"] === true;
    reader.world.note(`${login.name} is introspected: ${status} ${isActive}`);
    if (isActive && login.wasOver(from)) throw new Violation("O1", `${login.name} was active after its end`);
    if (status === 200 && !isActive && !mayBeInactive && mustBeLive(reader, login, from) && expiresAt > time.now())
      throw new Violation("O4", `${login.name} was inactive although nobody ended it`);
    if (isActive && body["sub"] !== login.userId) throw new Violation("O6", `${login.name} is of another user`);
  }
  if (login.program.resource === undefined) await readProfile(reader, login);
}

async function readProfile(reader: Reader, login: ClientLogin): Promise<void> {
  const { token = "", expiresAt = 0 } = login.access.at(-1) ?? {};
  const path = "/oauth2/userinfo";
  const from = time.now();
  const { prover } = login;
  const headers: Record<string, string> = prover
    ? { authorization: `DPoP ${token}`, dpop: prover.proof("GET", path, { token }) }
    : { authorization: `Bearer ${token}` };
  const answer = await fetch(`${issuer}${path}`, { headers });
  const { status } = answer;
  reader.world.note(`${login.name} reads userinfo: ${status}`);
  if (status === 200 && login.wasOver(from)) throw new Violation("O1", `${login.name} got userinfo after its end`);
  if (status === 401 && mustBeLive(reader, login, from) && expiresAt > time.now())
    throw new Violation("O4", `${login.name} was refused userinfo although nobody ended it`);
  if (prover && reader.chances.chance(0.2)) await proveTwice(reader, headers, status);
}

/** O3: a proof works once. */
async function proveTwice(reader: Reader, headers: Record<string, string>, first: number): Promise<void> {
  if (first !== 200) return;
  const { status } = await fetch(`${issuer}/oauth2/userinfo`, { headers });
  reader.world.reached("a DPoP proof used again");
  if (status === 200) throw new Violation("O3", `a DPoP proof of ${reader.known.name} worked twice`);
}
