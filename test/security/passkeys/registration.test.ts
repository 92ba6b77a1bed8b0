import { createPrivateKey, generateKeyPairSync, randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  attest,
  flag,
  newPasskey,
  signWith,
  type AttestationTwist,
  type Credential,
} from "../../support/authenticator.ts";
import { cbor, type Cbor } from "../../support/cbor.ts";
import { selfSignedCertificate } from "../../support/certificate.ts";
import { sampled } from "../../support/long-run.ts";
import { useService } from "../../support/one-service.ts";
import { askedBy, askOptions, openCeremony, post, signInByPasskey } from "../../support/passkey-ceremonies.ts";
import { newEmail } from "../../support/person.ts";
import { usersOf } from "../../support/providers/records.ts";
import { useApp } from "../../support/service.ts";
import { withResponse, wrongClientData, wrongCredentials, wrongMembers } from "../client-data.ts";

const service = useService();
const honestFlags = flag.present | flag.verified | flag.attested;
const other = newPasskey();

const app = useApp(service);

/** Answers the page's question for a new account with this credential. */
async function answer(make: (asked: ReturnType<typeof askedBy>) => Credential | string) {
  const ceremony = await openCeremony(service, app, "/create-account");
  const options = await askOptions(ceremony, { email: newEmail(), name: "Mallory" });
  return await post(ceremony, make(askedBy(service, options)));
}

async function expectRefusal(make: (asked: ReturnType<typeof askedBy>) => Credential | string): Promise<void> {
  const before = await usersOf(service, app);
  const page = await answer(make);
  expect(page.status).toBe(422);
  expect(page.headers.get("location")).toBeNull();
  expect(page.text).toContain("That passkey couldn&#39;t be saved. Try again.");
  expect(await usersOf(service, app)).toEqual(before);
}

/** Changes bytes of honest authenticator data in place. */
function bytes(change: (data: Buffer) => void): AttestationTwist {
  return {
    authenticatorData(honest) {
      const copy = Buffer.from(honest);
      change(copy);
      return copy;
    },
  };
}

const withKey = (changes: [number, Cbor | undefined][]): AttestationTwist => {
  const entries = new Map(other.cose as Map<number, Cbor>);
  for (const [label, value] of changes) {
    if (value === undefined) entries.delete(label);
    else entries.set(label, value);
  }
  return { cose: entries };
};

const authenticator: Record<string, AttestationTwist> = {
  "another relying party": { rpId: "evil.localhost" },
  "no user presence": { flags: honestFlags & ~flag.present },
  "no user verification": { flags: honestFlags & ~flag.verified },
  "no flag at all": { flags: 0 },
  "a backup of what cannot be backed up": { flags: honestFlags | flag.backedUp },
  "no attested data, by its flag": { flags: flag.present | flag.verified },
  "extensions that are not there": { flags: honestFlags | flag.extended },
  "bytes left over": { authenticatorData: (honest) => Buffer.concat([honest, Buffer.from("more")]) },
  "nothing in its data": { authenticatorData: () => Buffer.alloc(0) },
  "data that are cut short in the key": { authenticatorData: (honest) => honest.subarray(0, -5) },
  "data that are cut short in the credential id": { authenticatorData: (honest) => honest.subarray(0, 60) },
  "data that are cut short in the counter": { authenticatorData: (honest) => honest.subarray(0, 35) },
  "a credential id that is longer than its data": bytes((data) => data.writeUInt16BE(0xffff, 53)),
  "an empty credential id": { credentialId: Buffer.alloc(0) },
};

/** An honest key of this algorithm, with these entries changed. */
const keyOf = (algorithm: "ES256" | "EdDSA" | "RS256", changes: [number, Cbor][]): AttestationTwist => ({
  cose: new Map([...(newPasskey(algorithm).cose as Map<number, Cbor>), ...changes]),
});
const shortRsa = generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey.export({ format: "jwk" });

