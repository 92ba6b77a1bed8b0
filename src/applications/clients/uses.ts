import { part, type CoreContext } from "../../runtime/context.ts";
import { LastUses } from "../../storage/queries/last-uses.ts";
import { recordClientUse } from "./store.ts";

/** When OpenID Connect clients, and those of kind `proxy`, were last used. */
export const clientUses = part(
  ({ storage }: CoreContext) => new LastUses(storage, recordClientUse),
  (uses) => uses.flush(),
);
