import { randomFillSync } from "node:crypto";

const idBytes = 16;
const drawnAtOnce = 256;

/** Names for requests: 128 random bits each, so that nobody can tell from two of them how many calls there were in between. */
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
