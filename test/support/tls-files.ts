// @peculiar/x509 needs it before itself.
// oxlint-disable-next-line import/no-unassigned-import
import "reflect-metadata";
import { webcrypto } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PemConverter, SubjectAlternativeNameExtension, X509CertificateGenerator } from "@peculiar/x509";
import { day } from "../../src/lib/clock.ts";

export type CertificateInput = {
  name?: string;
  address?: string;
  validFrom?: number;
  validUntil?: number;
  key?: "ecdsa" | "rsa";
};

const algorithms = {
  ecdsa: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  rsa: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
};

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
    key = "ecdsa",
  }: CertificateInput = {},
): Promise<string> {
  const algorithm = algorithms[key];
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
  const privateKey = PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey), "PRIVATE KEY");
  const pem = certificate.toString("pem");
  writeFileSync(join(folder, "cert.pem"), `${pem}\n`);
  writeFileSync(join(folder, "key.pem"), `${privateKey}\n`);
  return pem;
}
