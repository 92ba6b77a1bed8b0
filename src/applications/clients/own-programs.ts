import type { Context } from "../../runtime/context.ts";
import { findClient } from "./store.ts";

/**
 * Whether a client's tokens may do for their user what the application's own may: not those of
 * other people's programs (docs/spec/openid.md, 5).
 */
export async function isOwnProgram(ctx: Context, id: string): Promise<boolean> {
  const client = await findClient(ctx.storage.reader, id);
  return client?.disabledAt === null && client.consent === "none";
}
