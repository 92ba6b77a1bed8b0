import { rateLimits } from "../../rate-limits/service.ts";
import { part, type Context } from "../../runtime/context.ts";

/** Failed attempts at passwords. */
export const passwordAttempts = part((ctx: Context) =>
  rateLimits(ctx).attempts("password", ctx.config.passwords.attemptsPerMinute),
);
