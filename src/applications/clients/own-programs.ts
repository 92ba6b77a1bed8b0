import type { Context } from "../../runtime/context.ts";
import { findClient } from "./store.ts";

/**
 * Whether a client's tokens have the same access to their user as the application's own. Tokens of
 * third-party programs have less (docs/spec/openid.md, 5).
 */
export async function isOwnProgram(ctx: Context, id: string): Promise<boolean> {
  const client = await findClient(ctx.storage.reader, id);
  return client?.disabledAt === null && client.consent === "none";
}
