import { createHash } from "node:crypto";
import { json, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import type { Grant, Grants } from "./grants.ts";
import type { StandIn } from "./stand-ins.ts";

type TokenRequest = Pick<HttpRequest, "form" | "header">;

/** The inputs of a token endpoint's response. */
export type TokenChecks = {
  grants: Grants;
  isClient(standIn: StandIn, request: TokenRequest, form: Map<string, string>): boolean;
  idToken(standIn: StandIn, grant: Grant): Promise<string>;
};

/**
 * The token endpoint (RFC 6749 §4.1.3, RFC 7636 §4.6): checks the client, then the code, which is
 * consumed by the lookup.
 */
export async function answerToken(
  { grants, isClient, idToken }: TokenChecks,
  standIn: StandIn,
  request: TokenRequest,
): Promise<Answer> {
  const form = await request.form();
  if (!isClient(standIn, request, form)) {
    const how = standIn.secretIn === "header" ? "in the Authorization header" : "in the body";
    return refused(standIn, "invalid_client", `The client credentials are wrong, or not ${how}.`, 401);
  }
  if (form.get("grant_type") !== "authorization_code")
    return refused(standIn, "unsupported_grant_type", "grant_type: authorization_code");
  const grant = grants.consumeCode(standIn.name, form.get("code") ?? "");
  if (!grant) return refused(standIn, "invalid_grant", "The code is unknown, used or expired.");
  if (form.get("redirect_uri") !== grant.request.redirectUri)
    return refused(standIn, "invalid_grant", "redirect_uri: not the one of the authorization request");
  if (challengeOf(form.get("code_verifier") ?? "") !== grant.request.codeChallenge)
    return refused(standIn, "invalid_grant", "code_verifier: does not belong to the code_challenge");
  if (grant.failure === "token-500") return { status: 500, headers: {}, body: "The stand-in is set to fail." };
  if (grant.failure === "token-garbage") return garbage();
  return json({
    access_token: grants.issueToken(grant),
    token_type: "Bearer",
    expires_in: 600,
    scope: grant.request.scopes.join(" "),
    ...("idToken" in standIn.says ? { id_token: await idToken(standIn, grant) } : {}),
  });
}

/** The response of a misconfigured proxy, with a successful status. */
export function garbage(): Answer {
  return { status: 200, headers: { "content-type": "application/json" }, body: "<!doctype html><p>It works!" };
}

/** GitHub answers refusals with status 200. */
function refused({ name }: StandIn, error: string, description: string, status = 400): Answer {
  return json({ error, error_description: description }, name === "github" ? 200 : status);
}

function challengeOf(codeVerifier: string): string {
  return createHash("sha256").update(codeVerifier).digest("base64url");
}
