import { part, type CoreContext } from "../runtime/context.ts";
import { LastUses } from "../storage/queries/last-uses.ts";
import { recordApiKeyUse } from "./key-store.ts";

/** When API keys were last used. */
export const keyUses = part(
  ({ storage }: CoreContext) => new LastUses(storage, recordApiKeyUse),
  (uses) => uses.flush(),
);
