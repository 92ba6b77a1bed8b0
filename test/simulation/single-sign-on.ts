/** What a program gets of somebody who is signed in in a browser, without a page. */
import { authorizeUrl } from "../support/openid.ts";
import type { Page, Visitor } from "../support/person.ts";
import { Violation } from "./model.ts";
import { claimsOf } from "./oracles/tokens.ts";
import { postAs } from "./programs.ts";
import type { World } from "./world.ts";

/** Of RFC 7636, appendix B. */
const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

type Program = { id: string; redirectUris: string[] };
export type Proven = { auth_time: number | undefined; acr: string; amr: string[] };

/** What a token says was proven, and when. */
export function provenIn(token: unknown): Proven {
  const { auth_time, acr, amr } = claimsOf(String(token)) as Proven;
  return { auth_time, acr, amr };
}

export async function silently(
  { service }: World,
  visitor: Visitor,
  program: Program,
  more: Record<string, string | null>,
): Promise<Page> {
  const asked = { scope: "openid", code_challenge: challenge, code_challenge_method: "S256", prompt: "none" };
  return await visitor.get(authorizeUrl(service, program, { ...asked, ...more }));
}

/** O6: its access token and its ID token say the same; undefined if it gets none. */
export async function silentTokens(
  world: World,
  visitor: Visitor,
  program: Program,
  more: Record<string, string | null> = {},
): Promise<Proven | undefined> {
  const { id, redirectUris } = program;
  const { searchParams } = (await silently(world, visitor, program, more)).location;
  const [code, redirect = ""] = [searchParams.get("code"), ...redirectUris];
  if (code === null) return undefined;
  const form = { grant_type: "authorization_code", code, redirect_uri: redirect, code_verifier: verifier };
  const { status, body } = await postAs({ id }, "/oauth2/token", form);
  if (status !== 200) return undefined;
  const [access, idToken] = [provenIn(body["access_token"]), provenIn(body["id_token"])];
  const [one, other] = [idToken, access].map((each) => JSON.stringify(each));
  if (one !== other) throw new Violation("O6", `an ID token says ${one} beside ${other}`);
  world.reached("an ID token beside its access token, by single sign-on");
  return access;
}
