import { randomBytes, sign, type KeyObject } from "node:crypto";

/**
 * A certificate that its own key has signed, in DER, with the subject that packed attestation wants
 * (WebAuthn §8.2.1).
 */
export function selfSignedCertificate({
  publicKey,
  privateKey,
}: {
  publicKey: KeyObject;
  privateKey: KeyObject;
}): Buffer {
  const ecdsaWithSha256 = der(0x30, oid("2a8648ce3d040302"));
  const names: [id: string, text: string][] = [
    ["550406", "XX"],
    ["55040a", "Evil"],
    ["55040b", "Authenticator Attestation"],
    ["550403", "Evil root"],
  ];
  const name = der(
    0x30,
    ...names.map(([id, text]) => der(0x31, der(0x30, oid(id), der(id === "550406" ? 0x13 : 0x0c, Buffer.from(text))))),
  );
  const notCa = der(0x30, oid("551d13"), der(0x01, Buffer.from([0xff])), der(0x04, der(0x30)));
  const body = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ecdsaWithSha256,
    name,
    der(0x30, der(0x17, Buffer.from("240101000000Z")), der(0x17, Buffer.from("440101000000Z"))),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, der(0x30, notCa)),
  );
  const signature = sign("sha256", body, privateKey);
  return der(0x30, body, ecdsaWithSha256, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, "hex"));
}

function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
