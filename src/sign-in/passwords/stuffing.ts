/** Notices tries at many accounts: from one network, or with one password (docs/decisions/0105). */
import { createHmac } from "node:crypto";
import { LRUCache } from "lru-cache";
import { hour } from "../../lib/clock.ts";
import { part, type Context } from "../../runtime/context.ts";

/** A failed or new try. `account`: its application and address. */
type Try = { network: string; account: string; password: string };

/** The newest accounts that failed, the last one last, each with its time. */
type Accounts = Map<string, number>;

/** A flood displaces the oldest. With 1,000 accounts each: 200 MB at most; with 10, 30 MB. */
const maxKept = 20_000;

/**
 * In memory only, for an hour, and by digests whose key this process alone has: a database must not
 * hold a fast digest of anybody's password.
 */
export const stuffing = part((ctx: Context) => {
  const { puzzleAfter } = ctx.config.passwords;
  const limits = { network: puzzleAfter, password: Math.max(2, Math.ceil(puzzleAfter / 2)) };
  const key = ctx.random(32);
  const seen = {
    network: new LRUCache<string, Accounts>({ max: maxKept }),
    password: new LRUCache<string, Accounts>({ max: maxKept }),
  };

  const digestOf = (text: string): string => createHmac("sha256", key).update(text).digest("base64url");

  function add(kind: "network" | "password", value: string, account: string): void {
    const name = digestOf(value);
    const accounts = seen[kind].get(name) ?? new Map<string, number>();
    accounts.delete(account);
    accounts.set(account, ctx.clock());
    if (accounts.size > limits[kind]) accounts.delete(accounts.keys().next().value ?? "");
    seen[kind].set(name, accounts);
  }

  function isOver(kind: "network" | "password", value: string): boolean {
    const accounts = seen[kind].get(digestOf(value));
    if (!accounts || accounts.size < limits[kind]) return false;
    const [oldest = 0] = accounts.values();
    return oldest > ctx.clock() - hour;
  }

  return {
    isSuspect({ network, password }: Try): boolean {
      return puzzleAfter > 0 && (isOver("network", network) || isOver("password", password));
    },

    failed({ network, account, password }: Try): void {
      if (puzzleAfter === 0) return;
      const whose = digestOf(account);
      add("network", network, whose);
      add("password", password, whose);
    },
  };
});
