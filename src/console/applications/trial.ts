/** A trial sign-in by an operator, made as the server of an application would. */
import type { Application } from "../../applications/application.ts";
import { validate as validation } from "../../api/tokens.ts";
import { errorAnswer, publicError, statusOf } from "../../http/error-answers.ts";
import { sourceOf, type HttpRequest } from "../../http/request.ts";
import { minute } from "../../lib/clock.ts";
import { digestOf, newSecret } from "../../lib/random.ts";
import type { By } from "../../records/audit/audit.ts";
import { part, type Context } from "../../runtime/context.ts";
import * as loginAdministration from "../../sessions/login-administration.ts";
import * as logouts from "../../sessions/logout.ts";
import * as pairs from "../../sessions/token-pairs.ts";
import type { TokenPair } from "../../sessions/token-pairs.ts";
import { redeem } from "../../sign-in/redemption/redeem.ts";
import * as signIn from "../../sign-in/service.ts";
import { findBearer } from "../../tokens/authentication.ts";
import { parseJwt } from "../../tokens/jwt.ts";

/** A call and its answer, without secrets and tokens. */
export type Call = { title: string; request: string; status: number; answer: unknown };

export type Trial = {
  startedAt: number;
  state: string;
  verifier: string;
  sessionId: string;
  calls: Call[];
  /** The login's tokens, until it ends. */
  tokens: { accessToken: string; refreshToken: string } | undefined;
};

/** Then its tokens are forgotten, and its login is left to expire. */
const lasts = 10 * minute;
const hidden = "(not shown)";

/** By the session of the console and the application. */
const trials = part(() => new Map<string, Trial>());

function keyOf(sessionKey: string, { id }: Application): string {
  return digestOf(`${sessionKey} ${id}`);
}

export function find(ctx: Context, sessionKey: string, application: Application): Trial | undefined {
  const now = ctx.clock();
  for (const [key, { startedAt }] of trials(ctx)) if (now - startedAt >= lasts) trials(ctx).delete(key);
  return trials(ctx).get(keyOf(sessionKey, application));
}

/** A call as a shell command. It never contains the API key. */
function curl(
  { baseUrl }: Context,
  { id }: Application,
  call: { method: "GET" | "POST"; path: string; body?: object; asUser?: boolean },
): string {
  const { method, path, body, asUser = false } = call;
  return [
    `curl -X ${method} ${baseUrl}${path}`,
    `-H "Authorization: Bearer ${asUser ? "$ACCESS_TOKEN" : "$API_KEY"}"`,
    `-H "X-Service-App-ID: ${id}"`,
    ...(body ? [`-H "Content-Type: application/json"`, `-d '${JSON.stringify(body)}'`] : []),
  ].join(" \\\n  ");
}

/** Makes the call and records the response. Undefined if it was refused. */
async function note<Result>(
  trial: Trial,
  request: HttpRequest,
  call: { title: string; request: string },
  work: () => Promise<{ result: Result; answer: unknown }>,
): Promise<Result | undefined> {
  try {
    const { result, answer } = await work();
    trial.calls.push({ ...call, status: 200, answer });
    return result;
  } catch (error) {
    const known = publicError(error);
    if (known.code === "SERVER_ERROR") throw error;
    const { body } = errorAnswer(known, request.id);
    trial.calls.push({ ...call, status: statusOf(known), answer: JSON.parse(body.toString()) as unknown });
    return undefined;
  }
}

/** The response, with the access token decoded. */
function shownPair<Answer extends TokenPair>(pair: Answer): unknown {
  const { header, claims } = parseJwt(pair.accessToken) ?? {};
  return { ...pair, accessToken: { header, claims }, refreshToken: hidden };
}

/** Begins a trial, and ends the previous one. Returns the browser's next address. */
export async function start(
  ctx: Context,
  sessionKey: string,
  application: Application,
  redirectUri: string,
  by: By,
): Promise<string> {
  const previous = find(ctx, sessionKey, application);
  if (previous) await endLogin(ctx, previous, by);
  const [state, verifier] = [newSecret(ctx.random), newSecret(ctx.random)];
  const body = { redirectUri, state, codeChallenge: digestOf(verifier) };
  const answer = await signIn.initiate(ctx, application, body);
  const { authUrl, sessionId } = answer;
  const call = {
    title: "Start the sign-in",
    request: curl(ctx, application, { method: "POST", path: "/auth/initiate", body: { ...body, state: hidden } }),
    status: 200,
    answer: { ...answer, authUrl: authUrl.replace(sessionId, hidden), sessionId: hidden },
  };
  const trial = { startedAt: ctx.clock(), state, verifier, sessionId, calls: [call], tokens: undefined };
  trials(ctx).set(keyOf(sessionKey, application), trial);
  return authUrl;
}

