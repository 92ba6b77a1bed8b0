import { isDeepStrictEqual } from "node:util";
import * as resources from "../../applications/resources/service.ts";
import type { DesiredApplication } from "./state-schema.ts";
import type { Actor } from "../../records/audit/audit.ts";
import type { Context } from "../../runtime/context.ts";
import { describedResource, objectKey } from "./current.ts";
import { naming } from "./places.ts";

/** See `reconcileApplication`. */
export async function reconcileResources(
  ctx: Context,
  { id: appId, resources: desired = [] }: DesiredApplication,
  { at, actor }: { at: string; actor: Actor },
): Promise<void> {
  const present = new Map((await resources.list(ctx, appId)).map((one) => [one.identifier, describedResource(one)]));
  for (const [index, { identifier, ...change }] of desired.entries()) {
    const place = `${at}.resources[${index}]`;
    const before = present.get(identifier);
    if (!before) await naming(place, () => resources.create(ctx, { ...change, appId, identifier }, { actor }));
    else if (!isDeepStrictEqual(before, { ...before, ...given(change) }))
      await naming(place, () => resources.update(ctx, identifier, change, { actor }));
  }
}

/** Deletes the resources that the file does not name, or lists them for deletion. */
export async function removeResources(
  ctx: Context,
  { id: appId, resources: desired = [] }: DesiredApplication,
  { spares, actor, spared }: { spares: boolean; actor: Actor; spared: Set<string> },
): Promise<void> {
  const named = new Set(desired.map(({ identifier }) => identifier));
  for (const { identifier } of await resources.list(ctx, appId)) {
    if (named.has(identifier)) continue;
    if (spares) spared.add(objectKey("resource", identifier));
    else await resources.remove(ctx, identifier, { actor });
  }
}

function given<Change extends object>(change: Change): Partial<Change> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as Partial<Change>;
}
