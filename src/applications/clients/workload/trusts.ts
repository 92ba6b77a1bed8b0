/**
 * The trusts of clients: the tokens of other issuers that authenticate them (docs/decisions/0058).
 */
import { AppError, invalidRequest } from "../../../lib/errors.ts";
import type { Trust } from "../../../storage/column-types.ts";
import type { Context } from "../../../runtime/context.ts";
import type { Client } from "../client.ts";
import * as clients from "../service.ts";
import type { ClientCall } from "../service.ts";
import { fieldsOf, isLike, type NewTrust } from "./trust.ts";

/**
 * Adds a trust in an issuer's tokens to those of the client. Throws CLIENT_NOT_FOUND,
 * INVALID_REQUEST naming the field, CONFLICT for an application or an existing trust.
 */
export async function add(ctx: Context, clientId: string, trust: NewTrust, call: ClientCall): Promise<Trust> {
  const change = ({ trusts }: Client) => {
    if (trusts.some(isLike(trust))) throw new AppError("CONFLICT", "The client already has this credential.");
    return { trusts: [...trusts, fieldsOf(trust)] };
  };
  const { trusts } = await clients.update(ctx, clientId, change, call).catch(withoutPlace);
  const added = trusts.find(isLike(trust));
  if (!added) throw new Error("a trust that was just added");
  return added;
}

/** A refused field by its own name instead of its place in the list. */
function withoutPlace(error: unknown): never {
  const { field, rule } = (error instanceof AppError ? error.rejected : undefined) ?? { field: "", rule: "" };
  const [, name] = /^trusts\[\d+\]\.(\w+)$/u.exec(field) ?? [];
  throw name === undefined ? error : invalidRequest(name, rule, error);
}

/** Oldest first. Throws CLIENT_NOT_FOUND. */
export async function list(ctx: Context, clientId: string): Promise<Trust[]> {
  return (await clients.get(ctx, clientId)).trusts;
}

/**
 * Removes a trust and revokes the tokens that a machine obtained by it. Throws CLIENT_NOT_FOUND,
 * KEY_NOT_FOUND.
 */
export async function remove(ctx: Context, clientId: string, id: string, call: ClientCall): Promise<void> {
  const change = ({ trusts }: Client) => {
    const others = trusts.filter((trust) => trust.id !== id);
    if (others.length === trusts.length)
      throw new AppError("KEY_NOT_FOUND", "The client has no credential with this id.");
    return { trusts: others };
  };
  await clients.update(ctx, clientId, change, call);
}
