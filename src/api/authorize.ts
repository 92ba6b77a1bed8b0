import type { Application } from "../applications/application.ts";
import type { Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import { AppError, invalidRequest } from "../lib/errors.ts";
import { isAnswer } from "../pages/hosted/hosted.ts";
import * as departures from "../pages/sign-in/oauth-starts.ts";
import * as visits from "../pages/sign-in/visits.ts";
import type { Context } from "../runtime/context.ts";
import { initiateBody } from "../sign-in/initiate-body.ts";
import * as signIn from "../sign-in/service.ts";

/**
 * GET /oauth/:provider/authorize: initiates and redirects to the provider in one call
 * (docs/spec/http-api.md, 4.6; docs/spec/decisions.md, 10). Errors are answered here: nothing is
 * redirected to an unregistered address.
 */
export async function authorizeHandler(ctx: Context, request: HttpRequest, application: Application): Promise<Answer> {
  const query = request.query();
  const provider = request.parameter("provider").toLowerCase();
  const { sessionId } = await namingParameters(() => signIn.initiate(ctx, application, bodyFrom(query, provider)));
  const visit = await visits.visit(ctx, request, sessionId);
  return isAnswer(visit) ? visit : await departures.start(ctx, visit, provider);
}

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
