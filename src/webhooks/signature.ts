import { createHmac } from "node:crypto";
import { invalidRequest } from "../lib/errors.ts";
import { isStorable } from "../lib/text.ts";

const base64Prefix = "whsec_";
const [fewestCharacters, mostCharacters] = [16, 256];
const fewestBytes = 16;

/** The key that a secret stands for: of `whsec_…` the base64 behind it, of any other text its UTF-8 bytes (decision 11). */
function keyOf(secret: string): Buffer {
  return secret.startsWith(base64Prefix)
    ? Buffer.from(secret.slice(base64Prefix.length), "base64")
    : Buffer.from(secret, "utf8");
}

/** The secret as it came. Throws INVALID_REQUEST naming the field. */
export function checkedSecret(secret: string): string {
  if (
    secret.length < fewestCharacters ||
    secret.length > mostCharacters ||
    !isStorable(secret) ||
    /\p{Cc}/u.test(secret)
  ) {
    throw invalidRequest(`secret: ${fewestCharacters} to ${mostCharacters} characters, no control characters`);
  }
  if (secret.startsWith(base64Prefix)) {
    const key = keyOf(secret);
    // Whoever reads it more strictly than Node (and the official libraries do) would compute another signature.
    if (key.toString("base64") !== secret.slice(base64Prefix.length) || key.length < fewestBytes) {
      throw invalidRequest(`secret: behind ${base64Prefix}, base64 of at least ${fewestBytes} bytes, with its padding`);
    }
  }
  return secret;
}

/** What proves to a receiver who sent this body, and when: Standard Webhooks 1.0.0. One signature for each of the secrets, the newest first. */
export function signedHeaders(
  { id, body }: { id: string; body: string },
  secrets: string[],
  now: number,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = secrets.map(
    (secret) => `v1,${createHmac("sha256", keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest("base64")}`,
  );
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}
