import { createHmac } from "node:crypto";
import { invalidRequest } from "../../lib/errors.ts";
import type { Random } from "../../lib/random.ts";
import { isStorable } from "../../lib/text.ts";

const base64Prefix = "whsec_";
const [fewestCharacters, maxCharacters] = [16, 256];
const fewestBytes = 16;

/**
 * A secret's key: the base64 after `whsec_`, or else the UTF-8 bytes (docs/spec/decisions.md, 11).
 */
function keyOf(secret: string): Buffer {
  return secret.startsWith(base64Prefix)
    ? Buffer.from(secret.slice(base64Prefix.length), "base64")
    : Buffer.from(secret, "utf8");
}

export function newWebhookSecret(random: Random): string {
  return `${base64Prefix}${Buffer.from(random(32)).toString("base64")}`;
}

/** Returns the secret unchanged. Throws INVALID_REQUEST naming the field. */
export function checkedSecret(secret: string): string {
  if (
    secret.length < fewestCharacters ||
    secret.length > maxCharacters ||
    !isStorable(secret) ||
    /\p{Cc}/u.test(secret)
  ) {
    throw invalidRequest("secret", `${fewestCharacters} to ${maxCharacters} characters, no control characters`);
  }
  if (secret.startsWith(base64Prefix)) {
    const key = keyOf(secret);
    // Stricter decoders than Node's (such as the official libraries') would compute another
    // signature.
    if (key.toString("base64") !== secret.slice(base64Prefix.length) || key.length < fewestBytes) {
      throw invalidRequest(
        "secret",
        `after ${base64Prefix}, base64 of at least ${fewestBytes} bytes, with its padding`,
      );
    }
  }
  return secret;
}

/**
 * Proves to a receiver who sent this body, and when (Standard Webhooks 1.0.0). One signature per
 * secret, newest first.
 */
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
