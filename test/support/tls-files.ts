// @peculiar/x509 needs it before itself.
// oxlint-disable-next-line import/no-unassigned-import
import "reflect-metadata";
import { webcrypto } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PemConverter, SubjectAlternativeNameExtension, X509CertificateGenerator } from "@peculiar/x509";
import { day } from "../../src/lib/clock.ts";

export type CertificateInput = { name?: string; address?: string; validFrom?: number; validUntil?: number };

/**
 * Writes a self-signed certificate for localhost, or for an IP address, and its key as `cert.pem`
 * and `key.pem`; the certificate as text.
 */
export async function writeCertificate(
  folder: string,
  {
    name = "localhost",
    address,
    validFrom = Date.now() - day,
    validUntil = Date.now() + 90 * day,
  }: CertificateInput = {},
): Promise<string> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    notBefore: new Date(validFrom),
    notAfter: new Date(validUntil),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new SubjectAlternativeNameExtension([
        address === undefined ? { type: "dns", value: "localhost" } : { type: "ip", value: address },
      ]),
    ],
  });
  const key = PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey), "PRIVATE KEY");
  const pem = certificate.toString("pem");
  writeFileSync(join(folder, "cert.pem"), `${pem}\n`);
  writeFileSync(join(folder, "key.pem"), `${key}\n`);
  return pem;
}
