/** The way to a provider, and the pages for a provider's failures. */
import * as providers from "../../applications/providers/provider-clients.ts";
import { providerDisplayName } from "../../applications/providers/providers.ts";
import { seeOther, type Answer } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import type { Context } from "../../runtime/context.ts";
import * as providerSignIn from "../../sign-in/providers/provider-sign-in.ts";
import { isAnswer } from "../hosted/hosted.ts";
import { countStart } from "../hosted/start-limit.ts";
import { leavePage } from "../onward-pages.ts";
import type { SignInProblem } from "../parts/problems.ts";
import * as add from "./add-pages.ts";
import * as choose from "./choose-pages.ts";
import { pathOf } from "./choose-pages.ts";
import * as visits from "./visits.ts";
import type { Visit } from "./visits.ts";

type ProviderProblem = Extract<SignInProblem, { provider: string }>["kind"];

export async function problem(
  ctx: Context,
  visit: Visit,
  provider: string,
  kind: ProviderProblem,
  adds = false,
): Promise<Answer> {
  // Adding returns to its own page, which can show these two.
  if (adds) return await add.show(ctx, visit, { kind: kind === "provider-cancelled" ? kind : "provider-failed" });
  return await choose.showSignIn(ctx, visit, {
    problem: { kind, provider: providerDisplayName(provider) },
    status: 400,
  });
}

/**
 * For failures of the provider only. A storage error is ours and contains query values, so it is
 * handled like any other error.
 */
export function failed(ctx: Context, visit: Visit, provider: string, error: unknown, adds = false): Promise<Answer> {
  if (error instanceof Error && error.name !== "ProviderFailure") throw error;
  ctx.log.warn("a provider failed", {
    provider,
    appId: visit.application.id,
    ...visit.request.logFields,
    reason: reasonOf(error),
  });
  return problem(ctx, visit, provider, "provider-failed", adds);
}

/** The provider's URL, or a page with the reason why there is none. */
async function begin(
  ctx: Context,
  visit: Visit,
  provider: string,
  adds = false,
): Promise<{ address: string } | Answer> {
  const started = await providerSignIn
    .start(ctx, visits.forProof(ctx, visit), provider, { adds })
    .catch((error: unknown) => ({ error }));
  if (started === "method-disabled") return choose.methodDisabled(ctx, visit, "oauth");
  if (started === "other-browser") return visits.message(visit, { kind: started });
  // Without a fresh proof, the session's own page asks for one.
  if (started === "not-fresh") return seeOther(pathOf(visit));
  return "error" in started ? await failed(ctx, visit, provider, started.error, adds) : started;
}

function goTo({ browser: { setCookie } }: Visit, address: string): Answer {
  return { ...seeOther(address), cookies: setCookie === undefined ? [] : [setCookie] };
}

export async function start(ctx: Context, visit: Visit, provider: string): Promise<Answer> {
  const begun = await begin(ctx, visit, provider);
  return "address" in begun ? goTo(visit, begun.address) : begun;
}

/** Continues from a posted form to the provider. */
async function leaveFor(ctx: Context, posted: Visit, provider: string, adds = false): Promise<Answer> {
  const begun = await begin(ctx, posted, provider, adds);
  if (!("address" in begun)) return begun;
  const { address } = begun;
  const offered = (await providers.offered(ctx, posted.application.id)).find(({ name }) => name === provider);
  if (offered?.formTargets.includes(new URL(address).origin)) return goTo(posted, address);
  // The page's form-action cannot name an endpoint known only from the discovery document. An
  // intermediate page starts a new navigation, to which it does not apply.
  const left = visits.page(ctx, posted, leavePage(posted.frame, { address, to: providerDisplayName(provider) }));
  return { ...left, headers: { ...left.headers, refresh: `0; url=${address}` } };
}

/**
 * Starts from a session that requested a provider. Showing pages is not limited, but this
 * writes a state and may call the provider.
 */
export async function startByVisit(ctx: Context, visit: Visit, provider: string): Promise<Answer> {
  await countStart(ctx, visit.request.ipAddress);
  return await start(ctx, visit, provider);
}

/** Starts from a button on the sign-in page. */
export async function startByForm(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await visits.submit(ctx, request);
  if (isAnswer(posted)) return posted;
  return await leaveFor(ctx, posted, providerOf(request));
}

/** Starts from "Continue with …" on the page that adds a method. */
export async function addByForm(ctx: Context, request: HttpRequest): Promise<Answer> {
  const posted = await visits.submit(ctx, request);
  if (isAnswer(posted)) return posted;
  return await leaveFor(ctx, posted, posted.session.addsProvider ?? "", true);
}

export function providerOf(request: HttpRequest): string {
  return request.parameter("provider").toLowerCase();
}

/** The loggable reason of a provider's failure, in our own words. */
function reasonOf(error: unknown): string {
  if (typeof error === "string") return error;
  return error instanceof Error ? error.message : "unknown";
}
