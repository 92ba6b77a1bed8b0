import type { Application } from "../applications/application.ts";
import { AppError, invalidRequest } from "../lib/errors.ts";
import { isAnswer } from "../pages/hosted/hosted.ts";
import * as departures from "../pages/sign-in/oauth-starts.ts";
import * as visits from "../pages/sign-in/visits.ts";
import { initiateBody } from "../sign-in/initiate-body.ts";
import * as signIn from "../sign-in/service.ts";
import type { Operation } from "./operation.ts";

/**
 * Initiates and redirects to the provider in one call (docs/spec/http-api.md, 4.6;
 * docs/spec/decisions.md, 10). Errors are answered here: nothing is redirected to an unregistered
 * address.
 */
export const authorize: Operation<Application> = {
  id: "authorize",
  tag: "Query-style",
  summary: "Send a browser to a provider to sign in",
  description:
    "A link for browsers. Like every sign-in, it returns to `redirect_uri` with `code`, `state` and `sessionId`, or with `error`.",
  query: {
    app_id: { required: true, about: "App ID" },
    redirect_uri: {
      required: true,
      about: "One of the application's redirect URIs, exactly as registered.",
      schema: { type: "string", format: "uri", maxLength: 2048 },
    },
    state: { about: "Returned in the redirect.", schema: { type: "string", maxLength: 2048 } },
    code_challenge: {
      about: "PKCE: the base64url SHA-256 of a code verifier.",
      schema: { type: "string", pattern: "^[A-Za-z0-9_-]{43}$" },
    },
    code_challenge_method: { about: "With `code_challenge`.", schema: { type: "string", enum: ["S256"] } },
  },
  answer: { status: 303, about: "A redirect to the provider." },
  async respond(ctx, request, application) {
    const provider = request.parameter("provider").toLowerCase();
    const body = bodyFrom(request.query(), provider);
    const { sessionId } = await namingParameters(() => signIn.initiate(ctx, application, body));
    const visit = await visits.visit(ctx, request, sessionId);
    return isAnswer(visit) ? visit : await departures.start(ctx, visit, provider);
  },
};

/** The query parameters for the fields of POST /auth/initiate. */
const parameterOf: Record<string, string> = {
  redirectUri: "redirect_uri",
  codeChallenge: "code_challenge",
  authMethod: "provider",
};

/** Runs `work`, and renames a refused field to its query parameter. */
async function namingParameters<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || !error.rejected) throw error;
    const { field, rule } = error.rejected;
    throw invalidRequest(parameterOf[field] ?? field, rule, error);
  }
}

/** Applies the rules of POST /auth/initiate to the query. */
function bodyFrom(query: Map<string, string>, provider: string) {
  const method = query.get("code_challenge_method");
  const codeChallenge = query.get("code_challenge");
  if (codeChallenge === undefined ? method !== undefined : method !== "S256")
    throw invalidRequest("code_challenge_method", "must be S256, with code_challenge");
  const parsed = initiateBody.safeParse({
    redirectUri: query.get("redirect_uri"),
    authMethod: "oauth",
    provider,
    state: query.get("state"),
    codeChallenge,
  });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = String(issue?.path[0] ?? "query");
  throw invalidRequest(parameterOf[field] ?? field, issue?.message ?? "not as documented");
}
