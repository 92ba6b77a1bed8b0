/** The entry of `authsvc console`: one link, which one browser may use. */
import { timingSafeEqual } from "node:crypto";
import { seeOther } from "../../http/answer.ts";
import { anyone, route } from "../../http/route.ts";
import { minute } from "../../lib/clock.ts";
import { digestOf, newSecret } from "../../lib/random.ts";
import type { Context } from "../../runtime/context.ts";
import { messageAnswer } from "../parts/message.ts";
import type { Operator } from "../operator.ts";
import { cookieLine, cookieOf, isByItself, type ConsoleSession, type Entry } from "./entry.ts";

/** How long the link is valid. */
const linkLasts = 10 * minute;

export type LocalEntry = Entry & {
  /** The target of the link, relative to the origin. */
  linkPath: string;
  /** When somebody last requested a page, in epoch milliseconds. */
  lastUsed(): number;
};

/** `origin` is a function, because the port is known later. */
export function openLocalEntry(ctx: Context, operator: Omit<Operator, "isFresh">, origin: () => string): LocalEntry {
  const token = newSecret(ctx.random);
  const validUntil = ctx.clock() + linkLasts;
  let isUsed = false;
  let session: (ConsoleSession & { digest: string }) | undefined;
  let lastUsed = ctx.clock();

  function isToken(sent: string): boolean {
    return timingSafeEqual(Buffer.from(digestOf(sent)), Buffer.from(digestOf(token)));
  }

  const enter = route("GET", "/console/enter", anyone, "authentication", (_ctx, request) => {
    if (request.onlyLooks) return messageAnswer(ctx, { title: "authsvc console", text: "Open the link to continue." });
    const isRight = isToken(request.query().get("token") ?? "");
    if (!isRight || isUsed || ctx.clock() >= validUntil)
      return messageAnswer(ctx, {
        status: 403,
        title: "This link does not work",
        text: "It works once, for ten minutes. To get a new one, run this command again:",
        command: "authsvc console",
      });
    isUsed = true;
    const key = newSecret(ctx.random);
    session = { operator: { ...operator, isFresh: true }, key, digest: digestOf(key) };
    return { ...seeOther("/console"), cookies: [cookieLine(origin(), "console", key)] };
  });

  return {
    linkPath: `/console/enter?token=${token}`,
    lastUsed: () => lastUsed,
    origin,
    isTeam: false,
    admits: async () => true,
    async sessionOf(_ctx, request, { isUse = true } = {}) {
      const cookie = cookieOf(request, origin(), "console");
      if (!session || cookie === undefined || digestOf(cookie) !== session.digest) return undefined;
      if (isUse && !isByItself(request)) lastUsed = ctx.clock();
      return session;
    },
    begin: async () =>
      messageAnswer(ctx, {
        status: 403,
        title: "You are not signed in",
        text: "Open the link that this command printed, in one browser:",
        command: "authsvc console",
      }),
    async end() {
      session = undefined;
    },
    routes: [enter],
  };
}
