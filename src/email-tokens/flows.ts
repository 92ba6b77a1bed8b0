import { createAddressChange } from "./address-change.ts";
import { createAddressRestoration } from "./address-restoration.ts";
import { createInvites } from "./invites.ts";
import { createMailSignUp } from "./mail-sign-up.ts";
import { createPasswordReset } from "./password-reset.ts";
import { createResetLinks } from "./reset-links.ts";
import { createEmailTokens } from "./service.ts";

type Needs<Create extends (deps: never) => unknown> = Omit<Parameters<Create>[0], "emailTokens" | "resetLinks">;

/** All flows based on a mailed link and code. */
export function createMailFlows(
  deps: Needs<typeof createEmailTokens> &
    Needs<typeof createMailSignUp> &
    Needs<typeof createResetLinks> &
    Needs<typeof createAddressChange> &
    Needs<typeof createAddressRestoration> &
    Needs<typeof createInvites> &
    Needs<typeof createPasswordReset>,
) {
  const emailTokens = createEmailTokens(deps);
  const resetLinks = createResetLinks({ ...deps, emailTokens });
  return {
    emailTokens,
    mailSignUp: createMailSignUp({ ...deps, emailTokens }),
    resetLinks,
    invites: createInvites({ ...deps, emailTokens }),
    addressChange: createAddressChange({ ...deps, emailTokens }),
    addressRestoration: createAddressRestoration({ ...deps, emailTokens, resetLinks }),
    passwordReset: createPasswordReset({ ...deps, emailTokens }),
  };
}
