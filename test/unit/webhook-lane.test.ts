import { describe, expect, it } from "vitest";
import { minute, second } from "../../src/lib/clock.ts";
import type { ClaimedDelivery } from "../../src/records/webhooks/deliveries.ts";
import type { AttemptOutcome } from "../../src/records/webhooks/delivery.ts";
import { Lane } from "../../src/records/webhooks/lane.ts";

const now = 1_000_000;
const nothing = { at: now, error: null, response: "", gone: false, retryAfterMilliseconds: undefined };
const success: AttemptOutcome = { ...nothing, status: 204, delivered: true, durationMilliseconds: 5 };
const refusal: AttemptOutcome = { ...success, status: 500, delivered: false };
const silence: AttemptOutcome = { ...refusal, status: null, durationMilliseconds: 15_000 };

const claimedUntil = (leaseUntil: number) => ({ leaseUntil }) as ClaimedDelivery;

/** How many attempts may be under way at once. */
function width(lane: Lane): number {
  const before = lane.underWay;
  for (lane.underWay = 0; lane.mayBegin(now); lane.underWay += 1);
  const found = lane.underWay;
  lane.underWay = before;
  return found;
}

describe("a lane to a receiver", () => {
  it("begins narrow, widens with each success to 64, halves with a failure, and is one wide when nothing answers", () => {
    const lane = new Lane();
    const widths = [width(lane)];
    for (const outcome of [success, refusal, refusal, silence, silence, success]) {
      lane.learn(outcome, now);
      widths.push(width(lane));
    }
    for (let count = 0; count < 100; count += 1) lane.learn(success, now);
    expect([...widths, width(lane)]).toEqual([8, 9, 5, 3, 1, 1, 2, 64]);
  });

  it("asks for as much as it can begin, and more of a receiver that is quick", () => {
    const lane = new Lane();
    expect(lane.wants(now)).toBe(8);
    for (let count = 0; count < 100; count += 1) lane.learn(success, now);
    expect(lane.wants(now)).toBe(64 * 4);
    lane.learn({ ...success, durationMilliseconds: 2000 }, now);
    expect(lane.wants(now)).toBe(64);
    lane.learn(silence, now);
    expect(lane.wants(now)).toBe(1);
  });

  it("keeps the one that it is to try next when nothing answers, and gives the others back", () => {
    const lane = new Lane();
    lane.learn(silence, now);
    lane.claimed.push(claimedUntil(now + 25 * second), claimedUntil(now + 25 * second));
    expect(lane.removeUnwanted(now)).toHaveLength(1);
    expect(lane.claimed).toHaveLength(1);
    expect(lane.mayBegin(now)).toBe(true);
  });

  it("gives back what it could not begin early enough to be done within its lease", () => {
    const lane = new Lane();
    lane.claimed.push(claimedUntil(now + 15 * second), claimedUntil(now + 24 * second));
    expect(lane.removeUnwanted(now)).toEqual([claimedUntil(now + 15 * second)]);
    expect(lane.claimed).toEqual([claimedUntil(now + 24 * second)]);
  });

  it("rests for as long as the receiver asks, ten minutes at most", () => {
    const lane = new Lane();
    lane.claimed.push(claimedUntil(now + 25 * second));
    lane.learn({ ...refusal, status: 429, retryAfterMilliseconds: 60 * minute }, now);
    expect([lane.wants(now), lane.mayBegin(now), lane.removeUnwanted(now).length]).toEqual([0, false, 1]);
    expect(lane.mayBegin(now + 10 * minute)).toBe(true);
  });
});
