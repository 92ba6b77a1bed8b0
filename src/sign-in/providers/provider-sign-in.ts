import type { AuthorizationRequests, ProviderAnswer } from "../../oauth/authorization-requests.ts";
import type { Linking, LinkRefusal, Refusal } from "../../oauth/linking.ts";
import type { Adding, Additions } from "../adding/adding.ts";
import type { FailedSignIns } from "../failed-sign-ins.ts";
import type { Holder } from "../holder.ts";
import type { Outcome, Proofs } from "../proofs.ts";
import type { SignIn } from "../service.ts";
import { signUpIsOpen, type SignInSession } from "../session.ts";

/** What a provider's callback brought. */
export type Arrival = { provider: string; state: string; answer: ProviderAnswer & { code: string } };

/**
 * `agree-first`: the identity waits in the session for the person's consent. `waitsIn`: it waits
 * until its account is proven by another method.
 */
type ProviderOutcome = Outcome<LinkRefusal> | "agree-first" | { waitsIn: SignInSession };

/** Why an identity is not added: somebody else's, or already the user's. */
type LinkTaken = "identity-taken" | "identity-there";

type Start = { address: string } | "method-disabled" | "other-browser" | "not-fresh";

type ProviderIdentity = Awaited<ReturnType<AuthorizationRequests["identify"]>>;

export type ProviderSignIn = ReturnType<typeof createProviderSignIn>;

/** Signs in by a provider's answer, or adds the identity to an account. */
export function createProviderSignIn(deps: {
  signIn: SignIn;
  proofs: Proofs;
  additions: Additions;
  authorizationRequests: AuthorizationRequests;
  linking: Linking;
  providerDisplayName(provider: string): string;
  failedSignIns: FailedSignIns;
}) {
  const { signIn, proofs, additions, authorizationRequests, linking, providerDisplayName, failedSignIns } = deps;

  async function signInAs(holder: Holder, provider: string, identity: ProviderIdentity): Promise<ProviderOutcome> {
    const { session, application, clientInfo } = holder;
    const signUpOpen = signUpIsOpen(holder);
    const outcome = await proofs.accept<Refusal>(holder, { signedInWith: "oauth", provider }, async (tx, now) => {
      const found = await linking.userFor(tx, { application, provider, identity, clientInfo, signUpOpen }, now);
      return "userId" in found ? found.userId : { refusal: found };
    });
    if (typeof outcome !== "object" || !("refusal" in outcome)) {
      await failedSignIns.recordOutcome(holder, outcome, { method: "oauth" });
      return outcome;
    }
    const { refusal, existingUserId: userId } = outcome.refusal;
    const { issuer, subject, email } = identity;
    if (refusal === "agree-first" && userId !== undefined && email !== null) {
      if (session.accountUserId !== null && session.accountUserId !== userId) {
        await failedSignIns.record(holder, { method: "oauth" });
        return "other-account";
      }
      await signIn.keepIdentity(holder, { kind: "take-over", userId, provider, issuer, subject, email });
      return "agree-first";
    }
    await failedSignIns.record(holder, { method: "oauth" });
    if (userId === undefined || session.accountUserId !== null) return { refusal };
    return { waitsIn: await signIn.keepIdentity(holder, { kind: "link", userId, provider, issuer, subject }) };
  }

  async function addTo(holder: Holder, provider: string, identity: ProviderIdentity): Promise<Adding<LinkTaken>> {
    const { application, session } = holder;
    if (session.addsProvider !== provider || !(await additions.findAddingUser(holder, "oauth"))) return "over";
    return await additions.add<LinkTaken>(holder, { type: "oauth", provider }, async (tx, userId, now) => {
      const added = await linking.addTo(tx, userId, { application, provider, identity }, now);
      return typeof added === "string" ? { refusal: added } : { ...added, name: providerDisplayName(provider) };
    });
  }

  /** A forged token is treated like a failing provider. */
  async function withIdentity<T>(
    holder: Holder,
    { provider, state, answer }: Arrival,
    work: (identity: ProviderIdentity) => Promise<T>,
  ): Promise<T> {
    try {
      return await work(await authorizationRequests.identify(holder.application, provider, state, answer));
    } catch (error) {
      await failedSignIns.record(holder, { method: "oauth" });
      throw error;
    }
  }

  return {
    /**
     * The provider's URL for this browser, to which the session is bound. `adds`: to add the
     * identity to the session's account. Throws ProviderFailure.
     */
    async start(holder: Holder, provider: string, { adds }: { adds: boolean }): Promise<Start> {
      const { session, application, sessionId, browserDigest } = holder;
      if (adds && (session.addsProvider !== provider || !(await additions.findAddingUser(holder, "oauth"))))
        return "not-fresh";
      if (!signIn.allowsProvider(session, application, provider)) return "method-disabled";
      if (!(await signIn.claim(session, browserDigest))) return "other-browser";
      const address = await authorizationRequests.start(application, provider, { sessionId, browserDigest, adds });
      return address === undefined ? "method-disabled" : { address };
    },

    /** Throws ProviderFailure. */
    async signIn(holder: Holder, arrival: Arrival): Promise<ProviderOutcome> {
      return await withIdentity(holder, arrival, (identity) => signInAs(holder, arrival.provider, identity));
    },

    /** Adds the identity to the session's account. Throws ProviderFailure. */
    async add(holder: Holder, arrival: Arrival): Promise<Adding<LinkTaken>> {
      return await withIdentity(holder, arrival, (identity) => addTo(holder, arrival.provider, identity));
    },
  };
}
