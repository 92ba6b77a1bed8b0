import { describe, expect, it, vi } from "vitest";
import type { Log } from "../../src/lib/log.ts";
import { silentLog } from "../../src/lib/silent-log.ts";
import { closeParts, newContext, part, withinTransaction, type CoreContext } from "../../src/runtime/context.ts";
import type { Handle, Storage } from "../../src/storage/storage.ts";

function contextWith(storage: Partial<Storage> = {}, log = silentLog): CoreContext {
  return newContext<CoreContext>({ storage, log } as Omit<CoreContext, "parts">);
}

describe("a part of a process", () => {
  it("is made on its first use, once for each process", () => {
    const make = vi.fn<() => Map<string, string>>(() => new Map());
    const known = part(make);
    const [one, other] = [contextWith(), contextWith()];
    expect(make).not.toHaveBeenCalled();
    expect(known(one)).toBe(known(one));
    expect(known(other)).not.toBe(known(one));
    expect(make).toHaveBeenCalledTimes(2);
  });

  it("is made for the process, also when a transaction is the first to use it", () => {
    const storage = { isShared: false };
    const storageOf = part((ctx: CoreContext) => ctx.storage);
    const ctx = contextWith(storage);
    const within = withinTransaction(ctx, {} as Handle);
    expect(within.storage).not.toBe(ctx.storage);
    expect(storageOf(within)).toBe(ctx.storage);
  });

  it("is closed if it was made, whatever happens to the others", async () => {
    const error = vi.fn<Log["error"]>();
    const closed: string[] = [];
    const ctx = contextWith({}, { ...silentLog, error });
    const broken = part(
      () => "broken",
      () => Promise.reject(new Error("on purpose")),
    );
    const [first, never] = ["first", "never"].map((name) =>
      part(
        () => name,
        (made) => void closed.push(made),
      ),
    );
    broken(ctx);
    first?.(ctx);
    await closeParts(ctx);
    expect(never).toBeDefined();
    expect(closed).toEqual(["first"]);
    expect(error).toHaveBeenCalledOnce();
  });
});
