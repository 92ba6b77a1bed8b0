import { account } from "./en-account.ts";

/** Every sentence that a person reads on a hosted page, in English. Another language is another file of the same shape. */
export const en = {
  // The frame.
  youAreOn: "You are on",
  errorTitle: (title: string) => `Error: ${title}`,
  or: "or",
  cancel: "Cancel",
  backTo: (app: string) => `Back to ${app}`,

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
  forgotPassword: "Forgot password?",
  newTo: (app: string) => `New to ${app}?`,

  // Creating an account.
  createAccountAt: (app: string) => `Create your ${app} account`,
  createAccount: "Create account",
  creatingAccount: "Creating account…",
  createPasskey: "Create a passkey",
  creatingPasskey: "Creating your passkey…",
  orChoosePassword: "or choose a password",
  passwordRule: (length: number) => `At least ${length} characters. A few words in a row are easiest.`,
  haveAccount: "Already have an account?",

  // A proof that is not for an app: the account page, and one more way to sign in.
  signInToAccount: (app: string) => `Sign in to your ${app} account`,
  confirmItsYou: "Confirm it's you",
  confirmBefore: (app: string) => `Sign in again before your ${app} account is changed:`,
  otherAccount: "That's another account. Sign in to the one named here.",

  // The step after a proof.
  usePasskeyTitle: "Now use your passkey",
  usePasskeyWhy: (app: string) => `${app} asks for a passkey each time you sign in.`,
  usePasskey: "Use your passkey",
  createPasskeyTitle: "Create a passkey to go on",
  createPasskeyWhy: (app: string) => `${app} asks for a passkey each time you sign in, and you don't have one yet.`,
  offerPasskeyTitle: "Sign in faster next time",
  notNow: "Not now",
  continuing: "Continuing…",

  // Adding a way to sign in. The account is named below the heading.
  addTo: (app: string) => `To your ${app} account:`,
  addPasskeyTitle: "Add a passkey",
  addPasswordTitle: "Add a password",
  changePasswordTitle: "Change your password",
  newPassword: "New password",
  savePassword: "Save password",
  saving: "Saving…",
  addProviderTitle: (provider: string) => `Add ${provider}`,
  addProviderNext: (provider: string) =>
    `You go to ${provider} once, to say which account there is yours. From then on you can sign in with it.`,
  identityTaken: (provider: string) =>
    `That ${provider} account already belongs to another account here. Choose another one at ${provider}.`,
  identityThere: (provider: string) => `That ${provider} account can sign you in already.`,

  // A code in a mail.
  checkMail: "Check your mail",
  code: "Code",
  codeHint: "Eight digits, from the newest mail.",
  mailedTo: "We sent a mail to this address:",
  mailedNext: "Enter its code here, or open its link in this browser.",
  confirmCode: "Confirm",
  confirming: "Confirming…",
  noMail: "No mail after a minute? Look in the spam folder, or have it sent again. Only the newest one works.",
  sendAgain: "Send again",
  sending: "Sending…",
  sentAgain: "A new mail is on its way, unless there have been several within the hour.",
  wrongAddress: "Not your address?",
  otherAddress: "Use another one",
  confirmAddress: "Confirm your email address",
  confirmAddressOf: (app: string) => `Your ${app} account is created with this address:`,
  confirmAddressFor: (app: string) => `This becomes the confirmed address of your ${app} account:`,
  confirmAndContinue: (app: string) => `Confirm and continue to ${app}`,

  // Forgotten password.
  forgotLead: (app: string) =>
    `Enter the email address of your ${app} account. We send you a link and a code for a new password.`,
  sendMail: "Send mail",
  resetMailedTo: (app: string) => `If this address has an account at ${app}, a mail is on its way:`,
  resetMailedNext: "Open its link on any device, or enter its code here with a new password.",
  chooseNewPassword: "Choose a new password",
  newPasswordFor: (app: string) => `For your ${app} account:`,
  endsLogins: "Saving it signs you out everywhere.",
  resetPassword: "Reset your password",
  resetNotSetUp: (app: string) => `Password reset by mail isn't set up for ${app} yet.`,
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
  wrongCredentials: "That email and password don't match. Try again, or reset your password.",
  tooManyTries: (wait: string) => `Too many tries. You can try again in ${wait}.`,
  tooManyTriesOrPasskey: (wait: string) => `Too many tries. You can try again in ${wait}, or sign in with a passkey.`,
  busy: "A lot of people are signing in right now. Wait a few seconds, then try again.",
  passkeyUnknown: (app: string) =>
    `That passkey isn't linked to an account at ${app}. Try another passkey, or sign in another way.`,
  passkeyFailed: "That passkey couldn't be checked. Try again, or sign in another way.",
  passkeyNotSaved: "That passkey couldn't be saved. Try again.",
  passkeyExists: "This device already has a passkey for this account. Sign in with it instead.",
  passkeysFull: "Your account has as many passkeys as it can have. Remove one that you no longer use first.",
  providerCancelled: (provider: string) =>
    `You came back from ${provider} without signing in. Try again, or sign in another way.`,
  providerNoEmail: (provider: string) =>
    `${provider} didn't share an email address. Allow it there and try again, or sign in another way.`,
  providerUnverifiedEmail: (provider: string) =>
    `${provider} says your email address isn't verified there. Verify it at ${provider}, then try again.`,
  providerExistingAccount: (provider: string, app: string) =>
    `There is already a ${app} account with this email address. Sign in to it the way you usually do; ${provider} can be added afterwards.`,
  providerNoAccount: (provider: string, app: string) =>
    `No ${app} account belongs to this ${provider} account, and ${app} doesn't take new ones here.`,
  providerFailed: (provider: string) => `${provider} didn't answer as expected. Try again, or sign in another way.`,
  cannotCreate: "We couldn't create an account with these details. If you already have one, sign in instead.",
  checkEmail: "Check the email address, then try again.",
  checkPassword: "Choose a different password, then try again.",
  checkName: "Check the name, then try again.",
  enterEmail: "Enter your email address to continue.",
  enterPassword: "Enter your password to continue.",
  choosePassword: "Choose a password to continue.",

  enterCode: "Enter the code from the mail to continue.",
  checkCode: "That code isn't right. Check it, or have a new mail sent.",
  codeOver: "There is no code to enter any more: it was used, tried too often, or is too old. Have a new mail sent.",

  // The same, said in a few words beside the field.
  codeMissing: "Enter the eight digits.",
  codeWrong: "Not the code of the newest mail.",
  emailMissing: "Enter your email address.",
  emailInvalid: "Enter an address like name@example.com.",
  passwordMissing: "Enter your password.",
  newPasswordMissing: "Enter a password.",
  passwordTooShort: (length: number) => `Too short. Use at least ${length} characters.`,
  passwordTooLong: (length: number) => `Too long. Use at most ${length} characters.`,
  passwordCommon: "This one is easy to guess: it's on lists of common passwords.",
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
    "It was used, it is too old, or a newer mail has taken its place. Open the newest mail, or start again from the app.",
  linkElsewhereTitle: "Open this link where you asked for it",
  linkElsewhereNext:
    "Nothing was confirmed. So that nobody can use your address for an account of theirs, the link works only in the browser that asked for it. Open it there, or enter the code from the mail on the page that waits there.",
  accountCreatedTitle: "Your account is created",
  accountCreatedNext: (app: string) => `Your email address is confirmed. Continue to ${app} and sign in.`,
  passwordChangedTitle: "Your password is changed",
  passwordChangedNext: "You were signed out everywhere. Sign in with your new password.",
  otherBrowserTitle: "This sign-in was started in another browser",
  otherBrowserNext: (app: string) => `Finish it there, or go back to ${app} in this browser and start again.`,
  otherBrowserNextUnknown: "Finish it there, or start again from the app in this browser.",
  badRedirectTitle: "This sign-in link doesn't work",
  badRedirectNext:
    "The address to return to isn't one this app has registered, so you were not sent there. Tell the people who run the app.",
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
};

export type Texts = typeof en;
