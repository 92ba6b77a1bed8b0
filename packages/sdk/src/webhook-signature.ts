import type { WebhookEvent } from "./api.ts";
import { fromBase64, toText, utf8 } from "./encoding.ts";
import { AuthsvcError } from "./errors.ts";

/** An event, and the id that its repeated deliveries share. */
export type ReceivedEvent = WebhookEvent & { id: string };

const toleranceSeconds = 300;

/**
 * The event of a delivery that is genuine (Standard Webhooks).
 * @throws AuthsvcError INVALID_REQUEST: respond with 400.
 */
export async function verifyWebhook(request: Request, secret: string, now: () => number): Promise<ReceivedEvent> {
  const id = request.headers.get("webhook-id") ?? "";
  const timestamp = request.headers.get("webhook-timestamp") ?? "";
  const signatures = (request.headers.get("webhook-signature") ?? "").split(" ");
  const isNow = /^\d+$/u.test(timestamp) && Math.abs(now() / 1000 - Number(timestamp)) <= toleranceSeconds;
  if (!isNow) throw refused("its timestamp is not within five minutes of this clock");
  const body = new Uint8Array(await request.arrayBuffer());
  const prefix = utf8(`${id}.${timestamp}.`);
  const signed = new Uint8Array(prefix.length + body.length);
  signed.set(prefix);
  signed.set(body, prefix.length);

  const key = await importSecret(secret);
  for (const signature of signatures.slice(0, 8)) {
    const given = signatureBytes(signature);
    // `verify` compares in constant time.
    if (given && (await crypto.subtle.verify("HMAC", key, given, signed)))
      return { ...(JSON.parse(toText(body)) as WebhookEvent), id };
  }
  throw refused("its signature is wrong");
}

async function importSecret(secret: string): Promise<CryptoKey> {
  const bytes = secret.startsWith("whsec_") ? fromBase64(secret.slice(6)) : utf8(secret);
  return await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

function signatureBytes(signature: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return signature.startsWith("v1,") ? fromBase64(signature.slice(3)) : undefined;
  } catch {
    return undefined;
  }
}

function refused(why: string): AuthsvcError {
  return new AuthsvcError("INVALID_REQUEST", `The webhook delivery is not genuine: ${why}.`);
}
