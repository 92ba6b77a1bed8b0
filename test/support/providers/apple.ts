import type { KeyObject } from "node:crypto";
import { decodeProtectedHeader, jwtVerify } from "jose";

/** Apple's six months, in seconds. */
const longestSecret = 15_777_000;

/**
 * Apple, "Creating the client secret": ES256 by the app's own key, for this client, six months at
 * most.
 */
export async function isMintedSecret(
  secret: string,
  key: KeyObject,
  expected: { teamId: string; keyId: string; clientId: string; audience: string },
): Promise<boolean> {
  try {
    const { teamId, keyId, clientId, audience } = expected;
    const issuedAt = Number(payloadOf(secret)["iat"]) * 1000;
    // Read at its own time: the clock of the service under test may be ahead of this machine's.
    const { payload } = await jwtVerify(secret, key, {
      issuer: teamId,
      subject: clientId,
      audience,
      algorithms: ["ES256"],
      requiredClaims: ["iat", "exp"],
      currentDate: new Date(issuedAt),
    });
    const lifetime = (payload.exp ?? Infinity) - (payload.iat ?? 0);
    return decodeProtectedHeader(secret).kid === keyId && lifetime > 0 && lifetime <= longestSecret;
  } catch {
    return false;
  }
}

function payloadOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as Record<string, unknown>;
}

/** OAuth 2.0 Form Post Response Mode: a page that sends itself. */
export function formPost(action: string, fields: Record<string, string>): string {
  const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escaped(value)}" />`,
  );
  const head = '<head><title>Apple</title><link rel="icon" href="data:,"></head>';
  return `<!doctype html><html lang="en">${head}<body onload="document.forms[0].submit()">
    <form method="post" action="${escaped(action)}">${inputs.join("")}</form></body></html>`;
}
