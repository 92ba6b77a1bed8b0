import { randomFillSync } from "node:crypto";

const idBytes = 16;
const drawnAtOnce = 256;

/**
 * Request ids of 128 random bits, so that two of them do not reveal the number of calls in between.
 */
export function createRequestIds(): () => string {
  const drawn = Buffer.alloc(idBytes * drawnAtOnce);
  let used = drawn.length;
  return () => {
    if (used === drawn.length) {
      randomFillSync(drawn);
      used = 0;
    }
    const id = drawn.toString("hex", used, used + idBytes);
    used += idBytes;
    return `req_${id}`;
  };
}
