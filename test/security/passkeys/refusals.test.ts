import { expect, it } from "vitest";
import { createLog } from "../../../src/lib/log.ts";
import { assertion, attest, flag, newPasskey, signWith } from "../../support/authenticator.ts";
import { disableUser } from "../../support/mail-flows.ts";
import { newEmail, type Page } from "../../support/person.ts";
import {
  askedBy,
  askOptions,
  openCeremony,
  post,
  signInByPasskey,
  signUpByPasskey,
} from "../../support/passkey-ceremonies.ts";
import { describeSqliteFirst } from "../../support/service.ts";

const logged: string[] = [];
const log = createLog({ level: "info", format: "json" }, { write: (line) => void logged.push(line) });

describeSqliteFirst("a passkey that is refused", { surroundings: { log } }, (service) => {
  /** The reasons that are logged meanwhile. */
  async function reasonsOf(work: () => Promise<Page>): Promise<unknown[]> {
    logged.length = 0;
    const { status } = await work();
    expect(status).toBeGreaterThanOrEqual(400);
    const lines = logged.map((line) => JSON.parse(line) as Record<string, unknown>);
    return lines.filter(({ msg }) => msg === "passkey refused").map(({ reason }) => reason);
  }

  it("leaves one line in the log with the reason, whatever it is", async () => {
    const app = await service.createApp();
    const [owner, other] = [await signUpByPasskey(service, app), await signUpByPasskey(service, app)];
    const { passkey } = owner;
    const twisted = (twist: Parameters<typeof assertion>[2]) => () => signInByPasskey(service, app, passkey, twist);
    const posted = (text: string) => async () => {
      const ceremony = await openCeremony(service, app, "");
      await askOptions(ceremony);
      return await post(ceremony, text);
    };
    const again = async () => {
      const ceremony = await openCeremony(service, app, "");
      const answer = assertion(passkey, askedBy(service, await askOptions(ceremony)), { flags: 0 });
      await post(ceremony, answer);
      logged.length = 0;
      return await post(ceremony, answer);
    };
    const creating = async () => {
      const ceremony = await openCeremony(service, app, "/create-account");
      const options = await askOptions(ceremony, { email: newEmail(), name: "" });
      const made = attest(newPasskey("ES256", options.user?.id), askedBy(service, options));
      return await post(ceremony, JSON.stringify({ ...made, id: "AAAA", rawId: "AAAA" }));
    };
    const notCreating = async () => post(await openCeremony(service, app, "/create-account"), "{}");
    const backedUp = flag.present | flag.verified | flag.backupEligible;
    const refusals: [work: () => Promise<Page>, reason: RegExp][] = [
      [posted("{}"), /^not the answer of a passkey$/u],
      [notCreating, /^not the answer of a passkey$/u],
      [again, /^its challenge is unknown, used, expired/u],
      [() => signInByPasskey(service, app, newPasskey()), /^no account of this application has it$/u],
      [twisted({ userHandle: other.passkey.userHandle }), /^its user handle does not belong to/u],
      [twisted({ rpId: "evil.localhost" }), /RP ID/u],
      [twisted({ signature: (signed) => signWith(newPasskey().privateKey, signed) }), /signature is invalid/u],
      [twisted({ flags: backedUp }), /^the backup eligibility has changed$/u],
      [creating, /credential id/iu],
    ];
    for (const [work, reason] of refusals) expect(await reasonsOf(work)).toEqual([expect.stringMatching(reason)]);
    await disableUser(service, String(owner.user["id"]));
    expect(await reasonsOf(twisted({}))).toEqual(["its account is disabled or deleted"]);
  });
});