/** The browser returned with a code, or with an error. False if this trial did not send it. */
export async function comeBack(
  ctx: Context,
  trial: Trial,
  application: Application,
  request: HttpRequest,
): Promise<boolean> {
  const query = request.query();
  const isOwn = query.get("state") !== undefined && digestOf(query.get("state") ?? "") === digestOf(trial.state);
  if (!isOwn || trial.calls.length > 1) return false;
  const code = query.get("code");
  const shownQuery = Object.fromEntries(
    [...query].map(([name, value]) => [name, name.startsWith("error") ? value : hidden]),
  );
  trial.calls.push({
    title: "The browser comes back",
    request: "GET the redirect URI",
    status: 200,
    answer: shownQuery,
  });
  if (code === undefined) return true;
  const { sessionId, state, verifier: codeVerifier } = trial;
  const shownBody = { code: hidden, sessionId: hidden, state: hidden, codeVerifier: hidden };
  trial.tokens = await note(
    trial,
    request,
    {
      title: "Redeem the code",
      request: curl(ctx, application, { method: "POST", path: "/auth/callback", body: shownBody }),
    },
    async () => {
      const body = { code, sessionId, state, codeVerifier };
      const pair = await redeem(ctx, { body, application, withoutApiKey: false, source: sourceOf(request) });
      return { result: pair, answer: shownPair(pair) };
    },
  );
  await validate(ctx, trial, application, request);
  return true;
}

export async function validate(
  ctx: Context,
  trial: Trial,
  application: Application,
  request: HttpRequest,
): Promise<void> {
  const { tokens } = trial;
  if (!tokens) return;
  const call = {
    title: "Validate the access token",
    request: curl(ctx, application, { method: "GET", path: "/auth/validate", asUser: true }),
  };
  await note(trial, request, call, async () => {
    const bearer = await findBearer(ctx, tokens.accessToken, application.id);
    const { body } = await validation.respond(ctx, request, bearer);
    return { result: true, answer: JSON.parse(body.toString()) as unknown };
  });
}

export async function refresh(
  ctx: Context,
  trial: Trial,
  application: Application,
  request: HttpRequest,
): Promise<void> {
  const { tokens } = trial;
  if (!tokens) return;
  const call = {
    title: "Refresh the tokens",
    request: curl(ctx, application, { method: "POST", path: "/auth/refresh", body: { refreshToken: hidden } }),
  };
  const pair = await note(trial, request, call, async () => {
    const { refreshToken } = tokens;
    const pair = await pairs.refresh(ctx, {
      refreshToken,
      application,
      withoutApiKey: false,
      source: sourceOf(request),
    });
    return { result: pair, answer: shownPair(pair) };
  });
  if (pair) trial.tokens = pair;
}

/** Ends the login, and shows that its access token is refused afterwards. */
export async function logOut(
  ctx: Context,
  trial: Trial,
  application: Application,
  request: HttpRequest,
): Promise<void> {
  const { tokens } = trial;
  if (!tokens) return;
  const call = {
    title: "Log out",
    request: curl(ctx, application, { method: "POST", path: "/auth/logout", asUser: true }),
  };
  await note(trial, request, call, async () => {
    const bearer = await findBearer(ctx, tokens.accessToken, application.id);
    await logouts.logOut(ctx, bearer, {}, sourceOf(request));
    return { result: true, answer: { success: true, message: "Signed out." } };
  });
  await validate(ctx, trial, application, request);
  trial.tokens = undefined;
}

async function endLogin(ctx: Context, { tokens }: Trial, { actor }: By): Promise<void> {
  if (tokens === undefined) return;
  const loginId = await loginAdministration.loginIdOf(ctx, tokens.refreshToken);
  await loginAdministration.end(ctx, loginId, { dryRun: false }, actor);
}
