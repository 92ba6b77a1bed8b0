/**
 * Cursors of the list of users, which mark the start of the next page. They are sealed for their
 * application, filter and order, so a forged one cannot reveal hidden users.
 */
import { invalidRequest } from "../lib/errors.ts";
import { digestOf } from "../lib/random.ts";
import type { Context } from "../runtime/context.ts";
import type { Position, UserListing } from "./list-query.ts";

export function write(ctx: Context, appId: string, listing: UserListing, { key, id }: Position): string {
  return ctx.keyring.sealCursor(JSON.stringify([digestOfListing(listing), key, id]), "users", appId);
}

/** Throws INVALID_REQUEST. */
export function read(ctx: Context, appId: string, listing: UserListing, cursor: string): Position {
  const body = ctx.keyring.openCursor(cursor, "users", appId);
  if (body === undefined) throw invalidRequest("cursor", "this list did not return it; start again without it");
  const [digest, key, id] = JSON.parse(body) as [string, Position["key"], string];
  if (digest !== digestOfListing(listing))
    throw invalidRequest(
      "cursor",
      "it belongs to another filter or order; send the same ones, or start again without it",
    );
  return { key, id };
}

function digestOfListing({ filter, order }: UserListing): string {
  const { email, namePrefix, group, state, created, lastLogin } = filter;
  const parts = [email, namePrefix, group, state, created.since, created.before, lastLogin.since, lastLogin.before];
  return digestOf(JSON.stringify([...parts.map((part) => part ?? null), order.by, order.descending])).slice(0, 16);
}
