import { readCertificate, type TlsFiles } from "../../http/certificate.ts";
import { day, isoTime } from "../../lib/clock.ts";
import { AppError } from "../../lib/errors.ts";
import { problem, warning, type Finding } from "./finding.ts";

/**
 * Certificates are usually renewed weeks before they expire; a closer date means that it was
 * forgotten.
 */
const expectedAhead = 14 * day;
const fix = "renew it, then: systemctl reload authsvc";

/** Checks the certificate files that the service would read now. */
export function certificateFindings(files: TlsFiles, now: number): Finding[] {
  try {
    const { validUntil } = readCertificate(files, now);
    if (validUntil - now > expectedAhead) return [];
    return [warning("certificate", `The certificate in ${files.certFile} expires at ${isoTime(validUntil)}.`, fix)];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [problem("certificate", `${error.message}.`, "fix listen.tls, or renew the certificate")];
  }
}
