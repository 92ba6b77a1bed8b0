import type { MailKind } from "../../../storage/column-types.ts";

/** The texts of one kind of mail. The app's name is passed to each. */
type KindTexts = {
  /** Also the heading: names the app and the action. */
  subject: (app: string) => string;
  lead: (app: string) => string;
  button: (app: string) => string;
  /** The advice if it was someone else. */
  ifNotYou: (app: string) => string;
};

/** Every sentence of every mail in one language. Other languages are files of the same shape. */
export type MailTexts = {
  kinds: Record<MailKind, KindTexts>;
  /** Above the button's URL. */
  addressBelow: string;
  codeInstead: string;
  /** How long link and code are valid; `time` is a full date with its zone. */
  holdsUntil: (time: string) => string;
  /** The same for a link without a code. */
  linkHoldsUntil: (time: string) => string;
  ifNotYouTitle: string;
  /** The same for actions of others. */
  ifUnexpectedTitle: string;
  /** Details, as "label: value". */
  fact: (label: string, value: string) => string;
  when: string;
  device: string;
  ipAddress: string;
  token: string;
  lastDay: string;
  support: string;
  /** Labels of addresses. */
  invitedBy: string;
  person: string;
  /** Of the provider of an organization. */
  provider: string;
  worksFrom: string;
  since: string;
  reason: string;
  lastUsed: string;
  /** Before the host of a company's provider. */
  connects: string;
  /** "Firefox on Windows". */
  browserOn: (browser: string, device: string) => string;
  codesLeft: (count: number) => string;
  accountsWaiting: (count: number) => string;
  methods: { passkey: string; password: string; oauth: string };
};

