import { createPrivateKey, X509Certificate, type KeyObject } from "node:crypto";
import { createSecureContext } from "node:tls";
import { isoTime } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import { maxTextBytes, readAtMost } from "../lib/read-file.ts";

export type TlsFiles = { certFile: string; keyFile: string };

export type Certificate = {
  cert: Buffer;
  key: Buffer;
  /** Epoch milliseconds. */
  validUntil: number;
};

/**
 * Reads the files and checks that a client would accept the certificate at `now`. Throws
 * INVALID_CONFIG with the fix.
 */
export function readCertificate({ certFile, keyFile }: TlsFiles, now: number): Certificate {
  const cert = read("listen.tls.certFile", certFile);
  const key = read("listen.tls.keyFile", keyFile);
  const leaf = parsed(() => new X509Certificate(cert), `${certFile} contains no PEM certificate`);
  const privateKey = parsed(() => createPrivateKey(key), `${keyFile} contains no PEM private key without a passphrase`);
  if (!belongsTo(leaf, privateKey)) throw unusable(`${keyFile} does not match the first certificate in ${certFile}`);
  const validUntil = leaf.validToDate.getTime();
  if (validUntil <= now)
    throw unusable(`the certificate in ${certFile} expired at ${isoTime(validUntil)}; renew it, then start again`);
  const validFrom = leaf.validFromDate.getTime();
  if (validFrom > now)
    throw unusable(
      `the certificate in ${certFile} is valid only from ${isoTime(validFrom)}; check the clock of this machine`,
    );
  parsed(() => createSecureContext({ cert, key }), `the certificates in ${certFile} cannot be used`);
  return { cert, key, validUntil };
}

function belongsTo(certificate: X509Certificate, key: KeyObject): boolean {
  try {
    return certificate.checkPrivateKey(key);
  } catch {
    return false;
  }
}

function read(setting: string, file: string): Buffer {
  try {
    return readAtMost(file, maxTextBytes);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    const reasons: Record<string, string> = {
      ENOENT: "does not exist",
      EACCES: "is not readable by this user",
      EISDIR: "is a folder",
      EFBIG: (error as Error).message,
    };
    throw new AppError(
      "INVALID_CONFIG",
      `${setting}: the file ${file} ${reasons[code] ?? `cannot be read (${code})`}`,
      {
        cause: error,
      },
    );
  }
}

function parsed<T>(parse: () => T, problem: string): T {
  try {
    return parse();
  } catch (error) {
    throw unusable(problem, error);
  }
}

function unusable(problem: string, cause?: unknown): AppError {
  return new AppError("INVALID_CONFIG", `listen.tls: ${problem}`, { cause });
}
