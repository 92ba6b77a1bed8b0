import { X509Certificate } from "node:crypto";
import * as disposable from "../applications/sign-up/disposable.ts";
import type { Config } from "../config/config.ts";
import { readText } from "../config/read-text.ts";
import * as breached from "../credentials/passwords/breached/breached.ts";
import { readCertificate } from "../http/certificate.ts";
import { AppError } from "../lib/errors.ts";
import { postgresFiles } from "../lib/postgres-addresses.ts";
import { maxTextBytes } from "../lib/read-file.ts";

/**
 * Reads the files that a valid configuration names, as a start does before it touches the database.
 * Throws INVALID_CONFIG.
 */
export async function examineFiles(config: Config, now: number): Promise<void> {
  const { listen, database, forwardAuth, audit } = config;
  for (const tls of [listen.tls, forwardAuth?.tls]) if (tls) readCertificate(tls, now);
  for (const { name, file } of postgresFiles(database.url ?? ""))
    readText(file, `${name} of database.url`, maxTextBytes);
  const { caFile } = audit.syslog ?? {};
  if (caFile !== undefined) readCertificates(caFile);
  disposable.examine(config);
  await breached.examine(config);
}

function readCertificates(file: string): X509Certificate {
  const text = readText(file, "audit.syslog.caFile", maxTextBytes);
  try {
    return new X509Certificate(text);
  } catch (cause) {
    throw new AppError("INVALID_CONFIG", `audit.syslog.caFile: ${file} contains no PEM certificate`, { cause });
  }
}
