import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import {
  assertion,
  flag,
  newPasskey,
  signWith,
  type AssertionTwist,
  type Credential,
} from "../../support/authenticator.ts";
import { sampled } from "../../support/long-run.ts";
import { useService } from "../../support/one-service.ts";
import {
  askedBy,
  askOptions,
  openCeremony,
  post,
  signInByPasskey,
  signUpByPasskey,
  type PasskeyOwner,
} from "../../support/passkey-ceremonies.ts";
import { useApp } from "../../support/service.ts";
import { withResponse, wrongClientData, wrongCredentials, wrongMembers } from "../client-data.ts";

const service = useService();
const honestFlags = flag.present | flag.verified;

const app = useApp(service);
let owner: PasskeyOwner;
let neighbour: PasskeyOwner;
beforeAll(async () => {
  owner = await signUpByPasskey(service, app);
  neighbour = await signUpByPasskey(service, app);
});

async function expectRefusal(
  make: (asked: ReturnType<typeof askedBy>) => Credential | string,
  words = "That passkey couldn&#39;t be checked.",
): Promise<void> {
  const ceremony = await openCeremony(service, app, "");
  const options = await askOptions(ceremony);
  const page = await post(ceremony, make(askedBy(service, options)));
  expect(page.status).toBe(401);
  expect(page.headers.get("location")).toBeNull();
  expect(page.text).toContain(words);
}

const authenticator: Record<string, AssertionTwist> = {
  "another relying party": { rpId: "evil.localhost" },
  "no user presence": { flags: honestFlags & ~flag.present },
  "no user verification": { flags: honestFlags & ~flag.verified },
  "no flag at all": { flags: 0 },
  "a backup of what cannot be backed up": { flags: honestFlags | flag.backedUp },
  "extensions that are not there": { flags: honestFlags | flag.extended },
  "attested data that are not there": { flags: honestFlags | flag.attested },
  "bytes left over": { authenticatorData: (honest) => Buffer.concat([honest, Buffer.from("more")]) },
  "nothing in its data": { authenticatorData: () => Buffer.alloc(0) },
  "data that are cut short": { authenticatorData: (honest) => honest.subarray(0, 36) },
};

const signatures: Record<string, AssertionTwist["signature"]> = {
  "of something else": () => signWith(owner.passkey.privateKey, Buffer.from("something else")),
  "of another user's key": (signed) => signWith(neighbour.passkey.privateKey, signed),
  "of a key that nobody registered": (signed) => signWith(newPasskey().privateKey, signed),
  "of another kind of key": (signed) => signWith(newPasskey("EdDSA").privateKey, signed),
  "with one bit changed": (_signed, honest) =>
    Buffer.concat([honest.subarray(0, -1), Buffer.from([(honest.at(-1) ?? 0) ^ 1])]),
  "cut short": (_signed, honest) => honest.subarray(0, -1),
  "of zeros": () => Buffer.from("3006020100020100", "hex"),
  "that is empty": () => Buffer.alloc(0),
  "that is no DER": () => randomBytes(64),
};

const members: typeof wrongCredentials = [
  ...wrongMembers("clientDataJSON", "authenticatorData", "signature"),
  ...[5, {}, "not base64url!"].map((value): (typeof wrongCredentials)[0] => [
    `${JSON.stringify(value)} for response.userHandle`,
    (honest) => withResponse(honest, "userHandle", value),
  ]),
];

const credentials: typeof wrongCredentials = [
  ...wrongCredentials,
  ["the rawId of somebody else", (honest) => ({ ...honest, rawId: neighbour.passkey.id.toString("base64url") })],
];

