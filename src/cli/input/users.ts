import { AppError, userNotFound } from "../../lib/errors.ts";
import type { CoreContext } from "../../runtime/context.ts";
import { namingFlags } from "../cli.ts";

/**
 * The id of a user named by id, or by an email address that exactly one user has, in the given
 * application or in all. `flag`: its name in messages.
 */
export async function userIdOf(ctx: CoreContext, given: string, flag = "ID", appId?: string): Promise<string> {
  if (!given.includes("@")) return given;
  const { allByEmail } = await import("../../users/listing.ts");
  const found = await namingFlags({ email: flag }, () => allByEmail(ctx, given, appId));
  if (found.length > 1) {
    const ids = found.map((user) => `${user.id} (${user.appId})`).join(", ");
    throw new AppError("CONFLICT", `Several applications have a user with this address. Use the User ID: ${ids}.`);
  }
  const [user] = found;
  if (!user) throw userNotFound();
  return user.id;
}
