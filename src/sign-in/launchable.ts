/** The programs that a person may use, to open from their account page. */
import type { Application } from "../applications/application.ts";
import { withDefaultAccess } from "../applications/clients/client.ts";
import { listClientUses } from "../applications/clients/consents-store.ts";
import { isLaunchUrl } from "../applications/clients/settings.ts";
import { listClients } from "../applications/clients/store.ts";
import type { StoredPicture } from "../lib/stored-picture.ts";
import * as pictures from "../pictures/service.ts";
import type { Context } from "../runtime/context.ts";
import * as groups from "../users/groups/service.ts";

/** `picture`: the client's uploaded logo. */
export type LaunchableApp = { id: string; name: string; url: string; picture: StoredPicture | undefined };

/** The last used first, then by name. */
export async function list(ctx: Context, application: Application, userId: string): Promise<LaunchableApp[]> {
  const { reader } = ctx.storage;
  const shown = (await listClients(reader, application.id)).filter(
    ({ launchUrl, disabledAt }) => launchUrl !== null && isLaunchUrl(launchUrl) && disabledAt === null,
  );
  if (shown.length === 0) return [];
  const uses = await listClientUses(reader, userId);
  const usedAt = new Map(uses.map((use) => [use.clientId, use.usedAt]));
  const apps: LaunchableApp[] = [];
  for (const client of shown) {
    const { id, name, launchUrl } = client;
    if (!(await groups.admits(reader, withDefaultAccess({ client, application }).client, userId))) continue;
    const picture = (await pictures.shownOf(ctx, { clientId: id }))?.stored;
    apps.push({ id, name, url: launchUrl ?? "", picture });
  }
  return apps.toSorted(
    (a, b) => (usedAt.get(b.id) ?? 0) - (usedAt.get(a.id) ?? 0) || a.name.localeCompare(b.name, "en"),
  );
}
