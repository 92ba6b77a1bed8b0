import type { Application } from "../applications/application.ts";
import type { Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import { invalidAppId, invalidRequest } from "../lib/errors.ts";
import { isAnswer } from "../hosted/hosted.ts";
import { initiateBody } from "./initiate-body.ts";
import type { OauthPages } from "./oauth-pages.ts";
import type { SignIn } from "./service.ts";
import type { Visits } from "./visits.ts";

/**
 * GET /oauth/:provider/authorize (contract 4.6, decision 10): initiate and the way to the provider in one address. Errors are answered here as
 * the contract's object; nothing is redirected before the redirect address is known to be registered.
 */
export function authorizeHandler(deps: {
  signIn: SignIn;
  visits: Visits;
  oauthPages: OauthPages;
  application(id: string): Promise<Application | undefined>;
}) {
  const { signIn, visits, oauthPages } = deps;

  return async (request: HttpRequest): Promise<Answer> => {
    const query = request.query();
    const appId = query.get("app_id") ?? "";
    if ((request.header("x-service-app-id") ?? appId) !== appId) throw invalidAppId();
    const application = await deps.application(appId);
    if (!application?.settings.queryEndpoints) throw invalidAppId();
    const provider = request.parameter("provider").toLowerCase();
    const { sessionId } = await signIn.initiate(application, bodyFrom(query, provider));
    const visit = await visits.visit(request, sessionId);
    return isAnswer(visit) ? visit : await oauthPages.start(visit, provider);
  };
}

/** The same rules as POST /auth/initiate, told in the words of the query. */
function bodyFrom(query: Map<string, string>, provider: string) {
  const method = query.get("code_challenge_method");
  const codeChallenge = query.get("code_challenge");
  if (codeChallenge === undefined ? method !== undefined : method !== "S256")
    throw invalidRequest("code_challenge_method: S256, with code_challenge");
  const parsed = initiateBody.safeParse({
    redirectUri: query.get("redirect_uri"),
    authMethod: "oauth",
    provider,
    state: query.get("state"),
    codeChallenge,
  });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const names: Record<string, string> = { redirectUri: "redirect_uri", codeChallenge: "code_challenge" };
  const field = String(issue?.path[0] ?? "query");
  throw invalidRequest(`${names[field] ?? field}: ${issue?.message ?? "not as documented"}`);
}
