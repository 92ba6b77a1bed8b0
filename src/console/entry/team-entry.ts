/** The entry of a team: operators sign in with a passkey on the service's own pages. */
import { consoleAppId, consoleCallbackPath } from "../../applications/console-app.ts";
import * as applications from "../../applications/service.ts";
import { proofIsFresh } from "../../factors/assurance.ts";
import { seeOther, type Answer } from "../../http/answer.ts";
import { sourceOf, type HttpRequest } from "../../http/request.ts";
import { anyone, route } from "../../http/route.ts";
import { isOver } from "../../lib/clock.ts";
import { AppError } from "../../lib/errors.ts";
import { digestOf, newSecret } from "../../lib/random.ts";
import { countStart } from "../../pages/hosted/start-limit.ts";
import type { Actor } from "../../records/audit/audit.ts";
import type { Context } from "../../runtime/context.ts";
import * as loginAdministration from "../../sessions/login-administration.ts";
import { redeem } from "../../sign-in/redemption/redeem.ts";
import * as signIn from "../../sign-in/service.ts";
import * as operators from "../../operators/service.ts";
import {
  deleteOperatorSession,
  findOperatorSession,
  insertOperatorSession,
  recordOperatorSeen,
  type OperatorSession,
} from "../../operators/store.ts";
import { messageAnswer } from "../parts/message.ts";
import { cookieLine, cookieOf, earlierKey, isByItself, type Entry } from "./entry.ts";

const signInLasts = 600;
const keyLasts = (2 * operators.longestSession) / 1000;
const signInPath = "/console/sign-in";
const signedInPath = "/console/signed-in-again";

export function openTeamEntry(origin: string): Entry {
  async function begin(ctx: Context, request: HttpRequest, page: string): Promise<Answer> {
    const application = await applications.find(ctx, ctx.storage.reader, consoleAppId);
    if (!application)
      return messageAnswer(ctx, {
        status: 403,
        title: "No operators yet",
        text: "Invite the first one with this command:",
        command: "authsvc operator invite --email you@example.com --role owner",
      });
    await countStart(ctx, request.ipAddress);
    const state = newSecret(ctx.random);
    const { authUrl } = await signIn.initiate(ctx, application, {
      redirectUri: `${origin}${consoleCallbackPath}`,
      state,
      // Always asks for the passkey: an ended session must not continue with a click.
      maxAge: 0,
    });
    // The page is in the cookie, not in the state, so that only this browser returns to it.
    const value = `${state}.${Buffer.from(page).toString("base64url")}`;
    return { ...seeOther(authUrl), cookies: [cookieLine(origin, "console-sign-in", value, signInLasts)] };
  }

  async function end(ctx: Context, request: HttpRequest): Promise<void> {
    const key = cookieOf(request, origin, "console");
    const session = key === undefined ? undefined : await findSession(ctx, key);
    if (!session) return;
    await ctx.storage.writeOne((handle) => deleteOperatorSession(handle, session.digest));
    await loginAdministration.end(ctx, session.loginId, { dryRun: false }, operatorActor(session.userId));
  }

  const signedIn = route("GET", consoleCallbackPath, anyone, "authentication", async (ctx, request) => {
    if (!(await operators.isAllowedFrom(ctx, request.ipAddress))) throw notFound();
    const query = request.query();
    const [state = "", page = ""] = cookieOf(request, origin, "console-sign-in")?.split(".") ?? [];
    const application = await applications.find(ctx, ctx.storage.reader, consoleAppId);
    if (!application || query.has("error") || state === "" || query.get("state") !== state)
      return messageAnswer(ctx, {
        status: 403,
        title: "You are not signed in",
        text: "The sign-in was cancelled, or started in another browser.",
        back: { path: "/console", label: "Sign in" },
      });
    const body = { code: query.get("code") ?? "", sessionId: query.get("sessionId") ?? "", state };
    const source = sourceOf(request);
    const { user, refreshToken } = await redeem(ctx, { body, application, withoutApiKey: false, source });
    const loginId = await loginAdministration.loginIdOf(ctx, refreshToken);
    const now = ctx.clock();
    const key = newSecret(ctx.random);
    const digest = digestOf(key);
    // The previous session in this browser, whose passkey was too old.
    await end(ctx, request);
    await ctx.storage.writeOne((handle) =>
      insertOperatorSession(handle, { digest, userId: user.id, loginId, createdAt: now, seenAt: now }),
    );
    if (!(await findSession(ctx, key)))
      return messageAnswer(ctx, {
        status: 403,
        title: "You are not an operator",
        text: "Your passkey is correct, but this account no longer has a role here. Ask an owner to invite you again.",
      });
    const earlier = cookieOf(request, origin, "console");
    const cookies = [
      // Longer than the session: by it, a form that is sent too late comes back.
      cookieLine(origin, "console", key, keyLasts),
      // Also one that another tab has open since before this sign-in.
      ...(earlier !== undefined ? [cookieLine(origin, earlierKey, earlier, keyLasts)] : []),
      cookieLine(origin, "console-sign-in", "", 0),
    ];
    return { ...seeOther(pageAfter(page)), cookies };
  });

  // For a form that came back: it stays in its tab, and the sign-in is in another one.
  const prove = route("GET", signInPath, anyone, "authentication", async (ctx, request) => {
    if (!(await operators.isAllowedFrom(ctx, request.ipAddress))) throw notFound();
    return await begin(ctx, request, signedInPath);
  });
  const proven = route("GET", signedInPath, anyone, "authentication", async (ctx, request) => {
    if (!(await operators.isAllowedFrom(ctx, request.ipAddress))) throw notFound();
    return messageAnswer(ctx, {
      title: "You are signed in",
      text: "Close this tab, and press “Send again” in the other one.",
      back: { path: "/console", label: "To the console" },
    });
  });

  return {
    origin: () => origin,
    signInPath,
    isTeam: true,
    admits: async (ctx, address) => await operators.isAllowedFrom(ctx, address),
    async sessionOf(ctx, request, { isUse = true } = {}) {
      const key = cookieOf(request, origin, "console");
      if (key === undefined) return undefined;
      const now = ctx.clock();
      const session = await findSession(ctx, key);
      if (!session) return undefined;
      const { userId, role, email, digest, seenAt, provenAt } = session;
      if (isUse && now > seenAt && !isByItself(request))
        await ctx.storage.writeOne((handle) => recordOperatorSeen(handle, digest, now));
      return {
        key,
        operator: {
          actor: operatorActor(userId),
          role,
          name: email ?? userId,
          appId: undefined,
          isFresh: !isOver(provenAt + proofIsFresh, proofIsFresh, now),
        },
      };
    },
    begin,
    end,
    routes: [signedIn, prove, proven],
  };
}

async function findSession(ctx: Context, key: string): Promise<OperatorSession | undefined> {
  const now = ctx.clock();
  const alive = { createdAfter: now - operators.longestSession, seenAfter: now - operators.idleSession };
  return await findOperatorSession(ctx.storage.reader, digestOf(key), alive);
}

function operatorActor(userId: string): Actor {
  return { kind: "operator", name: userId };
}

/**
 * Only a page of the console, never a foreign address from the cookie. Its query may have whatever
 * a query may (RFC 3986).
 */
function pageAfter(encoded: string): string {
  const page = Buffer.from(encoded, "base64url").toString();
  return /^\/console(?:\/[\w.~%/-]*)?(?:\?[\w.~%&=+:*,;@!$'()/?-]*)?$/u.test(page) ? page : "/console";
}

function notFound(): AppError {
  return new AppError("UNKNOWN_PATH", "This path does not exist.");
}
