/** The memberships of live access tokens, as each process remembers them. */
import { LRUCache } from "lru-cache";
import { minute, second } from "../lib/clock.ts";
import { part, type Context } from "../runtime/context.ts";
import { findChangedOrganizations } from "./changes-store.ts";
import { findMembership, type Membership } from "./membership-store.ts";

const maxRemembered = 10_000;
/** How often changes of whole organizations are read, at most. */
const knownFor = second;
/** After a longer pause, everything is read again. Rows of changes are kept for a day. */
const longestPause = 10 * minute;

type Remembered = { organizationId: string; version: number; membership: Membership | undefined };

const remembered = part(() => ({
  memberships: new LRUCache<string, Remembered>({ max: maxRemembered }),
  position: undefined as string | undefined,
  readAt: Number.NEGATIVE_INFINITY,
  /** Counts readings that found a change: what was read during one may be older. */
  changes: 0,
  reading: undefined as Promise<void> | undefined,
}));

async function readChanges(ctx: Context): Promise<void> {
  const state = remembered(ctx);
  const readAt = ctx.clock();
  if (Math.abs(readAt - state.readAt) > longestPause) {
    state.position = undefined;
    state.changes += 1;
    state.memberships.clear();
  }
  const { position, changed } = await findChangedOrganizations(ctx.storage.reader, state.position);
  const names = new Set(changed);
  if (names.size > 0) {
    state.changes += 1;
    for (const [key, { organizationId }] of state.memberships.entries())
      if (names.has(organizationId)) state.memberships.delete(key);
  }
  state.position = position;
  state.readAt = readAt;
}

/** Undefined, at once, while the last reading is young enough. */
function readChangesIfDue(ctx: Context): Promise<void> | undefined {
  const state = remembered(ctx);
  if (Math.abs(ctx.clock() - state.readAt) < knownFor) return undefined;
  state.reading ??= readChanges(ctx).finally(() => (state.reading = undefined));
  return state.reading;
}

type Asked = { loginId: string; userId: string; organizationId: string; version: number };

/**
 * The live membership of a login's user in an organization, at once if it is remembered. `version`:
 * the login's `claimsVersion`, which a change of the person's own membership raises; one of the
 * organization is seen within a second.
 */
export function membershipOf(ctx: Context, asked: Asked): Membership | undefined | Promise<Membership | undefined> {
  const due = readChangesIfDue(ctx);
  // Not asked again whether one is due: a slow one always would be.
  return due ? due.then(() => known(ctx, asked)) : known(ctx, asked);
}

function known(ctx: Context, asked: Asked): Membership | undefined | Promise<Membership | undefined> {
  const found = remembered(ctx).memberships.get(keyOf(asked));
  return found?.version === asked.version ? found.membership : read(ctx, asked);
}

function keyOf({ loginId, organizationId }: Asked): string {
  return `${loginId} ${organizationId}`;
}

async function read(ctx: Context, asked: Asked): Promise<Membership | undefined> {
  const state = remembered(ctx);
  const { changes } = state;
  const { organizationId, userId, version } = asked;
  const membership = await findMembership(ctx.storage.reader, { organizationId, userId });
  if (state.changes === changes) state.memberships.set(keyOf(asked), { organizationId, version, membership });
  return membership;
}
