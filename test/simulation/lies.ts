/** What must lead nowhere: false answers of authenticators, and forms that a page does not have. */
import {
  assertion,
  attest,
  flag,
  signWith,
  type AssertionTwist,
  type AttestationTwist,
  type SoftPasskey,
} from "../support/authenticator.ts";
import { askedBy, askOptions } from "../support/passkey-ceremonies.ts";
import { Visitor, type Page } from "../support/person.ts";
import { newPasskey } from "./key-pairs.ts";
import { has, type Resident } from "./resident.ts";

const { present, verified, backupEligible, backedUp, attested } = flag;
const evil = "https://evil.example";

/** Of both ceremonies (WebAuthn §7.1 and §7.2). */
const ofBoth = {
  "another origin": { clientData: { origin: evil } },
  "another party": { rpId: "evil.example" },
  "another challenge": { clientData: { challenge: "a".repeat(43) } },
  "a frame": { clientData: { crossOrigin: true } },
  "a page around it": { clientData: { topOrigin: evil } },
};

const ofAssertions = (other: SoftPasskey): Record<string, AssertionTwist> => ({
  ...ofBoth,
  "the ceremony that makes one": { clientData: { type: "webauthn.create" } },
  "nobody verified": { flags: present },
  "nobody present": { flags: verified },
  "another eligibility": { flags: present | verified | backupEligible },
  "a backup that cannot be": { flags: present | verified | backedUp },
  "another key": { signature: (signed) => signWith(other.privateKey, signed) },
  "another user": { userHandle: "bm9ib2R5" },
});

const ofAttestations = (other: SoftPasskey): Record<string, AttestationTwist> => ({
  ...ofBoth,
  "the ceremony that signs in": { clientData: { type: "webauthn.get" } },
  "nobody verified": { flags: present | attested },
  "no key": { flags: present | verified },
  "the id of another": { credentialId: other.id, entries: { authData: Buffer.alloc(37) } },
  "a statement that is none": { entries: { attStmt: "none" } },
});

/** O8: no false answer for this passkey signs in. */
export async function lieAbout(me: Resident, one: SoftPasskey): Promise<void> {
  const { service } = me.world;
  const visitor = new Visitor();
  const { page } = await me.begin(visitor);
  const asked = askedBy(service, await askOptions({ visitor, page }));
  const [what, twist] = me.chances.pick(Object.entries(ofAssertions(newPasskey(me.chances, one.userHandle))));
  const credential = JSON.stringify(assertion(one, asked, twist));
  const done = await visitor.submit(page, "/passkey", { credential });
  me.must("O8", done.status !== 303, `a passkey with ${what} was taken`);
  if (me.chances.chance(0.3)) {
    // The honest answer, in the sign-in of another browser.
    const thief = new Visitor();
    const strange = await me.begin(thief);
    const again = askedBy(service, await askOptions({ visitor, page }));
    const stolen = JSON.stringify(assertion(one, again));
    const tried = await thief.submit(strange.page, "/passkey", { credential: stolen });
    me.must("O8", tried.status !== 303, "a passkey's answer was taken in another browser");
  }
  me.world.reached("a passkey that lies");
}

/** O8: no false answer makes a passkey. */
export async function lieInMaking(me: Resident, page: Page, visitor: Visitor, form: string): Promise<void> {
  const options = await askOptions({ visitor, page, form });
  const [one, other] = [newPasskey(me.chances, options.user?.id ?? ""), newPasskey(me.chances, "")];
  const [what, twist] = me.chances.pick(Object.entries(ofAttestations(other)));
  const credential = JSON.stringify(attest(one, askedBy(me.world.service, options), twist));
  const done = await visitor.submit(page, form, { credential });
  me.must("O8", done.status !== 303, `a passkey with ${what} was made`);
  me.world.reached("a passkey that is made by a lie");
}

const steps =
  `/continue /code /confirm /email-code/again /add/password /add/passkey /add/oauth /step/code /step/continue
  /step/skip /step/set-up /step/passkey /step/password /step/terms /step/profile /step/consent
  /step/organization /step/take-over`.split(/\s+/u);

/** O8: the forms that a page of a sign-in does not have lead nowhere. */
export async function outOfOrder(me: Resident, page: Page, visitor: Visitor, form = "/password"): Promise<void> {
  const { fields } = page.form(form);
  const place = /^.*\/sis_[^/?]+/u.exec(page.url)?.[0] ?? "";
  const typed = { email: me.email, code: "12345678", password: me.next("a stranger's battery staple"), agreed: "yes" };
  const absent = steps.filter((step) => !has(page, step));
  for (let count = 0; count < 3; count += 1) {
    const step = me.chances.pick(absent);
    const done = await visitor.post(`${place}${step}`, { ...fields, ...typed });
    const isIn = done.status === 303 && done.location.origin !== me.world.service.url;
    me.must("O8", !isIn && !done.location.pathname.startsWith("/account"), `${step} out of order led on`);
  }
  me.world.reached("a step out of order");
}
