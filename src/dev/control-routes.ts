import { z } from "zod";
import { demoAppId } from "../applications/leftovers.ts";
import { json } from "../http/answer.ts";
import { sourceOf } from "../http/request.ts";
import { route, type Guard, type Route } from "../http/route.ts";
import { isoTime } from "../lib/clock.ts";
import { AppError, invalidRequest } from "../lib/errors.ts";
import { mailbox } from "../records/mail/mailbox.ts";
import type { Context } from "../runtime/context.ts";
import * as userListings from "../users/listing.ts";
import * as profiles from "../people/profile.ts";
import { maxAdvanceSeconds, type DevClock } from "./clock.ts";
import type { EventInbox } from "./event-inbox.ts";
import { devSignIn } from "./sign-in.ts";

const tokenBody = z.strictObject({
  email: z.string("required, a string").max(254, "at most 254 characters"),
  name: z.string("must be a string").max(200, "at most 200 characters").optional(),
});

const clockRule = `required, a whole number of seconds from 1 to ${maxAdvanceSeconds}`;
const clockBody = z.strictObject({
  advanceSeconds: z.int(clockRule).min(1, clockRule).max(maxAdvanceSeconds, clockRule),
});

/**
 * Calls with which tests of an application control the service, without a browser. `fromProgram`
 * refuses pages of other origins.
 */
export function controlRoutes(
  ctx: Context,
  deps: { clock: DevClock; fromProgram: Guard<undefined>; events: EventInbox },
): Route[] {
  const { clock, fromProgram, events } = deps;

  let resetting: Promise<unknown> = Promise.resolve();

  /** Deletes one user; false if somebody else did. */
  async function deleted(userId: string): Promise<boolean> {
    try {
      await profiles.remove(ctx, userId, { actor: { kind: "service", name: "development" } });
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === "USER_NOT_FOUND") return false;
      throw error;
    }
  }

  /** Deletes users but no settings, so that the developer's program stays connected. */
  async function reset(): Promise<{ deletedUsers: number }> {
    let deletedUsers = 0;
    // First, so that the inbox does not get events of the deletions.
    await events.close();
    for (;;) {
      const { users } = await userListings.list(ctx, demoAppId, {}, { limit: 100 });
      if (users.length === 0) break;
      for (const { id } of users) if (await deleted(id)) deletedUsers += 1;
    }
    clock.reset();
    mailbox(ctx)?.clear();
    await events.open();
    return { deletedUsers };
  }

  return [
    route("POST", "/dev/token", fromProgram, undefined, async (_ctx, request) =>
      json(await devSignIn(ctx, await request.json(tokenBody), sourceOf(request))),
    ),
    route("POST", "/dev/clock", fromProgram, undefined, async (_ctx, request) => {
      const { advanceSeconds } = await request.json(clockBody);
      if (!clock.advance(advanceSeconds))
        throw invalidRequest(
          "advanceSeconds",
          `at most ${maxAdvanceSeconds} in total; POST /dev/reset restores the real time`,
        );
      return json({ now: isoTime(clock.now()), aheadSeconds: clock.aheadSeconds() });
    }),
    route("POST", "/dev/reset", fromProgram, undefined, async () => {
      // One at a time: two would leave two inboxes.
      const done = resetting.then(reset, reset);
      resetting = done.catch(() => {});
      return json(await done);
    }),
  ];
}
