import { part, type CoreContext } from "../runtime/context.ts";
import { createLastUses } from "../storage/queries/last-uses.ts";
import { recordApiKeyUse } from "./key-store.ts";

/** When API keys were last used. */
export const keyUses = part(
  ({ storage }: CoreContext) => createLastUses({ storage, record: recordApiKeyUse }),
  (uses) => uses.flush(),
);
