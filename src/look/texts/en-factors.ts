/** The sentences about the second step of a sign-in. */
export const factors = {
  // Signing in.
  factorTitle: "Enter your code",
  factorNext: (app: string) => `Open your authenticator app and enter the code that it shows for ${app}.`,
  factorHint: "Six digits.",
  useRecoveryCode: "Use a recovery code",
  useAppCode: "Use your authenticator app",
  recoveryTitle: "Enter a recovery code",
  recoveryNext: "Use one of the codes that you kept when you set up your authenticator app. Each works once.",
  recoveryCode: "Recovery code",
  recoveryHint: "24 letters and digits, with or without the dashes.",
  trustBrowser: (days: number) => `Don't ask in this browser for ${days} ${days === 1 ? "day" : "days"}`,
  factorLost: (app: string) => `Lost your authenticator app and your recovery codes? Ask ${app} for help.`,
  enterFactorCode: "Enter your code.",
  enterRecoveryCode: "Enter a recovery code.",
  factorMalformed: "Enter the six digits that your app shows.",
  recoveryMalformed: "Enter all 24 letters and digits of one code.",
  checkFactorCode: "Check your code, then try again.",
  factorWrong: "That code isn't right, or it was used already. Wait for the next one.",
  recoveryWrong: "This code isn't right, or it was used already.",
  factorBlocked: (app: string) =>
    `Codes don't work for this account now, because too many wrong ones were entered. Use a passkey, or ask ${app} for help.`,

  // The operator's link for people who lost their app.
  recoverTitle: "Sign in without your code",
  recoverNext: (app: string) => `This link is for your ${app} account:`,
  recoverRemoves:
    "Sign in once more. Your authenticator app and your recovery codes are then removed, and you can set up a new app.",

  // Setting an authenticator app up.
  setUpTitle: "Set up an authenticator app",
  setUpWhy: (app: string) => `${app} asks for a code from such an app when you sign in without a passkey.`,
  setUpNext: "When you sign in without a passkey, you will then also be asked for a code from this app.",
  setUpScan: "Scan this with an authenticator app on your phone:",
  setUpQrCode: "QR code with the key below",
  setUpHere: "Open it in an app on this phone",
  setUpTyped: "Or enter this key in the app:",
  setUpCode: "Code that the app shows",
  setUpCodeHint: "Six digits. They show that the app has the key.",
  turnOn: "Turn on",
  turningOn: "Turning on…",
  setUpOver: "This page was open for too long, or your account has changed. Scan the new code.",

  // Recovery codes.
  codesTitle: "Keep your recovery codes",
  codesNext:
    "When you don't have your authenticator app, enter one of these instead. Each works once. They are shown only now, so keep them in a safe place.",
  codesDownload: "Download",
  codesPrint: "Print",
  codesKept: "I have kept them",
  codesAway: "Your recovery codes were shown once. You can get new ones on your account page.",
  codeUsedTitle: "You used a recovery code",
  codesLeft: (count: number) =>
    count === 0 ? "You have none left." : `You have ${count} ${count === 1 ? "code" : "codes"} left.`,
  codesFew: "Get new ones on your account page. If your app doesn't work any more, replace it there.",
  appNotUsed: "You signed in without your authenticator app. If it doesn't work any more, replace it now.",
  continue: "Continue",

  // The account page.
  secondStep: "Second step",
  secondStepNext: "With an authenticator app, nobody gets in with your password alone.",
  authenticatorApp: "Authenticator app",
  codesBlocked: "Codes don't work now, because too many wrong ones were entered. To use codes again, replace the app.",
  setUp: "Set up",
  replace: "Replace",
  replaceTitle: "Replace your authenticator app",
  replaceNext: "The app that you have now works until the new one is turned on. You also get new recovery codes.",
  recoveryCodes: "Recovery codes",
  recoveryCodesLeft: (count: number) => `${count} left`,
  codesRunOut: "Get new ones before you run out.",
  newCodes: "Get new codes",
  newCodesTitle: "Get new recovery codes?",
  newCodesNext: "The codes that you have now stop working.",
  removeFactorTitle: "Remove your authenticator app?",
  removeFactorNext: "You won't be asked for a code any more when you sign in. Your recovery codes stop working too.",
  factorRequired: (app: string) => `${app} requires a second step, so the app can't be removed. You can replace it.`,
  trustedUntil: (date: string) => `Not asked for a code until ${date}`,
  askAgain: "Ask again",
  askAgainNamed: (browser: string) => `Ask again: ${browser}`,
  noticeFactorAdded: "Your authenticator app is set up.",
  noticeFactorRemoved: "Your authenticator app was removed.",
  noticeTrustEnded: "That browser will be asked for a code again.",
};

export type FactorTexts = typeof factors;
