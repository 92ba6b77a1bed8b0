import { day, isoTime } from "../../lib/clock.ts";
import { hostOf, isLoopbackHost } from "../../lib/loopback.ts";
import * as audit from "../../records/audit/audit.ts";
import type { Context } from "../../runtime/context.ts";
import { warning, type Finding } from "./finding.ts";
import { configurationFindings } from "./rules.ts";
import { examine } from "./service.ts";

const backupLasts = 7 * day;

/**
 * The unfinished set-up of a service: missing settings, and what `doctor` finds without reading
 * large files or calling other servers. Problems first.
 */
export async function unfinished(ctx: Context): Promise<Finding[]> {
  const found = (await examine(ctx, { isQuick: true })).filter(({ status }) => status !== "ok");
  const all = [
    ...configurationFindings(ctx.config),
    ...(ctx.isDevelopment ? [] : [...setUpFindings(ctx), ...(await backupFindings(ctx))]),
    ...found,
  ];
  return all.toSorted((a, b) => Number(b.status === "problem") - Number(a.status === "problem"));
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
  const last = await audit.lastDone(ctx, "database.backup");
  const fix = "authsvc db backup FILE";
  if (last === undefined) return [warning("database", "The audit log knows of no backup.", fix)];
  return ctx.clock() - last > backupLasts
    ? [warning("database", `The last backup was made ${isoTime(last)}.`, fix)]
    : [];
}
