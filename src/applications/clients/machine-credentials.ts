/**
 * The credentials of machines: secrets, keys, trusts. Removing one revokes the tokens that it
 * obtained.
 */
import { keyThumbprint } from "../../lib/key-thumbprint.ts";
import type { Handle } from "../../storage/storage.ts";
import type { Client } from "./client.ts";
import * as clientSecrets from "./secrets.ts";

/** Whether a client still has this secret or trust, by its id, or this key, by its thumbprint. */
export async function isLive(handle: Handle, client: Client, credential: string, now: number): Promise<boolean> {
  if (await clientSecrets.isLiveId(handle, client.id, credential, now)) return true;
  if (client.trusts.some(({ id }) => id === credential)) return true;
  return client.jwks?.keys.some((key) => keyThumbprint(key) === credential) ?? false;
}
