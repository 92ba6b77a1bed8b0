import { openSync, readSync } from "node:fs";

// Loaded before the service (`node --import`): the wall clock is what a file says, so that every
// time in a recording is exact.
const file = process.env["RECORDER_CLOCK"];
if (file !== undefined) {
  const descriptor = openSync(file, "r");
  const bytes = Buffer.alloc(8);
  const now = (): number => {
    readSync(descriptor, bytes, 0, 8, 0);
    return bytes.readDoubleLE(0);
  };
  const RealDate = Date;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, given: []) => (given.length === 0 ? new target(now()) : new target(...given)),
    get: (target, name) => (name === "now" ? now : (Reflect.get(target, name) as unknown)),
  });
}
