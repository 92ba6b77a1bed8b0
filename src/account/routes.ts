import { json, type Answer } from "../http/answer.ts";

/**
 * GET /.well-known/passkey-endpoints (https://www.w3.org/TR/passkey-endpoints/): where password managers send people who want to make or manage a
 * passkey. It cannot say for which application; the account page finds that out.
 */
export function passkeyEndpointsHandler(baseUrl: string): () => Answer {
  const address = `${baseUrl}/account`;
  return () => json({ enroll: address, manage: address });
}
