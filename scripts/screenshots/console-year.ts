import { day, hour } from "../../src/lib/clock.ts";
import type { Context } from "../../src/runtime/context.ts";
import * as store from "../../src/records/activity/activity-store.ts";
import type { ActivityEvent } from "../../src/storage/column-types.ts";

/** Of each application, as a share of all: how often something happens on a day. */
const rates: [event: ActivityEvent, kind: string, aDay: number][] = [
  ["sign-in", "password", 210],
  ["sign-in", "passkey", 160],
  ["sign-in", "oauth:google", 95],
  ["sign-in", "oauth:github", 20],
  ["sign-in", "emailCode", 30],
  ["sign-in.failed", "password", 34],
  ["second-factor", "totp", 60],
  ["second-factor.failed", "totp", 4],
  ["sign-up", "password", 12],
  ["sign-up", "passkey", 9],
  ["active", "", 320],
  ["refusal", "RATE_LIMITED", 7],
  ["refusal", "INVALID_TOKEN", 5],
  ["webhook.delivered", "", 400],
  ["webhook.failed", "", 9],
  ["mail.sent", "sign-up", 14],
  ["mail.failed", "sign-up", 1],
];

/** Numbers from 0 to 1, the same each time (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** People are awake from 7 to 23, and rest at the end of the week. */
function share(at: number, length: number): number {
  const weekday = new Date(at).getUTCDay();
  const ofWeek = weekday === 0 || weekday === 6 ? 0.6 : 1;
  if (length === day) return ofWeek;
  const hourOfDay = (at % day) / hour;
  return (ofWeek * (0.15 + Math.max(0, Math.sin(((hourOfDay - 5) / 18) * Math.PI)))) / 17;
}

/** A year of counts that grow, ending at `end`; hours for the last eight days. */
export async function countAYear(ctx: Context, shares: Record<string, number>, end: number): Promise<void> {
  const random = seeded(2026);
  const today = end - (end % day);
  await ctx.storage.write(async (tx) => {
    for (let at = today - 365 * day; at <= end; at += at < today - 8 * day ? day : hour) {
      const length = at < today - 8 * day ? day : hour;
      const growth = 1 - (0.6 * (end - at)) / (365 * day);
      for (const [appId, ofAll] of Object.entries(shares))
        for (const [event, kind, aDay] of rates) {
          const expected = aDay * ofAll * growth * share(at, length);
          const value = Math.floor(expected * (0.75 + random() / 2) + random());
          if (value > 0) await store.addActivity(tx, { appId, event, kind, value, hour: at, day: at - (at % day) });
        }
    }
  });
}
