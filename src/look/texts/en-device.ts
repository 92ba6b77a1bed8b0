/** The sentences about signing in on a device that has no browser. */
export const device = {
  deviceTitle: "Sign in on your device",
  deviceLead: "Enter the code that your device shows.",
  deviceLeadFilled: "Check that your device shows this code.",
  deviceCodeHint: "Eight letters, such as WDJB-MJHT.",
  deviceInFront:
    "Continue only if the code is on a device in front of you. If somebody sent it to you, stop here: they would get into your account.",
  deviceEnterCode: "Enter a code",
  enterDeviceCode: "Enter the code from your device.",
  deviceCodeMalformed: "Enter all eight letters.",
  checkDeviceCode: "Check the code, or get a new one on your device.",
  deviceCodeWrong: "This code doesn't work, or no longer works.",
  deviceAskTitle: (client: string) => `Let ${client} sign in?`,
  deviceAccount: (app: string) => `The device then uses your ${app} account:`,
  deviceAskedAt: (when: string) => `The device asked on ${when}, from this address:`,
  deviceAllowedTitle: "You can go back to your device",
  deviceAllowedNext: "It goes on by itself in a few seconds. You can close this page.",
  deviceDeniedTitle: "Nothing was allowed",
  deviceDeniedNext: "The device was not signed in. You can close this page.",
  deviceOverTitle: "This code no longer works",
  deviceOverNext: "It was used, or it's too old. Get a new one on your device.",
  deviceNotAdmittedTitle: "This account can't be used here",
  deviceNotAdmittedNext: (app: string) =>
    `The people who run ${app} let only some accounts use this program. Enter the code again, and choose another account.`,
};

export type DeviceTexts = typeof device;
