/** What a token may say when it arrives: only what was asked, granted and proven. */
import { decodeJwt } from "jose";
import { Violation } from "../model.ts";
import type { Program } from "../programs.ts";

type Claims = Record<string, unknown>;

/** `authTime`: seconds; the proof lies between. `key`: the thumbprint that it is bound to. */
export type Granted = {
  program: Pick<Program, "id" | "resource">;
  userId: string;
  scopes: readonly string[];
  key: string | undefined;
  nonce: string | undefined;
  authTime: { from: number; to: number };
};

export function claimsOf(token: string): Claims {
  return decodeJwt(token);
}

/** The claims of the access token of an answer, which must be as granted; O6 for its ID token. */
export function checkTokens(answer: Claims, granted: Granted, appId: string): Claims {
  const { program, userId, key, nonce, authTime } = granted;
  const claims = checkAccess(String(answer["access_token"]), granted, appId);
  const idToken = answer["id_token"];
  if (typeof idToken !== "string") return claims;
  const { sub, aud, nonce: named, acr, amr, auth_time: at, sid } = claimsOf(idToken);
  const isRight = sub === userId && aud === program.id && named === nonce && sid === claims["sid"];
  if (!isRight) throw new Violation("O6", `an ID token of ${program.id} says ${JSON.stringify({ sub, aud, named })}`);
  if (acr !== "urn:authsvc:acr:1" || JSON.stringify(amr) !== '["pwd"]')
    throw new Violation("O6", `an ID token of ${program.id} says ${JSON.stringify({ acr, amr })} of a password`);
  if (typeof at !== "number" || at < authTime.from || at > authTime.to)
    throw new Violation("O6", `auth_time ${String(at)} of ${program.id} is not from ${JSON.stringify(authTime)}`);
  if ((key === undefined) !== (answer["token_type"] === "Bearer"))
    throw new Violation("O6", `a token of ${program.id} is ${String(answer["token_type"])}`);
  return claims;
}

/** A token names no other client, audience, user, key or scope. */
export function checkAccess(
  token: string,
  { program, userId, scopes, key }: Pick<Granted, "program" | "userId" | "scopes" | "key">,
  appId: string,
): Claims {
  const claims = claimsOf(token);
  const { client_id: clientId, aud, sub, scope, cnf } = claims;
  const audience = program.resource === undefined ? appId : [program.resource];
  const bound = (cnf as { jkt: string } | undefined)?.jkt;
  const isRight = clientId === program.id && sub === userId && JSON.stringify(aud) === JSON.stringify(audience);
  const more = String(scope)
    .split(" ")
    .filter((one) => one !== "" && !scopes.includes(one));
  if (!isRight || more.length > 0 || bound !== key)
    throw new Violation("O6", `a token of ${program.id} says ${JSON.stringify({ clientId, aud, sub, more, cnf })}`);
  return claims;
}
