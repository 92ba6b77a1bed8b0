import { sqliteKit, type Kit } from "./schema/kit.ts";
import { accountTables } from "./schema/account.ts";
import { applicationsTables } from "./schema/applications.ts";
import { clientsTables } from "./schema/clients.ts";
import { devicesTables } from "./schema/devices.ts";
import { factorTables } from "./schema/factors.ts";
import { forwardAuthTables } from "./schema/forward-auth.ts";
import { groupsTables } from "./schema/groups.ts";
import { mailTables } from "./schema/mail.ts";
import { operatorTables } from "./schema/operators.ts";
import { organizationsTables } from "./schema/organizations.ts";
import { pictureTables } from "./schema/pictures.ts";
import { serviceTables } from "./schema/service.ts";
import { signInTables } from "./schema/sign-in.ts";
import { tokensTables } from "./schema/tokens.ts";
import { usersTables } from "./schema/users.ts";
import { webhookTables } from "./schema/webhooks.ts";

/**
 * Every table, defined once for both databases. Secrets are stored as `…Digest` (SHA-256), as a
 * password hash, or encrypted under the master key.
 */
export function defineTables(kit: Kit) {
  const applications = applicationsTables(kit);
  const users = usersTables(kit, applications);
  const both = { ...applications, ...users };
  const clients = clientsTables(kit, both);
  const tokens = tokensTables(kit, both);
  return {
    ...both,
    ...clients,
    ...devicesTables(kit, both),
    ...groupsTables(kit, both),
    ...organizationsTables(kit, both),
    ...factorTables(kit, both),
    ...signInTables(kit, both),
    ...accountTables(kit, both),
    ...tokens,
    ...forwardAuthTables(kit, { ...clients, ...tokens }),
    ...mailTables(kit, both),
    ...webhookTables(kit, { ...both, ...clients }),
    ...operatorTables(kit, both),
    ...pictureTables(kit, { ...both, ...clients }),
    ...serviceTables(kit),
  };
}

export type Tables = ReturnType<typeof defineTables>;

export const sqliteTables: Tables = defineTables(sqliteKit);
