import { day, hour } from "../../lib/clock.ts";
import type { DomainAnswer } from "../../storage/column-types.ts";
import type { Row } from "../../storage/storage.ts";

export type Domain = Row<"organizationDomains">;

/** A claim of a domain, and since when its organization is disabled. */
export type Claim = { row: Domain; disabledAt: number | null };

export const maxDomains = 10;
const week = 7 * day;
const askedAgainAfter = hour;
const claimsLast = 14 * day;
const missesThatLose = 3;
const disabledHolderLosesAfter = 30 * day;
/** So long the previous organization's owners can still object. */
const worksAfterMove = 72 * hour;

/** What an answer changes. `loser`: the organization that held the domain until now. */
export type Outcome = { own: Domain | "ends"; other?: Domain; isFirstMiss?: true; loser?: Domain };

/** An operator's proof is not asked about again. */
export function isByOperator({ state, nextCheckAt }: Domain): boolean {
  return state === "proved" && nextCheckAt === null;
}

/** What an answer to one claim of a domain changes. `others`: the other claims of it. */
export function outcomeOf(own: Claim, others: readonly Claim[], answer: DomainAnswer, now: number): Outcome {
  const asked = { ...own.row, checkedAt: now, answer };
  if (isByOperator(own.row)) return { own: asked };
  // A disabled organization keeps what it has, and gets nothing new; nor does an unconfirmed claim.
  const isHeld = own.disabledAt !== null || asked.setupLinkId !== null;
  const gainsNothing = isHeld && asked.state !== "proved" && answer.result === "found";
  if (answer.result === "unknown" || gainsNothing) return { own: { ...asked, nextCheckAt: now + askedAgainAfter } };
  if (asked.state === "proved")
    return answer.result === "found" ? { own: stillThere(asked, others, now) } : missed(asked, others, now);
  return answer.result === "found" ? shown(asked, others, now) : absent(asked, now);
}

/** The claim that gets a domain without a holder: the one that waited longest. */
export function successorOf(claims: readonly Claim[], now: number): Domain | undefined {
  const [first] = claims
    .filter(({ row: { state }, disabledAt }) => state === "waiting" && disabledAt === null)
    .toSorted((a, b) => a.row.createdAt - b.row.createdAt);
  return first && proved(first.row, now, now + worksAfterMove);
}

/** The claim after an operator vouched for it. */
export function proofOf(own: Domain, now: number): Domain {
  return { ...proved(own, now, null), nextCheckAt: null };
}

function proved(row: Domain, now: number, worksAt: number | null): Domain {
  return { ...row, state: "proved", provedAt: now, worksAt, misses: 0, missedAt: null, nextCheckAt: now + week };
}

/** As it is after its own record was not found, or its organization was disabled for long. */
function lost(row: Domain, now: number): Domain {
  return { ...row, state: "lapsed", misses: 0, missedAt: now, worksAt: null, nextCheckAt: now + askedAgainAfter };
}

function stillThere(own: Domain, others: readonly Claim[], now: number): Domain {
  const isContested = others.some(({ row }) => row.state === "waiting");
  return { ...own, misses: 0, missedAt: null, nextCheckAt: now + (isContested ? day : week) };
}

/** A miss counts once a day. The third without a find between loses the domain. */
function missed(own: Domain, others: readonly Claim[], now: number): Outcome {
  if (own.missedAt !== null && now < own.missedAt + day) return { own: { ...own, nextCheckAt: own.missedAt + day } };
  const misses = own.misses + 1;
  if (misses < missesThatLose) {
    const next = { ...own, misses, missedAt: now, nextCheckAt: now + day };
    return misses === 1 ? { own: next, isFirstMiss: true } : { own: next };
  }
  const successor = successorOf(others, now);
  return { own: lost(own, now), loser: own, ...(successor && { other: successor }) };
}

/** The record of somebody who does not hold the domain is there. */
function shown(own: Domain, others: readonly Claim[], now: number): Outcome {
  const holder = others.find(({ row }) => row.state === "proved");
  if (!holder) {
    const hasMoved = others.some(({ row }) => row.provedAt !== null);
    return { own: proved(own, now, hasMoved ? now + worksAfterMove : null) };
  }
  const { row: held, disabledAt } = holder;
  if (disabledAt !== null && disabledAt + disabledHolderLosesAfter <= now && !isByOperator(held))
    return { own: proved(own, now, now + worksAfterMove), other: lost(held, now), loser: held };
  const waiting = { ...own, state: "waiting", missedAt: null, nextCheckAt: now + week } as const;
  if (isByOperator(held) || (held.nextCheckAt ?? 0) <= now + day) return { own: waiting };
  return { own: waiting, other: { ...held, nextCheckAt: now + day } };
}

/** The record of somebody who does not hold the domain is not there. */
function absent(own: Domain, now: number): Outcome {
  const again = now + askedAgainAfter;
  if (own.state === "waiting") return { own: { ...own, state: "pending", missedAt: now, nextCheckAt: again } };
  return (own.missedAt ?? own.createdAt) + claimsLast <= now
    ? { own: "ends" }
    : { own: { ...own, nextCheckAt: again } };
}