describe("a passkey that answers", () => {
  it.each(wrongClientData("webauthn.get"))("K1: whose client data have %s signs nobody in", async (_title, changes) => {
    await expectRefusal((asked) => assertion(owner.passkey, asked, { clientData: changes }));
  });

  it.each(["", "{", "null", "[]", "7"])("K1: with %j for client data signs nobody in", async (clientDataText) => {
    await expectRefusal((asked) => assertion(owner.passkey, asked, { clientDataText }));
  });

  it.each(Object.entries(authenticator))(
    "K1: whose authenticator data have %s signs nobody in",
    async (_title, twist) => {
      await expectRefusal((asked) => assertion(owner.passkey, asked, twist));
    },
  );

  it.each(Object.entries(signatures))("K1: with a signature %s signs nobody in", async (_title, signature) => {
    await expectRefusal((asked) => assertion(owner.passkey, asked, signature === undefined ? {} : { signature }));
  });

  it.each([...sampled(members, 4), ...credentials])("K1: posted with %s signs nobody in", async (_title, change) => {
    await expectRefusal((asked) => JSON.stringify(change(assertion(owner.passkey, asked))));
  });

  it.each(["", "{", '{"id":1}'])("K1: posted as %j signs nobody in", async (text) => {
    await expectRefusal(() => text);
  });

  it("K1: with another user's handle, or another user's credential id, signs neither in", async () => {
    const { id } = neighbour.passkey;
    await expectRefusal((asked) => assertion(owner.passkey, asked, { userHandle: neighbour.passkey.userHandle }));
    await expectRefusal((asked) => assertion({ ...owner.passkey, id }, asked));
    await expectRefusal((asked) =>
      assertion({ ...owner.passkey, id, userHandle: neighbour.passkey.userHandle }, asked),
    );
  });

  it("K1: in another app than its owner's signs nobody in", async () => {
    const other = await service.createApp();
    const page = await signInByPasskey(service, other, owner.passkey);
    expect(page.status).toBe(401);
    expect(page.headers.get("location")).toBeNull();
  });

  it("M7, K3, CVE-2026-8830, VoidAuth-b568971, Authorizer-414a6a81: without user verification signs nobody in, whatever its page was made to ask for", async () => {
    const ceremony = await openCeremony(service, app, "");
    const options = await askOptions(ceremony, { userVerification: "discouraged" });
    expect(options["userVerification"]).toBe("required");
    const unverified = assertion(owner.passkey, askedBy(service, options), { flags: flag.present });
    expect((await post(ceremony, unverified)).status).toBe(401);
  });

  it("K1: whose eligibility for backups has changed signs nobody in, and says what fixes that", async () => {
    // WebAuthn §7.2 step 18: it was registered as one that stays on its device.
    const flags = honestFlags | flag.backupEligible;
    const words = "Sign in another way, then remove it and add it again.";
    await expectRefusal((asked) => assertion(owner.passkey, asked, { flags }), words);
    // Only who has its key learns that.
    const wrong = { flags, signature: () => signWith(newPasskey().privateKey, Buffer.from("x")) };
    await expectRefusal((asked) => assertion(owner.passkey, asked, wrong));
  });

  it.each([
    ["an empty user handle, as Safari and security keys send it", { userHandle: "" }],
    ["no user handle", { userHandle: undefined }],
    ["null for a user handle", { userHandle: null }],
  ])("signs its owner in with %s", async (_title, twist) => {
    expect((await signInByPasskey(service, app, owner.passkey, twist)).status).toBe(303);
  });

  it("signs its owner in without the results of extensions", async () => {
    const ceremony = await openCeremony(service, app, "");
    const honest = assertion(owner.passkey, askedBy(service, await askOptions(ceremony)));
    const { clientExtensionResults: _, ...rest } = honest as Credential & { clientExtensionResults: unknown };
    expect((await post(ceremony, JSON.stringify(rest))).status).toBe(303);
  });

  it("K1: honestly signs its owner in, so that the refusals mean something", async () => {
    const page = await signInByPasskey(service, app, owner.passkey);
    expect(page.status).toBe(303);
    expect(page.location.searchParams.get("code")).toMatch(/^[\w-]{43}$/u);
  });
});
