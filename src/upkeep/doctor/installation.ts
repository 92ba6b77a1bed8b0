import { statfs } from "node:fs/promises";
import type { Config } from "../../config/config.ts";
import type { SmtpServer } from "../../config/mail.ts";
import * as breached from "../../credentials/passwords/breached/breached.ts";
import { readCertificate, type TlsFiles } from "../../http/certificate.ts";
import { second, minute, day, isoTime } from "../../lib/clock.ts";
import { AppError } from "../../lib/errors.ts";
import { oldestWaiting } from "../../records/audit/syslog-store.ts";
import { mailServerProblem } from "../../records/mail/server-words.ts";
import { smtpProblem } from "../../records/mail/smtp.ts";
import type { Context } from "../../runtime/context.ts";
import * as signingKeys from "../../tokens/signing-keys.ts";
import { masterKeyTimes } from "../database/switched-master-key.ts";
import { examineClock } from "./clock.ts";
import { fileFindings } from "./files.ts";
import { problem, warning, type Examined, type Finding } from "./finding.ts";
import {
  breachedFindings,
  fileSystemFindings,
  masterKeyFindings,
  signingKeyFindings,
  spaceFindings,
  writeFindings,
  movableClock,
} from "./rules.ts";

/**
 * Certificates are usually renewed weeks before they expire; a closer date means that it was
 * forgotten.
 */
const expectedAhead = 14 * day;

/** Checks the certificate files that the service would read now. */
function certificateFindings(files: TlsFiles, now: number): Finding[] {
  try {
    const { validUntil } = readCertificate(files, now);
    if (validUntil - now > expectedAhead) return [];
    const fix = "renew it, then: systemctl reload authsvc";
    return [warning("certificate", `The certificate in ${files.certFile} expires at ${isoTime(validUntil)}.`, fix)];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [problem("certificate", `${error.message}.`, "fix listen.tls, or renew the certificate")];
  }
}

async function database({ storage, writability, config }: Context): Promise<Finding[]> {
  if (storage.isShared) return writeFindings(await writability.look());
  const { bavail, bsize, type } = await statfs(config.dataDir);
  return [...fileSystemFindings(type, config.dataDir), ...spaceFindings(bavail * bsize, config.dataDir)];
}

async function mail(server: SmtpServer): Promise<Finding[]> {
  const reason = await smtpProblem(server, 5 * second);
  if (reason === undefined) return [];
  const { message, fix } = mailServerProblem(server, reason);
  return [problem("mail", message, fix)];
}

async function breachedPasswords(config: Config, now: number): Promise<Finding[]> {
  try {
    const found = await breached.examine(config);
    return found ? breachedFindings(found, now) : [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [problem("passwords", `${error.message}.`, "authsvc breached-passwords fetch FILE")];
  }
}

/** A connection confirms its entries when it ends, each minute. */
const confirmedWithin = 5 * minute;

/** As the receiver of `audit.syslog` has confirmed. */
async function auditLog({ storage, clock }: Context): Promise<Finding[]> {
  const oldest = await oldestWaiting(storage.reader);
  if (oldest === undefined || clock() - oldest <= confirmedWithin) return [];
  const what = `The receiver of audit.syslog has confirmed no entry since ${isoTime(oldest)}.`;
  return [problem("audit-log", what, "see the log line: sending the audit log failed")];
}

/** The findings about files, database, keys, clock and mail server. */
export async function examineInstallation(ctx: Context, { isQuick = false }): Promise<Examined> {
  const { config, storage, clock, isDevelopment } = ctx;
  const { tls } = config.listen;
  return {
    files: fileFindings(config.dataDir),
    ...(tls && { certificate: certificateFindings(tls, clock()) }),
    database: await database(ctx),
    "master-key": masterKeyFindings(await masterKeyTimes(storage.reader), clock()),
    "signing-keys": signingKeyFindings(await signingKeys.late(ctx)),
    clock: isDevelopment ? [movableClock] : await examineClock(storage, clock),
    ...(config.passwords.breachedFile !== undefined &&
      !isQuick && { passwords: await breachedPasswords(config, clock()) }),
    ...(config.audit.syslog && { "audit-log": await auditLog(ctx) }),
    ...(config.mail && !isQuick && { mail: await mail(config.mail.server) }),
  };
}