const keys: Record<string, AttestationTwist> = {
  "no kind": withKey([[1, undefined]]),
  "another kind than its algorithm's": withKey([[1, 3]]),
  "no algorithm": withKey([[3, undefined]]),
  "a word for an algorithm": withKey([[3, "ES256"]]),
  "no first coordinate": withKey([[-2, undefined]]),
  "no second coordinate": withKey([[-3, undefined]]),
  "a short coordinate": withKey([[-2, randomBytes(31)]]),
  "an empty coordinate": withKey([[-2, Buffer.alloc(0)]]),
  "a number for a coordinate": withKey([[-2, 5]]),
  "no entries": { cose: new Map() },
  "a list in its place": { cose: [2, -7, 1] },
  "a word in its place": { cose: "key" },
  "a point that is not on its curve": withKey([[-3, Buffer.alloc(32, 1)]]),
  "another curve than its algorithm's": keyOf("ES256", [[-1, 2]]),
  "a curve of signatures for EdDSA that is not Ed25519": keyOf("EdDSA", [[-1, 7]]),
  "bytes that are no point of Ed25519": keyOf("EdDSA", [[-2, Buffer.from("02".padEnd(64, "0"), "hex")]]),
  "a point of small order": keyOf("EdDSA", [[-2, Buffer.from("01".padEnd(64, "0"), "hex")]]),
  "the kind of EC keys and an algorithm of RSA": keyOf("ES256", [[3, -257]]),
  "the exponent 1": keyOf("RS256", [[-2, Buffer.from([1])]]),
  "an even exponent": keyOf("RS256", [[-2, Buffer.from([4])]]),
  "too few bits to be safe (RSA 1024)": keyOf("RS256", [[-1, Buffer.from(shortRsa.n ?? "", "base64url")]]),
  "too few bits to be safe, behind zeros": keyOf("RS256", [
    [-1, Buffer.concat([Buffer.alloc(128), Buffer.from(shortRsa.n ?? "", "base64url")])],
  ]),
};

const objects: Record<string, AttestationTwist> = {
  "an unknown format": { format: "evil" },
  "no format": { entries: { fmt: undefined } },
  "an empty format": { format: "" },
  "a number for a format": { format: 1 },
  "no statement": { entries: { attStmt: undefined } },
  "a statement with format none": { statement: new Map([["sig", Buffer.from("x")]]) },
  "a word for a statement": { statement: "x" },
  "no authenticator data": { entries: { authData: undefined } },
  "a word for authenticator data": { entries: { authData: "x" } },
  "empty authenticator data": { entries: { authData: Buffer.alloc(0) } },
  "a list of entries": { attestationObject: () => cbor(["none", new Map(), Buffer.alloc(40)]) },
  "no CBOR": { attestationObject: () => Buffer.from("{}") },
  "the beginning of CBOR": { attestationObject: (honest) => honest.subarray(0, 20) },
};

const credentials: typeof wrongCredentials = [
  ...wrongCredentials,
  ["a list for its id", (honest) => ({ ...honest, id: [honest["id"]] })],
  [
    "the id of another passkey than in the authenticator data",
    (honest) => ({ ...honest, id: other.id.toString("base64url"), rawId: other.id.toString("base64url") }),
  ],
  ["an id that is not its rawId", (honest) => ({ ...honest, rawId: other.id.toString("base64url") })],
];

