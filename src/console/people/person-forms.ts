import type { Html } from "../../lib/html.ts";
import type { ActButton, ActForm } from "../parts/act-form.ts";
import type { Entered } from "../parts/refusal.ts";

/** The acts on a person. */
export type PersonAct =
  | "approve"
  | "refuse"
  | "disable"
  | "enable"
  | "unblock"
  | "requireNewPassword"
  | "revokeLogins"
  | "endLogin"
  | "removeMethod"
  | "resetFactors"
  | "endTrust"
  | "endAllTrust"
  | "endToken"
  | "endTokens"
  | "resetLink"
  | "mailResetLink"
  | "recoveryLink"
  | "inviteAgain"
  | "inviteByLink"
  | "withdrawInvitation"
  | "removeConsent"
  | "changeProfile"
  | "changeFields"
  | "changePicture"
  | "removePicture"
  | "undoPicture"
  | "changeAddress"
  | "verifyAddress"
  | "unverifyAddress"
  | "changePublic"
  | "changePrivate"
  | "addToGroup"
  | "removeFromGroup"
  | "remove";

/** The form of an act on this person; nothing if the operator may not do it. */
export type FormOf = (
  act: PersonAct,
  form: Omit<ActForm, "fields"> & { fields?: (entered: Entered) => Html },
) => ActButton | undefined;
