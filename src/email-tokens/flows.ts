import { createMailSignUp } from "./mail-sign-up.ts";
import { createPasswordReset } from "./password-reset.ts";
import { createResetLinks } from "./reset-links.ts";
import { createEmailTokens } from "./service.ts";

type Needs<Create extends (deps: never) => unknown> = Omit<Parameters<Create>[0], "emailTokens">;

/** All flows based on a mailed link and code. */
export function createMailFlows(
  deps: Needs<typeof createEmailTokens> &
    Needs<typeof createMailSignUp> &
    Needs<typeof createResetLinks> &
    Needs<typeof createPasswordReset>,
) {
  const emailTokens = createEmailTokens(deps);
  return {
    emailTokens,
    mailSignUp: createMailSignUp({ ...deps, emailTokens }),
    resetLinks: createResetLinks({ ...deps, emailTokens }),
    passwordReset: createPasswordReset({ ...deps, emailTokens }),
  };
}
