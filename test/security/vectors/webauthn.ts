import { createECDH, createPrivateKey, createPublicKey, hash, hkdfSync } from "node:crypto";
import { flag, type Credential, type SoftPasskey } from "../../support/authenticator.ts";
import { cbor, type Cbor } from "../../support/cbor.ts";

/**
 * The test vectors of WebAuthn Level 3 §16 (https://www.w3.org/TR/webauthn-3/#sctn-test-vectors).
 * Everything in them is derived by HKDF from their names, as the specification writes beside each
 * value; only signatures are random, and stand here as published. One that verifies shows that what
 * is derived here is, to the byte, what the specification signed.
 */
type Published = {
  name: string;
  /**
   * Attestation: none, or a packed statement by the credential's own key ("self") or by a
   * certificate ("x5c").
   */
  attestation: { format: "none" } | { format: "packed"; alg: number; signature: string; certificate?: string };
  key: "P-256" | "Ed25519";
  crossOrigin?: true;
  credentialIdBytes?: number;
  signature: string;
};

export type Vector = {
  name: string;
  registration: { challenge: Buffer; credential: Credential; isVerified: boolean; isFramed: boolean };
  authentication: { challenge: Buffer; credential: Credential; isVerified: boolean };
  /** The credential's key, with which an authenticator would go on. */
  passkey: SoftPasskey;
};

export const rpId = "example.org";
export const origin = "https://example.org";

