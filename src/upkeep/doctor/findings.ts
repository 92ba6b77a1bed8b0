import { day, isoTime } from "../../lib/clock.ts";
import { hostOf, isLoopbackHost } from "../../lib/loopback.ts";
import * as audit from "../../records/audit/audit.ts";
import type { Context } from "../../runtime/context.ts";
import { masterKeyTimes } from "../database/switched-master-key.ts";
import { warning, type Finding } from "./finding.ts";
import { configurationFindings } from "./rules.ts";
import { examine } from "./service.ts";

const backupLasts = 7 * day;

/** When the last backup was made; undefined: not within the audit log. */
export async function lastBackup(ctx: Context): Promise<number | undefined> {
  return await audit.lastDone(ctx, "database.backup");
}

const order = ["problem", "warning", "ok"];

/**
 * What is wrong or missing, and what is fine: missing settings, the backup, and the results of
 * `doctor`. Problems first. `isQuick`: reads no large file and calls no other server.
 */
export async function allFindings(ctx: Context, options: { isQuick?: boolean } = {}): Promise<Finding[]> {
  const all = [
    ...configurationFindings(ctx.config),
    ...(ctx.isDevelopment ? [] : [...setUpFindings(ctx), ...(await backupFindings(ctx))]),
    ...(await examine(ctx, options)),
  ];
  return all.toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
}

function setUpFindings({ config, baseUrl }: Context): Finding[] {
  const isLocal = isLoopbackHost(hostOf(baseUrl), "localhost and below");
  return [
    ...(isLocal
      ? [
          warning(
            "configuration",
            `Only browsers on this machine reach ${baseUrl}.`,
            "set baseUrl, then: authsvc config check",
          ),
        ]
      : []),
    ...(config.mail
      ? []
      : [
          warning(
            "mail",
            "No mail is sent: nobody can reset a password or verify an address.",
            "set mail.smtpUrl and mail.from, then: authsvc config check",
          ),
        ]),
  ];
}

async function backupFindings(ctx: Context): Promise<Finding[]> {
  const last = await lastBackup(ctx);
  const fix = "authsvc db backup FILE";
  if (last === undefined) return [warning("backup", "The audit log knows of no backup.", fix)];
  return ctx.clock() - last > backupLasts
    ? [warning("backup", `The last backup was made ${isoTime(last)}.`, fix)]
    : [{ check: "backup", status: "ok", message: `The last backup was made ${isoTime(last)}.`, fix: null }];
}

/** A service without any backup needs one once it has existed for as long as one lasts. */
export async function needsBackup(ctx: Context): Promise<boolean> {
  const { storage, clock } = ctx;
  const last = await lastBackup(ctx);
  // PostgreSQL's own backups are not in the audit log.
  if (last === undefined && storage.isShared) return false;
  return clock() - (last ?? (await masterKeyTimes(storage.reader)).since) > backupLasts;
}
