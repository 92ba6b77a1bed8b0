/** Answers the console's requests. The public address has none of its paths. */
import type { IncomingMessage, RequestListener } from "node:http";
import { createClientAddresses } from "../http/addresses.ts";
import { seeOther, type Answer } from "../http/answer.ts";
import { knownHosts } from "../http/known-hosts.ts";
import { nodeHandler, type Router } from "../http/node-handler.ts";
import { refusedCall } from "../http/refused-calls.ts";
import { createRequestLog } from "../http/request-log.ts";
import { sourceOf, type HttpRequest } from "../http/request.ts";
import { anyone, route, type Route } from "../http/route.ts";
import { createRouter } from "../http/router.ts";
import { readUpload } from "../http/uploads.ts";
import { AppError } from "../lib/errors.ts";
import { assetHandler } from "../pages/assets/routes.ts";
import { isCrossSite, ownsForm } from "../pages/hosted/browser.ts";
import { pictureHandler } from "../pages/pictures.ts";
import { rateLimits } from "../rate-limits/service.ts";
import { aggregatedEvents } from "../records/audit/aggregated-events.ts";
import type { Context } from "../runtime/context.ts";
import { consoleAssetHandler } from "./assets.ts";
import { isByItself, ownOrigin, type Entry } from "./entry/entry.ts";
import * as formAgain from "./form-again.ts";
import { isAllowed } from "./parts/act-form.ts";
import { messageAnswer } from "./parts/message.ts";
import type { Act, ConsoleRoute, Post, Visit } from "./route.ts";
import { consoleRoutes } from "./routes.ts";
import { signOut } from "./sign-out.ts";

/** `hosts`: names by which browsers reach it, besides those of this machine. */
export function consoleListener(ctx: Context, entry: Entry, hosts: readonly string[]): RequestListener {
  const handler = nodeHandler(consoleRouter(ctx, entry), ctx.log);
  const isKnownHost = knownHosts(hosts);
  return (message: IncomingMessage, response) => {
    if (isKnownHost(message)) return handler(message, response);
    response.writeHead(421, { "content-type": "text/plain" }).end("Host: not a name of this console\n");
  };
}

/** The same without a socket, for any host. */
export function consoleRouter(ctx: Context, entry: Entry): Router {
  const { config, log } = ctx;
  const logRequest = createRequestLog(log, { requests: config.log.requests, clock: ctx.clock });
  return createRouter({
    ctx,
    routes: [
      ...consoleRoutes.map((line) => routeOf(entry, line)),
      ...entry.routes,
      route("GET", "/", anyone, undefined, () => seeOther("/console")),
      route("GET", "/console", anyone, undefined, () => seeOther("/console/overview")),
      route("GET", "/console/assets/:file", anyone, undefined, consoleAssetHandler),
      route("GET", "/console/pictures/:random/:digest", anyone, undefined, pictureHandler("/console")),
      // For the preview of an application's pages.
      route("GET", "/assets/:file", anyone, undefined, assetHandler),
    ].map((line): Route => ({ ...line, errors: "page" })),
    addresses: createClientAddresses(config.trustedProxies),
    limiter: rateLimits(ctx).limiter,
    limits: config.rateLimits,
    behindTlsProxy: false,
    streams: true,
    strictTransportSecurity: entry.isTeam && entry.origin().startsWith("https:"),
    errorPage: (error) => errorPage(ctx, error),
    onAnswered(answered) {
      logRequest(answered);
      const refused = refusedCall(answered);
      if (refused) aggregatedEvents(ctx).note(refused);
    },
    isKnownCause: ctx.writability.explains,
    random: ctx.random,
    log,
  });
}

function routeOf(entry: Entry, line: ConsoleRoute): Route {
  const handle = async (ctx: Context, request: HttpRequest) => await serve(ctx, entry, line, request);
  return { ...route(line.method, line.path, anyone, undefined, handle), takes: "console" };
}

async function serve(ctx: Context, entry: Entry, line: ConsoleRoute, request: HttpRequest): Promise<Answer> {
  if (!(await entry.admits(ctx, request.ipAddress)))
    throw new AppError("INSUFFICIENT_SCOPE", "The console does not allow this network.");
  if (line.method === "POST") {
    if (isCrossSite({ baseUrl: ownOrigin({ entry, request }) }, request)) throw notOurForm();
    // Before the session is read: a role that ends while the form arrives has no effect.
    if (!isUploadForm(request)) await request.form();
    else await readFile(ctx, entry, line, request);
  }
  const session = await entry.sessionOf(ctx, request);
  // A live page would begin a sign-in every few seconds; its script reloads it.
  if (!session && isByItself(request))
    return messageAnswer(ctx, { status: 401, title: "You are not signed in", text: "Reload the page." });
  // A file cannot come back.
  if (!session && line.method === "POST" && line.path !== signOut.path && !isUploadForm(request)) {
    const again = await formAgain.afterSession(ctx, entry, line, request);
    if (again) return again;
  }
  if (!session) return await entry.begin(ctx, request, line.method === "GET" ? request.path : "/console");
  const { operator, key } = session;
  const formToken = formAgain.formTokenOf(ctx, key, operator.actor);
  const visit: Visit = { request, operator, formToken, sessionKey: key, entry };
  if (!isAllowed(visit, line)) throw new AppError("INSUFFICIENT_SCOPE", "Your role does not allow this.");
  return line.method === "GET" ? await line.handle(ctx, visit) : await servePost(ctx, line, visit);
}

function isUploadForm(request: HttpRequest): boolean {
  return request.header("content-type")?.startsWith("multipart/form-data") === true;
}

/** A body with a file is large: read only in a live session, and no further than a wrong token. */
async function readFile(ctx: Context, entry: Entry, line: Act, request: HttpRequest): Promise<void> {
  const session = await entry.sessionOf(ctx, request);
  if (!session) return;
  const formToken = formAgain.formTokenOf(ctx, session.key, session.operator.actor);
  const form =
    line.takesFile &&
    (await readUpload(ctx, request, { at: "console", caller: session.key }, (token) => ownsForm({ formToken }, token)));
  if (!form) throw notOurForm();
}

async function servePost(ctx: Context, line: Act, visit: Visit): Promise<Answer> {
  const { request, operator } = visit;
  const form = await request.form();
  if (!ownsForm(visit, form.get("token"))) {
    if (formAgain.hasTicket(ctx, visit, form) || formAgain.isOfEarlierSession(ctx, visit, form))
      return formAgain.onceMore(ctx, line, visit, form);
    throw notOurForm();
  }
  const post = { ...visit, form, by: { actor: operator.actor, source: sourceOf(request) } };
  if (!operator.isFresh && (await needsPasskey(ctx, line, post)))
    return formAgain.beforePasskey(ctx, line, visit, form);
  return await line.handle(ctx, post);
}

async function needsPasskey(ctx: Context, { asksFor }: Act, post: Post): Promise<boolean> {
  return typeof asksFor === "string" ? asksFor === "passkey" : await asksFor(ctx, post);
}

function notOurForm(): AppError {
  return new AppError(
    "INSUFFICIENT_SCOPE",
    "This form is not of this session. Go back, reload the page and try again.",
  );
}

function errorPage(ctx: Context, error: AppError): Answer {
  const { code, message, details } = error;
  const title = code === "UNKNOWN_PATH" || code.endsWith("_NOT_FOUND") ? "Page not found" : "Something went wrong";
  const text = details === "" ? message : `${message} (${details})`;
  return messageAnswer(ctx, { title, text, back: { path: "/console", label: "To the overview" } });
}
