/** Sign-ins that begin on a device (RFC 8628 §3.1). */
import type { UsableClient } from "../applications/clients/client.ts";
import * as resources from "../applications/resources/service.ts";
import { oauthError } from "../lib/errors.ts";
import type { RequestSource } from "../lib/request-source.ts";
import type { Context } from "../runtime/context.ts";
import { deviceAddress } from "../sign-in/devices/addresses.ts";
import * as devices from "../sign-in/devices/service.ts";
import { maxScopeCharacters, organizationProblem, scopesAsked } from "./authorization-request.ts";
import type { FormParameters } from "./client-guard.ts";
import { deviceGrant, refuseOthers } from "./token-grants.ts";

/** RFC 8628 §3.2. */
export type DeviceAuthorization = {
  device_code: string;
  user_code: string;
  verification_uri: string;
  verification_uri_complete: string;
  expires_in: number;
  interval: number;
};

/** Throws INVALID_REQUEST with the error of RFC 6749 §5.2 or RFC 8707 §2. */
export async function begin(
  ctx: Context,
  { client, application }: UsableClient,
  form: FormParameters,
  source: RequestSource,
): Promise<DeviceAuthorization> {
  refuseOthers(deviceGrant, client);
  const [identifier, scope = null] = [form.get("resource"), form.get("scope")];
  const resource = identifier === undefined ? null : await resources.askedBy(ctx.storage.reader, client, identifier);
  if (resource === undefined) throw oauthError("invalid_target", "resource: one resource that this client may ask for");
  if ((scope?.length ?? 0) > maxScopeCharacters)
    throw oauthError("invalid_request", `scope: at most ${maxScopeCharacters} characters`);
  const scopes = scopesAsked(scope, client, application, resource);
  if (scopes.length === 0 && (resource === null || scope !== null))
    throw oauthError("invalid_scope", "scope: this client may request none of these");
  const organization = form.get("organization");
  const problem = organizationProblem(organization, { client, application, scopes });
  if (problem) throw oauthError(problem.error, problem.description);
  const { deviceCode, userCode, expiresIn, interval } = await devices.begin(
    ctx,
    { client, application, scopes, resource, organization },
    source,
  );
  const address = deviceAddress(ctx.baseUrl);
  return {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: address,
    verification_uri_complete: `${address}?user_code=${userCode}`,
    expires_in: expiresIn,
    interval,
  };
}
