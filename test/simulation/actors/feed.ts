/** A server that verifies tokens itself: it follows the feed of what was revoked, at any node. */
import { call } from "../../support/person.ts";
import { calling } from "../browser.ts";
import type { Generator } from "../generator.ts";
import { Violation } from "../model.ts";
import { time } from "../time.ts";
import { Lost, type Part, type World } from "../world.ts";

type Entry = { sid?: string; sub?: string; before?: string };
type Follower = { since: number; cursor: string; logins: Set<string>; users: Map<string, number> };

const followers = new WeakMap<World, Follower>();

export async function followFeed(world: World, { chances, isOver, pause }: Part): Promise<void> {
  await fromItsAddress(world, chances, async () => {
    while (!isOver()) {
      await pause(4000);
      try {
        await poll(world, chances.pick([0, 0, 10]));
      } catch (error) {
        if (!(error instanceof Lost)) throw error;
      }
    }
  });
}

/** O1: no end is missing in the feed, however late its transaction was committed. */
export async function checkFeed(world: World, chances: Generator): Promise<void> {
  // A feed that nobody followed begins now, but a clock that was ahead says that ends come later.
  if (!followers.has(world)) return;
  await fromItsAddress(world, chances, async () => {
    while (await poll(world, 0));
  });
  const follower = followers.get(world);
  if (!follower) return;
  const { reader } = world.node.ctx.storage;
  const { id, appId, userId, createdAt, endedAt } = reader.tables.logins;
  const rows = await reader.db.select({ id, appId, userId, createdAt, endedAt }).from(reader.tables.logins);
  for (const login of rows) {
    if (login.appId !== world.app.id || login.endedAt === null || login.endedAt <= follower.since) continue;
    if (follower.logins.has(login.id) || login.createdAt < (follower.users.get(login.userId) ?? 0)) continue;
    throw new Violation("O1", `the feed never told that ${login.id} has ended`);
  }
}

async function fromItsAddress(world: World, chances: Generator, work: () => Promise<void>): Promise<void> {
  await calling({ world, ipAddress: "203.0.113.11", chances: chances.fork("network") }, work);
}

/** Returns whether there may be more. */
async function poll(world: World, wait: number): Promise<boolean> {
  const { service, app } = world;
  const follower = followers.get(world);
  const query = follower ? `?wait=${wait}&after=${follower.cursor}` : "";
  const { status, body } = await call(service, "GET", `/auth/revocations${query}`, app.headers);
  // A cursor from a clock that was ahead is refused: the reader starts again.
  if (status === 410 && follower && world.latestTime > 0) return followers.delete(world);
  if (status !== 200) return false;
  const { cursor, revoked, more } = body as { cursor: string; revoked: Entry[]; more: boolean };
  if (!follower) {
    // What ended before says that it ended later, if a clock was ahead then.
    const since = Math.max(time.now(), world.latestTime);
    followers.set(world, { since, cursor, logins: new Set(), users: new Map() });
    return true;
  }
  follower.cursor = cursor;
  for (const { sid, sub, before } of revoked) {
    if (sid !== undefined) follower.logins.add(sid);
    if (sub !== undefined) follower.users.set(sub, Date.parse(before ?? ""));
  }
  if (revoked.length > 0) world.note(`the feed tells of ${revoked.length}`);
  if (wait > 0 && revoked.length > 0) world.reached("a revocation reached a caller who waited");
  return more;
}