export const en: MailTexts = {
  kinds: {
    "sign-up": {
      subject: (app) => `Confirm your email address for ${app}`,
      lead: (app) =>
        `You asked for an account at ${app} with this email address. Confirm that the address is yours to create the account.`,
      button: () => "Confirm and create account",
      ifNotYou: () =>
        "Do nothing. No account is created unless you confirm. Don't share the link or the code with anybody.",
    },
    "sign-in": {
      subject: (app) => `Sign in to ${app}`,
      lead: (app) =>
        `You asked to sign in to ${app} with this email address. The link works only in the browser that asked for it.`,
      button: (app) => `Sign in to ${app}`,
      ifNotYou: () => "Do nothing. Nobody is signed in without the code or the link. Don't share them with anybody.",
    },
    verify: {
      subject: (app) => `Confirm your email address for ${app}`,
      lead: (app) => `Confirm that this is the email address of your ${app} account.`,
      button: () => "Confirm email address",
      ifNotYou: () => "Do nothing. The address stays unconfirmed. Don't share the link or the code with anybody.",
    },
    reset: {
      subject: (app) => `Reset your ${app} password`,
      lead: (app) => `You asked to choose a new password for your ${app} account.`,
      button: () => "Reset password",
      ifNotYou: () =>
        "Do nothing. Your password stays as it is. Don't share the link or the code: anybody who has either one can change your password.",
    },
    "change-address": {
      subject: (app) => `Confirm your new email address for ${app}`,
      lead: (app) => `Confirm that this is the new email address of your ${app} account.`,
      button: () => "Confirm email address",
      ifNotYou: () => "Do nothing. Your address isn't used. Don't share the link or the code with anybody.",
    },
    "address-changed": {
      subject: (app) => `The email address of your ${app} account was changed`,
      lead: (app) =>
        `Your ${app} account has another email address now. Emails about the account don't come to this one any more.`,
      button: () => "Undo the change",
      ifNotYou: () =>
        "Undo the change. That restores this address, signs everybody out of the account, and removes the password and the ways to sign in that were added since. Then choose a new password.",
    },
    "address-replaced": {
      subject: (app) => `Your ${app} account has another email address`,
      lead: (app) =>
        `${app} has changed the email address of your account. Emails about the account don't come to this one any more.`,
      button: () => "Open your account page",
      ifNotYou: (app) => `Tell ${app} that you didn't ask for this.`,
    },
    "address-restored": {
      subject: (app) => `Your ${app} account has its earlier email address again`,
      lead: (app) =>
        `The email address of your ${app} account was changed back to an earlier one. Emails about the account don't come to this one any more.`,
      button: () => "Open your account page",
      ifNotYou: (app) => `Somebody who can read emails to the earlier address did this. Ask ${app} for help.`,
    },
    invite: {
      subject: (app) => `You're invited to ${app}`,
      lead: (app) => `An account at ${app} is ready for you. Choose how you will sign in.`,
      button: () => "Set up your account",
      ifNotYou: () => "Do nothing. Nobody can sign in to the account without this link, so don't share it.",
    },
    "password-form": {
      subject: (app) => `Continue signing in to ${app}`,
      lead: (app) =>
        `You asked for this link while signing in to ${app}, in a browser without JavaScript. It opens the form for your password, and works only in that browser.`,
      button: () => "Open the form",
      ifNotYou: () => "Do nothing. The link signs nobody in: it only opens a form that asks for your password.",
    },
    "known-address": {
      subject: (app) => `You already have an account at ${app}`,
      lead: (app) =>
        `Somebody tried to create an account at ${app} with this email address. There's one already, so no new account was created. If it was you, sign in the way you usually do.`,
      button: (app) => `Sign in to ${app}`,
      ifNotYou: () => "Do nothing. Nothing in your account was changed, and nobody signed in to it.",
    },
    "method-added": {
      subject: (app) => `New way to sign in to your ${app} account`,
      lead: (app) => `From now on, this can be used to sign in to your ${app} account:`,
      button: () => "Open your account page",
      ifNotYou: () =>
        "Somebody else may be in your account. Open your account page, remove this method and end the sign-ins you don't recognize. Then change your password, if you have one.",
    },
    "method-removed": {
      subject: (app) => `A way to sign in to your ${app} account was removed`,
      lead: (app) => `This can no longer be used to sign in to your ${app} account:`,
      button: () => "Open your account page",
      ifNotYou: () =>
        "Somebody else may be in your account. Open your account page, end the sign-ins you don't recognize and remove methods that aren't yours. Then change your password, if you have one.",
    },
    "password-changed": {
      subject: (app) => `Your ${app} password was changed`,
      lead: (app) => `The password of your ${app} account was changed.`,
      button: () => "Open your account page",
      ifNotYou: (app) =>
        `Reset your password right away: choose “Forgot password?” where you sign in to ${app}. Then open your account page and remove methods and sign-ins that aren't yours.`,
    },
    "new-device": {
      subject: (app) => `New sign-in to your ${app} account`,
      lead: (app) => `Somebody signed in to your ${app} account from a browser that hasn't been used with it before.`,
      button: () => "Open your account page",
      ifNotYou: () =>
        "Open your account page and end this sign-in. Then change your password, if you have one, and remove methods that aren't yours.",
    },
    "factor-added": {
      subject: (app) => `An authenticator app protects your ${app} account`,
      lead: (app) =>
        `From now on, signing in to your ${app} account without a passkey also takes a code from your authenticator app. Keep your recovery codes in a safe place.`,
      button: () => "Open your account page",
      ifNotYou: () =>
        "Somebody else may be in your account. Open your account page, remove the authenticator app and end the sign-ins you don't recognize. Then change your password.",
    },
    "factor-removed": {
      subject: (app) => `Your ${app} account has no authenticator app any more`,
      lead: (app) => `The authenticator app and the recovery codes of your ${app} account were removed.`,
      button: () => "Open your account page",
      ifNotYou: () =>
        "Somebody else may be in your account. Change your password, then open your account page, end the sign-ins you don't recognize and set up an authenticator app again.",
    },
    "recovery-code-used": {
      subject: (app) => `A recovery code of your ${app} account was used`,
      lead: (app) =>
        `Somebody signed in to your ${app} account with one of your recovery codes. It doesn't work again.`,
      button: () => "Open your account page",
      ifNotYou: () =>
        "Somebody else knows a recovery code and your password. Change your password, then open your account page and get new recovery codes.",
    },
    "recovery-codes-new": {
      subject: (app) => `Your ${app} account has new recovery codes`,
      lead: (app) => `New recovery codes were made for your ${app} account. The earlier ones don't work any more.`,
      button: () => "Open your account page",
      ifNotYou: () =>
        "Somebody else may be in your account. Open your account page, get new recovery codes and end the sign-ins you don't recognize. Then change your password.",
    },
    "factor-guessed": {
      subject: (app) => `Somebody is guessing codes for your ${app} account`,
      lead: (app) =>
        `Somebody used your ${app} password, or another of your ways to sign in, and then entered several wrong codes. They did not get in.`,
      button: () => "Open your account page",
      ifNotYou: () => "Somebody else may know your password. Change it, and use a passkey if you can.",
    },
    "recovery-link-made": {
      subject: (app) => `A recovery link was made for your ${app} account`,
      lead: (app) =>
        `The operator of ${app} made a link with which you can sign in without your second factor. It works once, together with your password or your other way to sign in.`,
      button: () => "Open your account page",
      ifNotYou: (app) => `Tell ${app} that you didn't ask for this.`,
    },
    "personal-token-made": {
      subject: (app) => `New personal access token for your ${app} account`,
      lead: (app) => `Somebody made a token with which a program can use your ${app} account:`,
      button: () => "Open your account page",
      ifNotYou: () =>
        "Somebody else may be in your account. Open your account page, end this token and the sign-ins you don't recognize. Then change your password, if you have one.",
    },
    "personal-token-ending": {
      subject: (app) => `A personal access token of your ${app} account ends soon`,
      lead: (app) => `A program uses this token of your ${app} account. It stops working when the token ends:`,
      button: () => "Open your account page",
      ifNotYou: () => "Open your account page and end the token. Nobody can use it after that.",
    },
    "domain-missing": {
      subject: (app) => `A domain of your organization at ${app} can no longer be confirmed`,
      lead: (app) =>
        `The TXT record of this domain is missing. If it is still missing after three days, nobody new can join your organization at ${app} with an address there.`,
      button: () => "Open your organization",
      ifNotYou: () => "Somebody may have changed the domain's DNS records. Add the record again.",
    },
    "domain-lost": {
      subject: (app) => `A domain no longer belongs to your organization at ${app}`,
      lead: (app) =>
        `This domain could no longer be confirmed. Nobody new can join your organization at ${app} with an address there. Members stay members.`,
      button: () => "Open your organization",
      ifNotYou: () =>
        "Somebody may have changed the domain's DNS records. To confirm the domain again, add the record.",
    },
    "organization-setup": {
      subject: (app) => `Set up your company's sign-in at ${app}`,
      lead: (app) => `You're asked to connect your company's identity provider to ${app} for this organization:`,
      button: () => "Open the steps",
      ifNotYou: () =>
        "Do nothing. The link opens only with a code that we send to this address, and nothing works before an owner of the organization confirms it.",
    },
    "organization-setup-code": {
      subject: (app) => `Your code to set up sign-in at ${app}`,
      lead: (app) => `Enter this code to continue setting up your company's sign-in at ${app}:`,
      button: () => "Open the steps",
      ifNotYou: () => "Do nothing, and don't tell anybody the code.",
    },
    "organization-invite": {
      subject: (app) => `You're invited to an organization at ${app}`,
      lead: (app) => `You're invited to join this organization at ${app}:`,
      button: () => "See the invitation",
      ifNotYou: () => "Do nothing. Only the person who has this address can join with this link. Don't share it.",
    },
    "organization-declined": {
      subject: (app) => `An invitation to your organization at ${app} was declined`,
      lead: () => "Somebody whom you invited doesn't want to join this organization:",
      button: () => "Open your account page",
      ifNotYou: () => "Ask the person what happened. You can't invite this address again for 30 days.",
    },
    "organization-owner-added": {
      subject: (app) => `Your organization at ${app} has a new owner`,
      lead: () => "Somebody can now do everything in this organization:",
      button: () => "Open your account page",
      ifNotYou: () => "Ask the other owners about it, and remove this person if it isn't right.",
    },
    "organization-owner-removed": {
      subject: (app) => `Your organization at ${app} has one owner fewer`,
      lead: () => "Somebody is no longer an owner of this organization:",
      button: () => "Open your account page",
      ifNotYou: () =>
        "Ask the other owners about it. If one of them did it, the organization can't be deleted in the next 7 days.",
    },
    "organization-deleted": {
      subject: (app) => `An organization at ${app} will be deleted`,
      lead: () =>
        "An owner has deleted this organization. Nobody can use it now, and its members, settings and domains will be deleted for good:",
      button: () => "Keep the organization",
      ifNotYou: () => "Keep the organization. Any owner can do that until the deletion.",
    },
    "organization-provider-changes": {
      subject: (app) => `Another sign-in for your organization at ${app}`,
      lead: () =>
        "The provider by which members of this organization sign in was set or changed. This holds from now on, or from the time below:",
      button: () => "Open your organization",
      ifNotYou: () => "Open your organization and remove the provider. Then ask the other owners who set it.",
    },
    "organization-provider-fails": {
      subject: (app) => `The sign-in of your organization at ${app} fails`,
      lead: () =>
        "People can't sign in to this organization by its provider. Nothing was switched off: who must sign in by it can't sign in until it works again.",
      button: () => "Open your organization",
      ifNotYou: () =>
        "Ask the people who run the provider. An owner can sign in with a passkey or password and a second factor.",
    },
    "organization-relink": {
      subject: (app) => `Sign in to your organization at ${app} anew`,
      lead: () =>
        "This organization's provider knows its members by new identities. Sign in by it once, and prove that the account is yours:",
      button: () => "Open your organization",
      ifNotYou: () =>
        "Ask the owners of the organization. Nobody gets your account without your own sign-in or your mailbox.",
    },
    approved: {
      subject: (app) => `Your ${app} account was approved`,
      lead: (app) => `You can use your ${app} account now.`,
      button: (app) => `Continue to ${app}`,
      ifNotYou: () => "You can ignore this email. The account was created with your email address.",
    },
    refused: {
      subject: (app) => `Your ${app} account was not approved`,
      lead: (app) => `Your account at ${app} was not approved, and its data was deleted. You can sign up again.`,
      button: (app) => app,
      ifNotYou: () => "You can ignore this email. Somebody asked for an account with your email address.",
    },
    "accounts-waiting": {
      subject: (app) => `Accounts of ${app} wait for approval`,
      lead: (app) =>
        `People who signed up at ${app} wait until somebody approves them. The next email comes in an hour at the earliest.`,
      button: () => "Look at them",
      ifNotYou: () => "Ask the people who run this service. They chose who gets this email.",
    },
  },
  addressBelow: "If the button doesn't work, open this address:",
  codeInstead: "Or enter this code on the page that asks for it:",
  holdsUntil: (time) => `The link and the code work once, until ${time}.`,
  linkHoldsUntil: (time) => `The link works once, until ${time}.`,
  ifNotYouTitle: "If it wasn't you",
  ifUnexpectedTitle: "If you didn't expect this",
  fact: (label, value) => `${label}: ${value}`,
  when: "When",
  device: "Device",
  ipAddress: "IP address",
  token: "Token",
  lastDay: "Last day",
  support: "Support",
  invitedBy: "Invited by",
  person: "Person",
  provider: "Provider",
  worksFrom: "Works from",
  since: "Since",
  reason: "Reason",
  connects: "The code connects your account to the sign-in at",
  lastUsed: "Last used",
  browserOn: (browser, device) => `${browser} on ${device}`,
  accountsWaiting: (count) => (count === 1 ? "1 account waits." : `${count} accounts wait.`),
  codesLeft: (count) => `Recovery codes left: ${count}`,
  methods: { passkey: "Passkey", password: "Password", oauth: "Account with another service" },
};
