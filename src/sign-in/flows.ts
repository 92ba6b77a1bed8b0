import { createAddMethod } from "./adding/add-method.ts";
import { createAdditions } from "./adding/adding.ts";
import { createClientAccess } from "./client-access.ts";
import { createConfirmLinks } from "./sign-up/confirm-links.ts";
import { createConsentSignIn } from "./single-sign-on/consent-sign-in.ts";
import { createFailedSignIns } from "./failed-sign-ins.ts";
import { createFinish } from "./finish.ts";
import { createFreshProofs } from "./fresh-proofs.ts";
import { createPasskeySignIn } from "./passkeys/passkey-sign-in.ts";
import { createPasswordSignIn } from "./passwords/password-sign-in.ts";
import { createPendingLinks } from "./adding/pending-links.ts";
import { createProofs } from "./proofs.ts";
import { createProviderSignIn } from "./providers/provider-sign-in.ts";
import { createResets } from "./passwords/resets.ts";
import { createSignUp } from "./sign-up/sign-up.ts";
import { createSingleSignOn } from "./single-sign-on/single-sign-on.ts";
import { createTakeOver } from "./providers/take-over.ts";

type Needs<Create extends (deps: never) => unknown> = Omit<
  Parameters<Create>[0],
  "proofs" | "clientAccess" | "finish" | "freshProofs" | "additions" | "pendingLinks" | "failedSignIns"
>;

/** All that proves who somebody is, from the first proof to the code. */
export function createSignInFlows(
  deps: Needs<typeof createFreshProofs> &
    Needs<typeof createAdditions> &
    Needs<typeof createPendingLinks> &
    Needs<typeof createFinish> &
    Needs<typeof createClientAccess> &
    Needs<typeof createProofs> &
    Needs<typeof createFailedSignIns> &
    Needs<typeof createAddMethod> &
    Needs<typeof createPasswordSignIn> &
    Needs<typeof createPasskeySignIn> &
    Needs<typeof createProviderSignIn> &
    Needs<typeof createTakeOver> &
    Needs<typeof createSignUp> &
    Needs<typeof createResets> &
    Needs<typeof createConfirmLinks> &
    Needs<typeof createSingleSignOn> &
    Needs<typeof createConsentSignIn>,
) {
  const freshProofs = createFreshProofs(deps);
  const additions = createAdditions({ ...deps, freshProofs });
  const pendingLinks = createPendingLinks({ ...deps, additions });
  const finish = createFinish({ ...deps, pendingLinks });
  const clientAccess = createClientAccess(deps);
  const proofs = createProofs({ ...deps, finish, clientAccess });
  const failedSignIns = createFailedSignIns(deps);
  const all = { ...deps, proofs, additions, failedSignIns };
  return {
    freshProofs,
    additions,
    proofs,
    addMethod: createAddMethod(all),
    passwordSignIn: createPasswordSignIn(all),
    passkeySignIn: createPasskeySignIn(all),
    providerSignIn: createProviderSignIn(all),
    takeOver: createTakeOver(all),
    signUp: createSignUp(all),
    resets: createResets(all),
    confirmLinks: createConfirmLinks(all),
    singleSignOn: createSingleSignOn(all),
    consentSignIn: createConsentSignIn(all),
  };
}