const published: Published[] = [
  {
    name: "none.ES256",
    attestation: { format: "none" },
    key: "P-256",
    signature:
      "3046022100f50a4e2e4409249c4a853ba361282f09841df4dd4547a13a87780218deffcd380221008480ac0f0b93538174f575bf11a1dd5d78c6e486013f937295ea13653e331e87",
  },
  {
    name: "packed-self.ES256",
    attestation: {
      format: "packed",
      alg: -7,
      signature:
        "30440220067a20754ab925005dbf378097c92120031581c73228d1fb4f5b881bcd7da98302207fc7b147558c7c0eba3af18bd9d121fa3d3a26d17fe3f220272178f473b6006d",
    },
    key: "P-256",
    signature:
      "304402203310b9431903c401f1be2bdc8d23a4007682dbbddcf846994947b7f465daf84002204e94dd00047b316061b3b99772b7efd95994a83ef584b3b6b825ea3550251b66",
  },
  {
    name: "none.ES256.crossOrigin",
    attestation: { format: "none" },
    key: "P-256",
    crossOrigin: true,
    signature:
      "3046022100eb12fcf23b12764c0f122e22371fab92e283879fd798f38ee1841c951b6e40e7022100c76237ff9db77b3c56f30837cda6a09acfa2e915544e609c0733b1184036d1cf",
  },
  {
    name: "none.ES256.long-credential-id",
    attestation: { format: "none" },
    key: "P-256",
    credentialIdBytes: 1023,
    signature:
      "304502203ecef83fb12a0cae7841055f9f87103a99fd14b424194bbf06c4623d3ee6e3fd022100d2ace346db262b1374a6b70faa51f518a42ddca13a4125ce6f5052a75bac9fb6",
  },
  {
    name: "packed.ES256",
    attestation: {
      format: "packed",
      alg: -7,
      signature:
        "304502203f19ec4b229f46ab8c45eff29b904ff10c0390dc40bf1216f04a78f4ceba3425022100fe7041a32759aff05a0f9f26c70a999c7a284451ba89234a1d3483c25e21925b",
      certificate:
        "30820221308201c8a00302010202110088c220f83c8ef1feafe94deae45faad0300a06082a8648ce3d0403023062311e301c06035504030c15576562417574686e207465737420766563746f7273310c300a060355040a0c0357334331253023060355040b0c1c41757468656e74696361746f72204174746573746174696f6e204341310b30090603550406130241413020170d3234303130313030303030305a180f33303234303130313030303030305a305f311e301c06035504030c15576562417574686e207465737420766563746f7273310c300a060355040a0c0357334331223020060355040b0c1941757468656e74696361746f72204174746573746174696f6e310b30090603550406130241413059301306072a8648ce3d020106082a8648ce3d03010703420004a91ba4389409dd38a428141940ca8feb1ac0d7b4350558104a3777a49322f3798440f378b3398ab2d3bb7bf91322c92eb23556f59ad0a836fec4c7663b0e4dc3a360305e300c0603551d130101ff04023000300e0603551d0f0101ff040403020780301d0603551d0e04160414a589ba72d060842ab11f74fb246bdedab16f9b9b301f0603551d2304183016801445aff715b0dd786741fee996ebc16547a3931b1e300a06082a8648ce3d040302034700304402201726b9d85ecd8a5ed51163722ca3a20886fd9b242a0aa0453d442116075defd502207ef471e530ac87961a88a7f0d0c17b091ffc6b9238d30f79f635b417be5910e7",
    },
    key: "P-256",
    signature:
      "30450220694969d3ee928de6f02ef23a9c644d7d779916451734a94b432542f498a1ebe90221008b0819c824218a97152cd099c55bfb1477b29d900a49a64018314f9bfccda163",
  },
  {
    name: "packed.EdDSA",
    attestation: {
      format: "packed",
      alg: -7,
      signature:
        "3046022100d83f60bd80269537583218858aefb03ac57d45fa06e42feaae332d187f62da9f022100a02bd3cb6f7e1d283c93bad1f3f4b5a4c0494463da7fdbf256949116754d1f17",
      certificate:
        "30820223308201c8a003020102021100b2cfc9ea33c8643b0e1a760463eaf164300a06082a8648ce3d0403023062311e301c06035504030c15576562417574686e207465737420766563746f7273310c300a060355040a0c0357334331253023060355040b0c1c41757468656e74696361746f72204174746573746174696f6e204341310b30090603550406130241413020170d3234303130313030303030305a180f33303234303130313030303030305a305f311e301c06035504030c15576562417574686e207465737420766563746f7273310c300a060355040a0c0357334331223020060355040b0c1941757468656e74696361746f72204174746573746174696f6e310b30090603550406130241413059301306072a8648ce3d020106082a8648ce3d03010703420004dd2b7a564b73b8c0b81c4c62e521925c4d1198ec9f583dbf1eebe364b65cd9c29a9bdf346aaa81fb6b9507e5249a52fdaf8e39e26b0b7dc45992a7e233b70f70a360305e300c0603551d130101ff04023000300e0603551d0f0101ff040403020780301d0603551d0e041604140ae27546bc7eccb1b4b597bd354f0c0b1f1f8f8e301f0603551d2304183016801445aff715b0dd786741fee996ebc16547a3931b1e300a06082a8648ce3d0403020349003046022100a0d434ecb5fc3bfd7da5f41904517ad2836249f561bd834ba7a438a8ab7a4ce8022100fac845bb7a02513b58e9f319654dbe49b0f02b95835bac568c71f8a18cdde9ab",
    },
    key: "Ed25519",
    signature:
      "f5c59c7e46c34f6f8cc197101ddf9934fa2595f68eb1913a637e8419eb9ba4cfdfc48f85393bc0d40b011f0d6fecb097d6607525713223a0dc0d453993dae00b",
  },
];

export const vectors: Vector[] = published.map(vectorOf);

