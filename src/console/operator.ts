import type { Actor } from "../records/audit/audit.ts";
import { operatorRoles, type OperatorRole } from "../storage/column-types.ts";

/** The user of the console. */
export type Operator = {
  /** The name in the audit log. */
  actor: Actor;
  role: OperatorRole;
  /** The name on pages. */
  name: string;
  /** The only application that they may see; undefined: all. */
  appId: string | undefined;
  /** Whether they used the passkey within the last ten minutes, which some acts require. */
  isFresh: boolean;
};

/**
 * `viewer` can only read. `support` helps people, but never sees or changes a secret, a key, an
 * application or an operator. `owner` can do everything.
 */
export function mayDo({ role }: Pick<Operator, "role">, needed: OperatorRole): boolean {
  return operatorRoles.indexOf(role) >= operatorRoles.indexOf(needed);
}
