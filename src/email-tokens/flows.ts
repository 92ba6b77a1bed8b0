import { createAddressChange } from "./address-change.ts";
import { createAddressUndo } from "./address-undo.ts";
import { createInvites } from "./invites.ts";
import { createMailSignUp } from "./mail-sign-up.ts";
import { createPasswordReset } from "./password-reset.ts";
import { createResetLinks } from "./reset-links.ts";
import { createEmailTokens } from "./service.ts";
import { createUndoLinks } from "./undo-links.ts";

type Needs<Create extends (deps: never) => unknown> = Omit<
  Parameters<Create>[0],
  "emailTokens" | "resetLinks" | "invites" | "undoLinks"
>;

/** All flows based on a mailed link and code. */
export function createMailFlows(
  deps: Needs<typeof createEmailTokens> &
    Needs<typeof createMailSignUp> &
    Needs<typeof createResetLinks> &
    Needs<typeof createAddressChange> &
    Needs<typeof createUndoLinks> &
    Needs<typeof createAddressUndo> &
    Needs<typeof createInvites> &
    Needs<typeof createPasswordReset>,
) {
  const emailTokens = createEmailTokens(deps);
  const resetLinks = createResetLinks({ ...deps, emailTokens });
  const invites = createInvites({ ...deps, emailTokens });
  const undoLinks = createUndoLinks({ ...deps, emailTokens });
  return {
    emailTokens,
    mailSignUp: createMailSignUp({ ...deps, emailTokens }),
    resetLinks,
    invites,
    undoLinks,
    addressUndo: createAddressUndo({ ...deps, emailTokens, resetLinks, invites }),
    addressChange: createAddressChange({ ...deps, emailTokens, undoLinks }),
    passwordReset: createPasswordReset({ ...deps, emailTokens }),
  };
}
