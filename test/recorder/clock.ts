import crypto from "node:crypto";
import { openSync, readSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";

// Loaded before the service (`node --import`), and into the recorder itself, where commands run.
const file = process.env["RECORDER_CLOCK"];
if (file !== undefined) {
  setClock(file);
  setRandom();
  setTimers();
}

/** The wall clock is what a file says, so that every time in a recording is exact. */
function setClock(path: string): void {
  const descriptor = openSync(path, "r");
  const bytes = Buffer.alloc(8);
  const now = (): number => {
    readSync(descriptor, bytes, 0, 8, 0);
    return bytes.readDoubleLE(0);
  };
  globalThis.Date = new Proxy(Date, {
    construct: (target, given: []) => (given.length === 0 ? new target(now()) : new target(...given)),
    get: (target, name) => (name === "now" ? now : (Reflect.get(target, name) as unknown)),
  });
}

/**
 * Ids of one moment sort as they were made: what `systemRandom` (src/lib/random.ts) cuts from its
 * stock begins with a number that grows, in place of four random bytes.
 */
function setRandom(): void {
  const real = crypto.randomFillSync;
  let count = 0;
  crypto.randomFillSync = ((stock: Uint8Array, ...more: []) => {
    const filled = real(stock, ...more);
    if (stock.length < 4096) return filled;
    return Object.assign(filled, {
      slice(from: number, to: number): Uint8Array {
        const drawn = Uint8Array.prototype.slice.call(stock, from, to);
        if (drawn.length < 10) return drawn;
        count += 1;
        new DataView(drawn.buffer).setUint32(0, count);
        return drawn;
      },
    });
  }) as typeof real;
  syncBuiltinESMExports();
}

/**
 * What the service does from time to time, such as to sweep, or to write what it has counted, it
 * does when it stops.
 */
function setTimers(): void {
  const never = 2 ** 31 - 1;
  const { setTimeout: after, setInterval: every } = globalThis;
  const rare = (milliseconds: number | undefined): number | undefined =>
    milliseconds !== undefined && milliseconds >= 4000 ? never : milliseconds;
  globalThis.setTimeout = ((work: () => void, milliseconds?: number, ...more: []) =>
    after(work, rare(milliseconds), ...more)) as typeof after;
  globalThis.setInterval = ((work: () => void, milliseconds?: number, ...more: []) =>
    every(work, rare(milliseconds), ...more)) as typeof every;
}