function vectorOf(from: Published): Vector {
  const { name, attestation, key } = from;
  let salt = 0;
  /**
   * "Derived by: HKDF-SHA-256(IKM='WebAuthn test vectors', salt=h'…', info='…', L=…)", the salt
   * counting up.
   */
  const derive = (length: number): Buffer => {
    const bytes = hkdfSync("sha256", "WebAuthn test vectors", Buffer.from([salt]), name, length);
    salt += 1;
    return Buffer.from(bytes);
  };
  const clientData = (type: string, challenge: Buffer): Buffer => {
    const fields: Record<string, unknown> = { type, challenge: challenge.toString("base64url"), origin };
    fields["crossOrigin"] = from.crossOrigin === true;
    // "extraData is added to clientDataJSON iff bit 0x01 of client_data_gen_flags is 1"
    if (((derive(1)[0] ?? 0) & 1) === 1)
      fields["extraData"] =
        `clientDataJSON may be extended with additional fields in the future, such as this: ${derive(16).toString("base64url")}`;
    return Buffer.from(JSON.stringify(fields));
  };

  const challenge = derive(32);
  const pair = keyPair(key, derive(32));
  const created = clientData("webauthn.create", challenge);
  const aaguid = derive(16);
  const id = derive(from.credentialIdBytes ?? 32);
  const made = flagsOf(derive(1)[0] ?? 0);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(id.length);
  const attested = Buffer.concat([aaguid, length, id, cbor(pair.cose)]);
  const statement = new Map<string, Cbor>();
  if (attestation.format === "packed") {
    statement.set("alg", attestation.alg).set("sig", Buffer.from(attestation.signature, "hex"));
    if (attestation.certificate !== undefined) {
      // The attestation's key and its certificate's serial number.
      derive(32);
      derive(16);
      statement.set("x5c", [Buffer.from(attestation.certificate, "hex")]);
    }
  }
  const attestationObject = cbor(
    new Map<string, Cbor>([
      ["fmt", attestation.format],
      ["attStmt", statement],
      ["authData", authenticatorData(made | flag.attested, attested)],
    ]),
  );

  const asked = derive(32);
  const got = clientData("webauthn.get", asked);
  const used = flagsOf(derive(1)[0] ?? 0, (made & flag.backupEligible) !== 0);
  const credential = (response: Record<string, Buffer>): Credential => {
    const text = id.toString("base64url");
    const encoded = Object.entries(response).map(([member, bytes]) => [member, bytes.toString("base64url")]);
    return {
      id: text,
      rawId: text,
      type: "public-key",
      clientExtensionResults: {},
      response: Object.fromEntries(encoded) as Record<string, unknown>,
    };
  };
  return {
    name,
    registration: {
      challenge,
      credential: credential({ clientDataJSON: created, attestationObject }),
      isVerified: (made & flag.verified) !== 0,
      isFramed: from.crossOrigin === true,
    },
    authentication: {
      challenge: asked,
      credential: credential({
        clientDataJSON: got,
        authenticatorData: authenticatorData(used),
        signature: Buffer.from(from.signature, "hex"),
      }),
      isVerified: (used & flag.verified) !== 0,
    },
    passkey: { id, privateKey: pair.privateKey, cose: pair.cose, userHandle: "" },
  };
}

/**
 * "auth_data_UV_BE_BS determines the UV, BE and BS bits of the authenticator data flags, but BS is
 * set only if BE is"
 */
function flagsOf(derived: number, isEligible = (derived & flag.backupEligible) !== 0): number {
  const backup = isEligible ? flag.backupEligible | (derived & flag.backedUp) : 0;
  return flag.present | (derived & flag.verified) | backup;
}

function authenticatorData(flags: number, attested = Buffer.alloc(0)): Buffer {
  return Buffer.concat([hash("sha256", rpId, "buffer"), Buffer.from([flags]), Buffer.alloc(4), attested]);
}

function keyPair(kind: Published["key"], secret: Buffer): Pick<SoftPasskey, "privateKey" | "cose"> {
  if (kind === "Ed25519") {
    const pkcs8 = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), secret]);
    const privateKey = createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
    const { x = "" } = createPublicKey(privateKey).export({ format: "jwk" });
    const cose = new Map<number, Cbor>([
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, Buffer.from(x, "base64url")],
    ]);
    return { privateKey, cose };
  }
  const ecdh = createECDH("prime256v1");
  ecdh.setPrivateKey(secret);
  const point = ecdh.getPublicKey();
  const [x, y] = [point.subarray(1, 33), point.subarray(33)];
  const jwk = {
    kty: "EC",
    crv: "P-256",
    d: secret.toString("base64url"),
    x: x.toString("base64url"),
    y: y.toString("base64url"),
  };
  const cose = new Map<number, Cbor>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, x],
    [-3, y],
  ]);
  return { privateKey: createPrivateKey({ key: jwk, format: "jwk" }), cose };
}
