import { isDeepStrictEqual } from "node:util";
import { findProvider, type OpenProviderRow } from "../../applications/providers/provider-store.ts";
import { directoryOf, endpointsOf } from "../../applications/providers/provider.ts";
import { AppError } from "../../lib/errors.ts";
import type { Handle } from "../../storage/storage.ts";
import { countIdentities } from "./identity-store.ts";

/**
 * The identities that a change of endpoints affects; undefined if none. Throws CONFLICT unless the
 * operator confirms that it is the same directory, because equal subjects of another directory are
 * other people.
 */
export async function identitiesToMove(
  handle: Handle,
  row: OpenProviderRow,
  keepIdentities: boolean,
): Promise<{ count: number; from: string[] } | undefined> {
  const { appId, name } = row;
  const before = await findProvider(handle, appId, name);
  if (before && isDeepStrictEqual(endpointsOf(before), endpointsOf(row))) return undefined;
  const counts = await countIdentities(handle, appId, name);
  const from = [...new Set([...(before ? [directoryOf(before)] : []), ""])].filter((issuer) => counts.has(issuer));
  const count = from.reduce((sum, issuer) => sum + (counts.get(issuer) ?? 0), 0);
  if (count === 0) return undefined;
  if (keepIdentities) return { count, from };
  const there = before ? `at ${directoryOf(before)}` : "of an unknown directory";
  throw new AppError(
    "CONFLICT",
    `${count} ${count === 1 ? "identity" : "identities"} of ${name} ${there} would count as identities of the new endpoints. If both are the same directory, use --keep-identities; if not, remove the provider first: authsvc app provider remove ${appId} ${name}`,
  );
}
