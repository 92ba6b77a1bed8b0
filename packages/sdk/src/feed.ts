import type { Call, CallOptions } from "./call.ts";

/** One entry of the feed. A later version of the service may send other kinds. */
export type Revocation = { sid?: string; sub?: string; before?: string; kid?: string };

type Revocations = { cursor: string; revoked: Revocation[]; more: boolean };

/** Waits up to `wait` seconds for entries after the cursor; without one it answers at once. */
export async function getRevocations(
  call: Call,
  query: { after: string | undefined; wait: number },
  signal?: AbortSignal,
): Promise<Revocations> {
  const input: CallOptions & { query: object } = { query, timeoutSeconds: query.wait + 3, isRepeatable: false, signal };
  return (await call("GET /auth/revocations" as never, input as never)) as Revocations;
}
