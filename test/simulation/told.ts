/** What the holder of a token learns of its person: what its scopes allow. */
import { call } from "../support/person.ts";
import type { Client, Issued, Json, Login, Owner } from "./mall-owner.ts";
import type { Answer, ProgramKey } from "./programs.ts";

type Presenter = Owner & { present(issued: Issued, path: string, prover?: ProgramKey): Promise<Answer> };

/** The user in the answers of validate and verify-token. */
export function shortUser({ me, app, person }: Owner, { id }: Pick<Client, "id">, scopes: readonly string[]): Json {
  const isNamed = id === app.id || scopes.includes("profile");
  return { id: me.userId, ...addressFor(me, scopes), name: isNamed ? person.name : null };
}

export function addressFor({ email, isVerified }: Owner["me"], scopes: readonly string[]): Json {
  return scopes.includes("email") ? { email, emailVerified: isVerified } : {};
}

/** The fields that claims are made of, in the answer of validate. */
export function fieldsOfClaims({ person: { profile } }: Owner, { is }: Client, scopes: readonly string[]): Json {
  const { team, seats } = profile;
  const all = { ...(team !== undefined && { team }), ...(seats !== undefined && { seats }) };
  const isEmpty = Object.keys(all).length === 0 || (is.consent === "ask" && !scopes.includes("profile"));
  return isEmpty ? {} : { profile: all };
}

/** The same in those of the callback, `/api/user` and `/users/profile`, but for times. */
export function longUser({ me, person }: Owner, scopes: readonly string[]): Json {
  const { name, picture, createdAt, profile } = person;
  const hasProfile = scopes.includes("profile") && Object.keys(profile).length > 0;
  return {
    id: me.userId,
    ...addressFor(me, scopes),
    name,
    picture,
    createdAt,
    lastLoginAt: "",
    authMethods: { passkey: false, oauth: [], password: true },
    ...(hasProfile && { profile }),
  };
}

export const withoutTimes = (body: Json): Json => ({ ...body, lastLoginAt: "" });

/** O6 and O1: each place tells all that it should, or refuses. */
export async function tells(
  shop: Presenter,
  { client, asked }: Pick<Login, "client" | "asked">,
  issued: Issued,
  isLive: boolean,
): Promise<void> {
  const { me, app, person } = shop;
  const { scopes, prover, token } = issued;
  // Consent gives no access to the account.
  const isRead = scopes.includes("profile") && client.is.consent !== "ask";
  const status = !isLive || asked.resource ? 401 : isRead ? 200 : 403;
  const expects = async (path: string, should: Json): Promise<void> => {
    const { status: is, body } = await shop.present(issued, path, prover);
    const { metadata: _, ...others } = withoutTimes(body);
    shop.same(isLive ? "O4" : "O1", is, status, `the status of ${path} for ${client.id}`);
    if (is === 200) shop.same("O6", others, should, `${path} for ${client.id}`);
  };
  await expects("/api/user", longUser(shop, scopes));
  await expects("/users/profile", { ...longUser(shop, scopes), publicMetadata: { badge: person.badge } });
  if (prover) return;
  const path = `/auth/verify-token?app_id=${app.id}`;
  const { body } = await call(me.world.service, "GET", path, { authorization: `Bearer ${token}` });
  const clientId = client.id === app.id ? {} : { clientId: client.id };
  const valid = { valid: true, user: shortUser(shop, client, scopes), ...clientId };
  shop.same(isLive ? "O6" : "O1", body, isLive && !asked.resource ? valid : { valid: false }, path);
}
