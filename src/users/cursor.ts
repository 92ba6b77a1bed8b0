import { timingSafeEqual } from "node:crypto";
import { invalidRequest } from "../lib/errors.ts";
import { digestOf } from "../lib/random.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Position, UserListing } from "./list-query.ts";

const form = /^([\w-]{1,2000})\.([\w-]{43})$/u;

/**
 * Cursors of the list of users: where the next page begins. A MAC binds a cursor to its
 * application, filter and order, so that no forged one reveals what the list would not show.
 */
export function createCursors(keyring: Pick<Keyring, "mac">) {
  const macOf = (appId: string, body: string): string =>
    keyring.mac("cursor", "users", appId, body).toString("base64url");

  return {
    write(appId: string, listing: UserListing, { key, id }: Position): string {
      const body = Buffer.from(JSON.stringify([digestOfListing(listing), key, id])).toString("base64url");
      return `${body}.${macOf(appId, body)}`;
    },

    /** Throws INVALID_REQUEST. */
    read(appId: string, listing: UserListing, cursor: string): Position {
      const [, body = "", mac = ""] = form.exec(cursor) ?? [];
      if (!timingSafeEqual(Buffer.from(macOf(appId, body)), Buffer.from(mac.padEnd(43))))
        throw invalidRequest("cursor: not one that this list gave; start again without it");
      const [digest, key, id] = JSON.parse(Buffer.from(body, "base64url").toString()) as [
        string,
        Position["key"],
        string,
      ];
      if (digest !== digestOfListing(listing))
        throw invalidRequest("cursor: of another filter or order; send the same ones, or start again without it");
      return { key, id };
    },
  };
}

function digestOfListing({ filter, order }: UserListing): string {
  const { email, namePrefix, group, state, created, lastLogin } = filter;
  const parts = [email, namePrefix, group, state, created.since, created.before, lastLogin.since, lastLogin.before];
  return digestOf(JSON.stringify([...parts.map((part) => part ?? null), order.by, order.descending])).slice(0, 16);
}
