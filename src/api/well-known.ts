import { json, seeOther, type Answer } from "../http/answer.ts";
import type { Context } from "../runtime/context.ts";

/**
 * GET /.well-known/passkey-endpoints (https://www.w3.org/TR/passkey-endpoints/): where password
 * managers send people to create or manage a passkey. It cannot name the application; the account
 * page finds it.
 */
export function passkeyEndpointsHandler({ baseUrl }: Context): Answer {
  const address = `${baseUrl}/account`;
  return json({ enroll: address, manage: address });
}

/** GET /.well-known/change-password (https://w3c.github.io/webappsec-change-password-url/). */
export function changePasswordHandler({ baseUrl }: Context): Answer {
  return seeOther(`${baseUrl}/account`);
}