describe("a new passkey", () => {
  it.each(wrongClientData("webauthn.create"))(
    "K1: whose client data have %s makes no account",
    async (_title, changes) => {
      await expectRefusal((asked) => attest(newPasskey(), asked, { clientData: changes }));
    },
  );

  it.each(["", "{", "null", "[]", '"webauthn.create"', "7"])(
    "K1: with %j for client data makes no account",
    async (clientDataText) => await expectRefusal((asked) => attest(newPasskey(), asked, { clientDataText })),
  );

  it.each(Object.entries(authenticator))(
    "K1: whose authenticator data have %s makes no account",
    async (_title, twist) => {
      await expectRefusal((asked) => attest(newPasskey(), asked, twist));
    },
  );

  it.each(Object.entries(keys))("K1: whose public key has %s makes no account", async (_title, twist) => {
    await expectRefusal((asked) => attest(newPasskey(), asked, twist));
  });

  it.each(Object.entries(objects))("K1: whose attestation object has %s makes no account", async (_title, twist) => {
    await expectRefusal((asked) => attest(newPasskey(), asked, twist));
  });

  it.each([...sampled(wrongMembers("clientDataJSON", "attestationObject"), 4), ...credentials])(
    "K1: posted with %s makes no account",
    async (_title, change) => {
      await expectRefusal((asked) => JSON.stringify(change(attest(newPasskey(), asked))));
    },
  );

  it.each([
    ["ES384", newPasskey("ES384").cose],
    ["ES256K", withKey([[3, -47]]).cose],
    ["Ed25519 under its newer number", new Map([...(newPasskey("EdDSA").cose as Map<number, Cbor>), [3, -19]])],
    ["PS256", new Map([...(newPasskey("RS256").cose as Map<number, Cbor>), [3, -37]])],
    ["RS1, with SHA-1", new Map([...(newPasskey("RS256").cose as Map<number, Cbor>), [3, -65535]])],
  ])("K3, CVE-2026-8830: with a key for %s, which the page did not offer, makes no account", async (_title, cose) => {
    await expectRefusal((asked) => attest(newPasskey(), asked, cose === undefined ? {} : { cose }));
  });

  it.each(["ES256", "EdDSA", "RS256"] as const)(
    "K1, K3: with %s, made honestly, makes an account, and it signs in: the refusals mean something",
    async (algorithm) => {
      const own = await service.createApp();
      const honest = await openCeremony(service, own, "/create-account");
      const options = await askOptions(honest, { email: newEmail(), name: "" });
      const passkey = newPasskey(algorithm, options.user?.id);
      expect((await post(honest, attest(passkey, askedBy(service, options)))).status).toBe(303);
      expect((await signInByPasskey(service, own, passkey)).location.searchParams.has("code")).toBe(true);
    },
  );

  it.each([
    ["a word", "usb"],
    ["unknown ones", ["x".repeat(33), 5, "cable"]],
  ])("with %s for transports makes an account: they are only hints", async (_title, transports) => {
    const own = await service.createApp();
    const page = await openCeremony(service, own, "/create-account");
    const options = await askOptions(page, { email: newEmail(), name: "" });
    const made = attest(newPasskey("ES256", options.user?.id), askedBy(service, options));
    expect((await post(page, JSON.stringify(withResponse(made, "transports", transports)))).status).toBe(303);
  });

  describe("that brings an attestation", () => {
    const attester = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const root = selfSignedCertificate(attester);
    /** A packed statement whose certificate its own key has signed, as anybody can make one. */
    const packed: AttestationTwist = {
      format: "packed",
      // An authenticator that people trust.
      aaguid: Buffer.from("ee882879721c491397753dfcce97072a", "hex"),
      statement: (signed) =>
        new Map<string, Cbor>([
          ["alg", -7],
          ["sig", signWith(createPrivateKey(attester.privateKey.export({ type: "pkcs8", format: "pem" })), signed)],
          ["x5c", [root]],
        ]),
    };

    it("K5, GHSA-6hxq-p678-4hr2: with a root that signed itself is stored like one without, and earns no trust", async () => {
      const own = await service.createApp();
      const honest = await openCeremony(service, own, "/create-account");
      const options = await askOptions(honest, { email: newEmail(), name: "" });
      expect(options["attestation"] ?? "none").toBe("none");
      const passkey = newPasskey("ES256", options.user?.id);
      const page = await post(honest, attest(passkey, askedBy(service, options), packed));
      expect([303, 422]).toContain(page.status);
      expect(await service.databaseText()).not.toContain(root.toString("base64url"));
      expect(await service.databaseText()).not.toContain("Authenticator Attestation");
    });

    it.each(["packed", "fido-u2f", "tpm", "android-key", "android-safetynet", "apple"])(
      "K5: in the format %s that says nothing true makes no account",
      async (format) => {
        const x5c = [root, root];
        const statement = new Map<string, Cbor>([
          ["alg", -7],
          ["sig", randomBytes(70)],
          ["ver", "2.0"],
          ["x5c", x5c],
        ]);
        await expectRefusal((asked) => attest(newPasskey(), asked, { format, statement }));
      },
    );
  });
});
