import { join } from "node:path";
import { findClientsBeginning } from "../applications/clients/store.ts";
import { findApplicationsBeginning } from "../applications/store.ts";
import type { Config } from "../config/config.ts";
import { openReader } from "../storage/open.ts";
import { findGroupsBeginning } from "../users/groups/store.ts";
import { findUsersBeginning } from "../users/list-store.ts";

/**
 * Names with a prefix and their descriptions, for shell completion. Does not change or create the
 * database. Does not use `app.ts`, because assembling all services takes too long for completion.
 */
export async function readNames(
  config: Config,
  kind: "apps" | "clients" | "groups" | "users" | "emails",
  prefix: string,
  limit: number,
): Promise<{ value: string; about: string }[]> {
  const storage = await openReader({ url: config.database.url, file: join(config.dataDir, "authsvc.db") });
  if (!storage) return [];
  try {
    if (kind === "apps" || kind === "clients") {
      const find = kind === "apps" ? findApplicationsBeginning : findClientsBeginning;
      const applications = await find(storage.reader, prefix, limit);
      return applications.map(({ id, name }) => ({ value: id, about: name }));
    }
    if (kind === "groups") {
      const groups = await findGroupsBeginning(storage.reader, prefix, limit);
      return groups.map(({ name, appId }) => ({ value: name ?? "", about: appId }));
    }
    const users = await findUsersBeginning(storage.reader, prefix, limit);
    if (kind === "users") return users.map(({ id, email }) => ({ value: id, about: email ?? "" }));
    return users.flatMap(({ id, email }) => (email?.startsWith(prefix) ? [{ value: email, about: id }] : []));
  } finally {
    await storage.close();
  }
}
