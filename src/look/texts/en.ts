import { device } from "./en-device.ts";
import { factors } from "./en-factors.ts";
import { account } from "./en-account.ts";

/** Every sentence on the hosted pages, in English. Other languages are files of the same shape. */
export const en = {
  // The frame.
  youAreOn: "You are on",
  openMailbox: "Development mode: open the mailbox",
  errorTitle: (title: string) => `Error: ${title}`,
  or: "or",
  cancel: "Cancel",
  backTo: (app: string) => `Back to ${app}`,
  terms: "Terms",
  privacy: "Privacy",
  support: "Support",

  // Fields.
  email: "Email",
  password: "Password",
  name: "Name",
  optional: "Optional",
  showCharacters: "Show characters",
  hideCharacters: "Hide characters",
  show: "Show",
  hide: "Hide",

  // Signing in.
  signInTo: (app: string) => `Sign in to ${app}`,
  signIn: "Sign in",
  signingIn: "Signing in…",
  signInWithPasskey: "Sign in with a passkey",
  usingPasskey: "Waiting for your passkey…",
  passkeyInOneLine: "Sign in with your fingerprint, face or screen lock. Nothing to remember.",
  continueWith: (provider: string) => `Continue with ${provider}`,
  opening: (provider: string) => `Opening ${provider}…`,
  emailMeCode: "Email me a code",
  emailCodeInOneLine: "We'll send you an email with a code. Nothing to remember.",
  signInAs: "You sign in with this email address:",
  forgotPassword: "Forgot password?",
  newTo: (app: string) => `New to ${app}?`,
  usedLast: "Last used",

  // Creating an account.
  createAccountAt: (app: string) => `Create your ${app} account`,
  createAccount: "Create account",
  creatingAccount: "Creating account…",
  createPasskey: "Create a passkey",
  creatingPasskey: "Creating your passkey…",
  orChoosePassword: "or choose a password",
  passwordRule: (length: number) => `At least ${length} characters. A few words in a row are easiest.`,
  strongEnough: "Strong enough",
  haveAccount: "Already have an account?",

  // Signing in to the account page, and confirming before adding a method.
  signInToAccount: (app: string) => `Sign in to your ${app} account`,
  confirmItsYou: "Confirm it's you",
  confirmBefore: (app: string) => `Sign in again before your ${app} account is changed:`,
  otherAccount: "That's another account. Sign in to the one named here.",
  proveAnewWhy: (provider: string, app: string) =>
    `${provider} doesn't say that you signed in there just now. ${app} needs one more proof that it's you.`,
  proveAnewNoWay: (provider: string, app: string) =>
    `${provider} doesn't say that you signed in there just now, and nothing else in this account can prove that it's you: it has no passkey, no password, and no email address that we can send a code to. Contact ${app}.`,

  // The passkey step after signing in.
  usePasskeyTitle: "Now use your passkey",
  usePasskeyWhy: (app: string) => `${app} asks for a passkey each time you sign in.`,
  usePasskey: "Use your passkey",
  createPasskeyTitle: "Create a passkey to continue",
  createPasskeyWhy: (app: string) => `${app} asks for a passkey each time you sign in, and you don't have one yet.`,
  offerPasskeyTitle: "Sign in faster next time",
  notNow: "Not now",
  continuing: "Continuing…",

  // Signed in to this browser already, and what a client of OpenID Connect asks for.
  continueAs: (name: string) => `Continue as ${name}`,
  useAnotherAccount: "Use another account",
  consentTitle: (client: string) => `${client} asks for access`,
  consentQuestion: (client: string, app: string) => `Allow ${client} to use your ${app} account?`,
  consentGets: "It gets:",
  consentAt: (resource: string) => `It acts for you at ${resource}:`,
  consentReturnsTo: "You return to",
  consentStaysHere:
    "Allow this only if you have just started this program yourself: any program on this device could ask under this name.",
  callsItself: (name: string) => `It calls itself “${name}”.`,
  nobodyChecked: "Nobody has checked this name.",
  scopeOpenid: "Who you are: an ID that stays the same",
  scopeProfile: "Your name and picture",
  scopeEmail: "Your email address",
  scopeGroups: "The names of your groups",
  scopeOfflineAccess: "Access even while you are away, until you end it",
  consentAgree: "Allow",
  consentDeny: "Deny",

  // The first proof of an address, and what it removes.
  takeOverTitle: "Before you continue",
  takeOverFor: (app: string) => `Your ${app} account for this email address:`,
  takeOverWhy:
    "Nobody had confirmed this email address before, so somebody else may have set up the account. To make sure that only you can use it, this is removed when you continue:",
  takeOverStays: "The name and everything else in the account stay.",
  takeOverAgree: "Remove and continue",
  unprovenPassword: "the password that was set before the address was confirmed",
  unprovenPasskeys: (count: string) => `passkeys: ${count}`,
  unprovenProvider: (provider: string) => `the link to ${provider}`,
  unprovenApp: "the authenticator app, with its recovery codes",
  unprovenPrograms: (count: string) => `programs with access: ${count}`,
  unprovenLogins: (count: string) => `active sign-ins: ${count}`,
  enterPasswordToAgree: "The code is right. Enter your new password again to agree.",

  // Adding a sign-in method. The account is named below the heading.
  addTo: (app: string) => `To your ${app} account:`,
  addPasskeyTitle: "Add a passkey",
  addPasswordTitle: "Add a password",
  changePasswordTitle: "Change your password",
  newPassword: "New password",
  savePassword: "Save password",
  saving: "Saving…",
  addProviderTitle: (provider: string) => `Add ${provider}`,
  addProviderNext: (provider: string) =>
    `You go to ${provider} once to choose your account there. After that, you can sign in with it.`,
  identityTaken: (provider: string) =>
    `That ${provider} account already belongs to another account here. Choose another one at ${provider}.`,
  identityThere: (provider: string) => `You can already sign in with that ${provider} account.`,

  // A code in a mail.
  checkMail: "Check your email",
  code: "Code",
  codeHint: "Eight digits, from the newest email.",
  mailedTo: "We sent an email to this address:",
  mailedNext: "Enter the code from it here, or open its link in this browser.",
  confirmCode: "Confirm",
  confirming: "Confirming…",
  noMail: "No email after a minute? Check your spam folder, or send it again. Only the newest email works.",
  sendAgain: "Send again",
  sending: "Sending…",
  sentAgain: "A new email is on its way, unless several were sent in the past hour.",
  wrongAddress: "Not your address?",
  otherAddress: "Use another one",
  confirmAddress: "Confirm your email address",
  confirmAddressOf: (app: string) => `Your ${app} account is created with this address:`,
  confirmAddressFor: (app: string) => `This becomes the confirmed address of your ${app} account:`,
  confirmAndContinue: (app: string) => `Confirm and continue to ${app}`,

  // Forgotten password.
  forgotLead: (app: string) =>
    `Enter the email address of your ${app} account. We'll send you a link and a code to choose a new password.`,
  sendMail: "Send email",
  resetMailedTo: (app: string) => `If this address has an account at ${app}, an email is on its way:`,
  resetMailedNext: "Open its link on any device, or enter the code from it here with a new password.",
  chooseNewPassword: "Choose a new password",
  newPasswordFor: (app: string) => `For your ${app} account:`,
  endsLogins: "Saving it signs you out everywhere.",
  resetPassword: "Reset your password",
  resetNotSetUp: (app: string) => `Password reset by email isn't set up for ${app} yet.`,
  resetOrPasskey: (app: string) =>
    `If you have a passkey for this account, sign in with it. If not, ask ${app}'s support to help you back in.`,
  resetAskSupport: (app: string) => `Ask ${app}'s support to help you back in.`,
  backToSignIn: "Back to sign in",

  // Passkeys: where the browser can't, and what the browser code says.
  passkeysNeedScript:
    "Passkeys need JavaScript, and it's turned off in this browser. Turn it on for this page, then reload.",
  passkeyNoSupport:
    "This browser can't use passkeys. Open this page in an up-to-date Chrome, Edge, Firefox or Safari, or on your phone.",
  passkeyNotUsed: "No passkey was used. Try again when you're ready.",
  passkeyNotUsedOr: "No passkey was used. Try again when you're ready, or sign in another way.",
  passkeyNotCreated: "No passkey was created. Try again when you're ready.",
  passkeyNeedsLock:
    "This device can't check that it's you. Set up a screen lock, fingerprint or PIN on it, then try again.",
  offline: "There's no connection right now. Check your network, then try again.",
  timedOut: (app: string) => `This sign-in has timed out. Go back to ${app} and start again.`,

  // What went wrong and what to do next: the summary above the form.
  wrongCredentials: "That email and password don't match. Try again, reset your password, or wait a few minutes.",
  tooManyTries: (wait: string) => `Too many tries. You can try again in ${wait}.`,
  tooManyTriesOrPasskey: (wait: string) => `Too many tries. You can try again in ${wait}, or sign in with a passkey.`,
  busy: "A lot of people are signing in right now. Wait a few seconds, then try again.",
  passkeyUnknown: (app: string) =>
    `That passkey isn't linked to an account at ${app}. Try another passkey, or sign in another way.`,
  passkeyFailed: "That passkey couldn't be checked. Try again, or sign in another way.",
  passkeyChanged:
    "That passkey has changed since it was added here. Sign in another way, then remove it and add it again.",
  passkeyNotSaved: "That passkey couldn't be saved. Try again.",
  passkeyExists: "This device already has a passkey for this account. Sign in with it instead.",
  passkeysFull: "Your account has the most passkeys it can have. First remove one you no longer use.",
  providerCancelled: (provider: string) =>
    `You came back from ${provider} without signing in. Try again, or sign in another way.`,
  providerNoEmail: (provider: string) =>
    `${provider} didn't share an email address. Allow it there and try again, or sign in another way.`,
  providerUnsupportedEmail: (provider: string) =>
    `Your email address at ${provider} can't be used here. Use another address at ${provider}, or sign in another way.`,
  providerUnverifiedEmail: (provider: string) =>
    `${provider} says your email address isn't verified there. Verify it at ${provider}, then try again.`,
  providerExistingAccount: (provider: string, app: string) =>
    `An account for this email address already exists at ${app}. Sign in the way you usually do; you can add ${provider} afterwards.`,
  providerLinksAfter: (provider: string, app: string) =>
    `An account for this email address already exists at ${app}. Sign in another way, and your ${provider} account will be linked to it.`,
  providerNoAccount: (provider: string, app: string) =>
    `This ${provider} account isn't linked to any ${app} account, and ${app} isn't accepting new accounts here.`,
  providerRefused: (provider: string, app: string) =>
    `${app} can't sign you in with this ${provider} account. Sign in another way, or contact ${app}.`,
  providerFailed: (provider: string) => `${provider} didn't answer as expected. Try again, or sign in another way.`,
  cannotCreate: "We couldn't create an account with these details. If you already have one, sign in instead.",
  checkEmail: "Check the email address, then try again.",
  checkPassword: "Choose a different password, then try again.",
  checkName: "Check the name, then try again.",
  enterEmail: "Enter your email address to continue.",
  enterPassword: "Enter your password to continue.",
  choosePassword: "Choose a password to continue.",

  enterCode: "Enter the code from the email to continue.",
  checkCode: "That code isn't right. Check it, or send a new email.",
  codeOver: "This code no longer works: it was used, tried too often, or is too old. Send a new email.",

  // The same in a few words, beside the field.
  codeMissing: "Enter the eight digits.",
  codeWrong: "Not the code from the newest email.",
  emailMissing: "Enter your email address.",
  emailInvalid: "Enter an address like name@example.com.",
  emailUnsupported: "Characters such as ü and % can't be used before the @ here. Use another address.",
  passwordMissing: "Enter your password.",
  newPasswordMissing: "Enter a password.",
  passwordTooShort: (length: number) => `Too short. Use at least ${length} characters.`,
  passwordTooLong: (length: number) => `Too long. Use at most ${length} characters.`,
  passwordCommon: "This one is easy to guess: it's on lists of common passwords.",
  passwordBreached: "This one has appeared in a data breach. Choose one that you use nowhere else.",
  passwordOfCommonOnes: "This is made of common passwords. Choose something less predictable.",
  passwordOnKeyboard: "This is a keyboard pattern. Choose something less predictable.",
  passwordRepeats: "This repeats the same characters or words. Choose something less predictable.",
  passwordIsSequence: "This is a sequence, such as abcd or 1234. Choose something less predictable.",
  passwordIsDate: "This is mostly a date. Choose something less predictable.",
  passwordIsPersonal: "This is mostly your name, your email or the name of the app. Choose something less predictable.",
  passwordPredictable: "This is too easy to guess. Choose something less predictable.",
  passwordContext: (app: string) => `Use something other than your email or the name ${app}.`,
  nameTooLong: (length: number) => `Too long. Use at most ${length} characters.`,

  // Whole-page messages: a heading and what to do next.
  expiredTitle: "This sign-in has timed out",
  expiredNext: (app: string) => `Go back to ${app} and start again.`,
  unknownNext: "Go back to the app you came from and start again.",
  finishedTitle: "You're signed in",
  finishedNext: (app: string) => `You can close this page, or continue to ${app}.`,
  continueTo: (app: string) => `Continue to ${app}`,
  linkOverTitle: "This link doesn't work any more",
  linkOverNext:
    "It was used, it's too old, or a newer email replaced it. Open the newest email, or start again from the app.",
  sendNewLink: "Send a new link",
  linkElsewhereTitle: "Open this link where you asked for it",
  linkElsewhereNext:
    "Nothing was confirmed. The link works only in the browser that asked for it, so that nobody can use your address for their own account. Open it there, or enter the code from the email on the page that's waiting there.",
  signInLinkElsewhereNext:
    "Nobody was signed in. The link works only in the browser that asked for it. Open it there, or enter the code from the email on the page that's waiting there. If you didn't ask for it, close this page.",
  inviteTitle: (app: string) => `Welcome to ${app}`,
  inviteNext: "An account is ready for you, with this email address:",
  inviteChoose: "Choose how you will sign in.",
  invitePassword: "Choose a password",
  addressTakenTitle: "This address can't be used",
  addressTakenNext: (app: string) => `Another account at ${app} has it. Nothing was changed.`,
  addressRestoredTitle: "Your email address is restored",
  addressRestoredReset:
    "Everybody was signed out. Choose a new password now. Then open your account page and remove the ways to sign in that aren't yours.",
  addressRestoredNext:
    "Everybody was signed out. Sign in on your account page, and remove the ways to sign in that aren't yours.",
  addressRestoredChoose: "Everybody was signed out, and no way to sign in is left. Choose a new one now.",
  chooseMethod: "Choose how to sign in",
  continueToAccount: "Open your account page",
  accountCreatedTitle: "Your account is created",
  accountCreatedNext: (app: string) => `Your email address is confirmed. Continue to ${app} and sign in.`,
  passwordChangedTitle: "Your password is changed",
  passwordChangedNext: "You were signed out everywhere. Sign in with your new password.",
  otherBrowserTitle: "This sign-in was started in another browser",
  otherBrowserNext: (app: string) => `Finish it there, or go back to ${app} in this browser and start again.`,
  otherBrowserNextUnknown: "Finish it there, or start again from the app in this browser.",
  badRedirectTitle: "This sign-in link doesn't work",
  badRedirectNext:
    "This app hasn't registered the address to return to, so you weren't sent there. Tell the people who run the app.",
  badLinkTitle: "This link doesn't work",
  badLinkNext:
    "Go back to the app you came from and try again. If it still doesn't work, tell the people who run the app.",
  badLinkDetails: "What they need to know:",
  noPageTitle: "There's no page here",
  noPageNext: "Check the address, or go back to the app you came from.",
  homeTitle: "This is where you sign in",
  homeNext: "Apps send you here to sign in. Start from the app that you want to use.",
  noMethodsTitle: "There's no way to sign in yet",
  noMethodsNext: (app: string) => `${app} hasn't turned on any way to sign in. Tell the people who run it.`,
  noMethodsCommand: "You're in development mode. Turn on a method with this command, then reload:",
  crossSiteTitle: "That didn't come from this page",
  crossSiteNext: "Nothing was changed. Go back to the app you came from and start again.",
  cookiesTitle: "Cookies are turned off",
  cookiesNext: "Signing in needs one cookie on this site. Allow it in your browser's settings, then reload this page.",
  serverErrorTitle: "Something went wrong",
  serverErrorNext: "Wait a moment, then go back and try again.",
  tooManyTitle: "Too many tries",
  tooManyNext: (wait: string) => `You can try again in ${wait}.`,
  busyTitle: "It's busy right now",
  busyNext: "A lot of people are signing in. Wait a few seconds, then try again.",

  ...account,
  ...factors,
  ...device,
};

export type Texts = typeof en;
