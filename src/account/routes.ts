import { json, seeOther, type Answer } from "../http/answer.ts";

/**
 * GET /.well-known/passkey-endpoints (https://www.w3.org/TR/passkey-endpoints/): where password
 * managers send people to create or manage a passkey. It cannot name the application; the account
 * page finds it.
 */
export function passkeyEndpointsHandler(baseUrl: string): () => Answer {
  const address = `${baseUrl}/account`;
  return () => json({ enroll: address, manage: address });
}

/** GET /.well-known/change-password (https://w3c.github.io/webappsec-change-password-url/). */
export function changePasswordHandler(baseUrl: string): () => Answer {
  return () => seeOther(`${baseUrl}/account`);
}
