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
  /**
   * Whether they proved who they are within the last ten minutes, as acts that ask for the passkey
   * demand.
   */
  isFresh: boolean;
};

/**
 * `viewer` sees. `support` helps people, and never sees or changes a secret, a key, an application
 * or an operator. `owner` does everything.
 */
export function mayDo({ role }: Pick<Operator, "role">, needed: OperatorRole): boolean {
  return operatorRoles.indexOf(role) >= operatorRoles.indexOf(needed);
}
