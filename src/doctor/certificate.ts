import { readCertificate, type TlsFiles } from "../http/certificate.ts";
import { day, isoTime } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import { problem, warning, type Finding } from "./finding.ts";

/** Whoever renews certificates does it weeks before the end; what is closer than that was forgotten. */
const expectedAhead = 14 * day;
const fix = "renew it, then: systemctl reload authsvc";

/** The certificate that the service would be given if it read its files now. */
export function certificateFindings(files: TlsFiles, now: number): Finding[] {
  try {
    const { validUntil } = readCertificate(files, now);
    if (validUntil - now > expectedAhead) return [];
    return [warning("certificate", `The certificate in ${files.certFile} expires at ${isoTime(validUntil)}.`, fix)];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [problem("certificate", `${error.message}.`, "correct listen.tls, or renew the certificate")];
  }
}
