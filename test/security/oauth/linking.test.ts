import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LinkDecision } from "../../../src/credentials/identities/identity.ts";
import { sampled } from "../../support/long-run.ts";
import { useService } from "../../support/one-service.ts";
import { newEmail, redeem, signIn, signedUp } from "../../support/person.ts";
import type { KindName, Person } from "../../support/providers/kinds.ts";
import { startMockIssuer } from "../../support/providers/mock-issuer.ts";
import { startProvider, type Provider } from "../../support/providers/provider.ts";
import { changeUser, identitiesOf, usersOf } from "../../support/providers/records.ts";
import { agreed, codeOf, mustBeContent, signInAt, tokensFrom, appWith } from "../../support/providers/round.ts";
import type { TestApp, TestService } from "../../support/service.ts";

type Word = "verified" | "silent" | "refuted";
type Local = "nobody" | "verified" | "unverified";
type Cell = [word: Word, local: Local, decision: LinkDecision];

const flags: Record<Word, boolean | undefined> = { verified: true, silent: undefined, refuted: false };

/** For a provider whose word about an address counts. */
const proving: Cell[] = [
  ["verified", "nobody", "create"],
  ["verified", "verified", "link"],
  ["verified", "unverified", "take-over-unproven"],
  ["silent", "nobody", "create"],
  ["silent", "verified", "existing-method-first"],
  ["silent", "unverified", "existing-method-first"],
  ["refuted", "nobody", "unverified-email"],
  ["refuted", "verified", "unverified-email"],
  ["refuted", "unverified", "unverified-email"],
];
/** Microsoft and Facebook: whatever they say, it links nothing and refuses nobody. */
const unproving: Cell[] = proving.map(([word, local]) => [
  word,
  local,
  local === "nobody" ? "create" : "existing-method-first",
]);
/** GitHub knows no silence: an address is verified or it is not. */
const github: Cell[] = proving.map(([word, local, decision]) => [
  word,
  local,
  word === "silent" ? "unverified-email" : decision,
]);

/** Every other one stands for those whose word counts as much. */
const providers: [kind: KindName | "mock", cells: Cell[]][] = [
  ["google", proving],
  ["apple", proving],
  ["github", github],
  ["discord", proving],
  ["microsoft", unproving],
  ["facebook", unproving],
  ["mock", proving],
];

let subjects = 1000;
const newSubject = () => String((subjects += 1));

const service = useService();

describe("linking by address", () => {
  describe.each(sampled(providers, 2))("with %s", (kind, cells) => {
    let provider: Provider;
    beforeAll(async () => {
      provider = kind === "mock" ? await startMockIssuer() : await startProvider(kind);
    });
    afterAll(async () => {
      mustBeContent(provider);
      await provider.close();
    });

    it.each(cells)(
      "O2, GHSA-g38m-r43w-p2q7, CVE-2024-38351: an unknown subject, the address %s there and %s here: %s",
      async (word, local, decision) => {
        const app = await appWith(service, [provider]);
        const email = newEmail();
        const localId = await localUser(service, app, local, email);
        const person: Person = { subject: newSubject(), email, verified: flags[word], name: "Ada" };
        const { session, visitor, done: first } = await signInAt(service, app, provider, person);
        const done = await agreed(visitor, session, first);
        const identities = await identitiesOf(service, app);
        const users = await usersOf(service, app);
        const [user] = users;

        if (decision === "existing-method-first" || decision === "unverified-email") {
          expect(done.status).toBe(400);
          expect(done.headers.get("location")).toBeNull();
          const words =
            decision === "unverified-email" ? "verified there" : "An account for this email address already exists";
          expect(done.text).toContain(words);
          expect(identities).toEqual([]);
          expect(user?.emailVerified).toBe(local === "nobody" ? undefined : local === "verified");
          if (local !== "nobody") await signIn(service, app, { email });
          return;
        }
        const tokens = await redeem(service, app, { session, code: codeOf(done) });
        expect(users).toHaveLength(1);
        expect(identities).toMatchObject([{ userId: user?.id, subject: person.subject, email }]);
        expect(tokens.user["id"]).toBe(user?.id);
        if (localId !== undefined) expect(user?.id).toBe(localId);
        expect(user).toMatchObject({ email, emailVerified: word === "verified" && cells !== unproving });
        const passwordStays = decision === "link";
        expect(tokens.user["authMethods"]).toEqual({ passkey: false, oauth: [provider.name], password: passwordStays });
        if (passwordStays) await signIn(service, app, { email });
        else if (localId !== undefined) await expect(signIn(service, app, { email })).rejects.toThrow("401");
      },
    );

    it.each(cells)("O1: a known subject, the address %s there and %s here: its own user", async (word, local) => {
      const app = await appWith(service, [provider]);
      const subject = newSubject();
      const own = await tokensFrom(service, app, provider, { subject, email: newEmail(), verified: true });
      const email = newEmail();
      const localId = await localUser(service, app, local, email);
      const before = await usersOf(service, app);
      const again = await tokensFrom(service, app, provider, { subject, email, verified: flags[word] });
      expect(again.user["id"]).toBe(own.user["id"]);
      expect(again.user["email"]).toBe(own.user["email"]);
      const after = await usersOf(service, app);
      expect(after.find(({ id }) => id === localId)).toEqual(before.find(({ id }) => id === localId));
      expect(await identitiesOf(service, app)).toHaveLength(1);
      if (localId !== undefined) await signIn(service, app, { email });
    });
  });
});

/** Somebody with a password at this address; their id. */
async function localUser(service: TestService, app: TestApp, local: Local, email: string): Promise<string | undefined> {
  if (local === "nobody") return undefined;
  const { user } = await signedUp(service, app, email);
  if (local === "verified") await changeUser(service, email, { emailVerified: true });
  return String(user["id"]);
}
