/** Of merchants: sign-ins of the application itself, compared whole. */
import { call } from "../../support/person.ts";
import type { Client, Json, Login, Shop } from "../mall.ts";
import { claimsOf } from "../oracles/tokens.ts";
import { time } from "../time.ts";
import { addressFor, longUser, withoutTimes } from "../told.ts";
import { Lost } from "../world.ts";

/** A sign-in of the application itself, for some scopes. */
export async function ownSignIn(shop: Shop): Promise<void> {
  const { me, app } = shop;
  const some = [["profile"], ["email"], ["groups"], ["profile", "email"], ["email", "groups"], ["profile", "groups"]];
  const scopes = me.chances.pick(some);
  const client = shop.itself;
  const from = time.now();
  const signedIn = await me.signIn(undefined, { scopes });
  me.must("O10", signedIn.code !== undefined, `cannot sign in for ${scopes.join()}`);
  const { status, body } = await me.redeem(signedIn);
  if (status !== 200 && time.now() > from + 50_000) throw new Lost("too late for the code");
  me.must("O4", status === 200, `a code was refused: ${status}`);
  const answers: [string, Json, Json] = ["callback", body, { user: longUser(shop, scopes) }];
  const login = await takes(shop, { client, scopes, from }, answers);
  const changed = await patched(shop, login);
  const late = time.now();
  const refreshed = await call(me.world.service, "POST", "/auth/refresh", app.headers, { refreshToken: login.refresh });
  me.must("O4", refreshed.status === 200, `a refresh token was refused: ${refreshed.status}`);
  const next = await takes(shop, { client, scopes, from: late, since: login }, ["refresh", refreshed.body, {}]);
  login.refresh = next.refresh;
  if (changed) await shop.look(login);
  const ended = await shop.post(client, "/oauth2/revoke", { token: next.refresh });
  me.must("O10", ended.status === 200, `a login was not revoked: ${ended.status}`);
  for (const each of [login, next]) each.isOver = true;
  await shop.look(next);
}

/** All that came, and the token, which is tried. */
async function takes(
  shop: Shop,
  { client, scopes, from, since }: { client: Client; scopes: string[]; from: number; since?: Login },
  [what, body, more]: [what: string, body: Json, more: Json],
): Promise<Login> {
  const { user, accessToken, refreshToken, ...others } = body as Record<string, string> & { user: Json };
  const is = { ...others, ...(user && { user: withoutTimes(user) }) };
  shop.same("O6", is, { expiresIn: 900, ...more }, `the answer of ${what} for ${scopes.join()}`);
  const claims = claimsOf(String(accessToken));
  const { sid, auth_time: at } = claims as { sid: string; auth_time: number };
  const issued = { token: String(accessToken), claims, scopes, isOver: false };
  const times = { authTime: since?.authTime ?? at, refreshedAt: time.now() };
  const of = { client, asked: {}, nonce: undefined, scopes, sid: since?.sid ?? sid, idToken: "", isOver: false };
  const login: Login = { ...of, ...times, proven: shop.proven, refresh: String(refreshToken), tokens: [issued] };
  shop.checkAccess(login, issued, { from, seconds: 900, visible: scopes });
  await shop.checkSignature(issued.token);
  await shop.look(login);
  return login;
}

/** What the person writes of the profile, which shows what a token may read of it. */
async function patched(shop: Shop, { tokens: [issued], scopes }: Login): Promise<boolean> {
  const { me, person } = shop;
  const team = shop.word("Team");
  const headers = { authorization: `Bearer ${issued?.token ?? ""}` };
  const mayWrite = scopes.includes("profile");
  if (mayWrite) me.leaves("entry user.update", "event user.updated");
  const asked = { profile: { team } };
  const theirs = await call(me.world.service, "PATCH", "/users/profile", headers, { profile: { customer: "me" } });
  shop.same("O8", theirs.status, mayWrite ? 400 : 403, "a field of the server, written by its person,");
  const { status, body } = await call(me.world.service, "PATCH", "/users/profile", headers, asked);
  shop.same("O8", status, mayWrite ? 200 : 403, "the status of a change of the profile");
  if (!mayWrite) return false;
  person.profile = { ...person.profile, team };
  const { name, picture, profile } = person;
  const { email } = addressFor(me, scopes) as { email?: string };
  const { updatedAt: _, ...shown } = body;
  const should = { id: me.userId, ...(email !== undefined && { email }), name, picture, profile };
  shop.same("O6", shown, should, "a changed profile");
  await shop.readBack();
  return true;
}
