import { part, type CoreContext } from "../../runtime/context.ts";
import { createLastUses } from "../../storage/queries/last-uses.ts";
import { recordClientUse } from "./store.ts";

/** When OpenID Connect clients were last used. */
export const clientUses = part(
  ({ storage }: CoreContext) => createLastUses({ storage, record: recordClientUse }),
  (uses) => uses.flush(),
);
