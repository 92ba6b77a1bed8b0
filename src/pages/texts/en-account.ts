/** The sentences of the account page. */
export const account = {
  accountTitle: (app: string) => `Your ${app} account`,
  backToAccount: "Back to your account",

  // Profile.
  profile: "Profile",
  edit: "Edit",
  picture: "Picture address",
  pictureHint: "An address that starts with https://. Apps show the picture beside your name.",
  notSet: "Not set",
  verified: "Verified",
  notVerified: "Not verified",
  verifyEmail: "Verify",
  changeEmail: "Change email address",
  changeEmailNext:
    "An email with a code goes to the new address. Your current address gets one too, with a link that undoes the change for 7 days.",
  newEmail: "New email address",
  emailSame: "This is your address already.",
  emailTaken: (app: string) => `Another account at ${app} has this address.`,
  restoreTitle: "Restore your email address",
  restoreNext: (app: string) => `The email address of your ${app} account was changed. This one is restored:`,
  restoreEnds: "Everybody is signed out of the account, in all browsers.",
  restore: "Restore address",
  restoring: "Restoring…",
  editProfile: "Edit your profile",
  save: "Save",
  nameMissing: "Enter your name.",
  checkPicture: "Check the picture's address, then try again.",
  pictureNotHttps: "Enter an address like https://example.com/me.png.",

  // Sign-in methods.
  methods: "How you sign in",
  addedOn: (date: string) => `Added ${date}`,
  changedOn: (date: string) => `Changed ${date}`,
  lastUsed: (date: string) => `Last used ${date}`,
  neverUsed: "Not used yet",
  notInUse: (app: string) => `${app} doesn't allow signing in this way right now`,
  passkey: "Passkey",
  addPasskey: "Add a passkey",
  addPassword: "Add a password",
  connect: (provider: string) => `Connect ${provider}`,
  change: "Change",
  changePassword: "Change password",
  rename: "Rename",
  renameNamed: (name: string) => `Rename ${name}`,
  renameTitle: "Rename this passkey",
  renameHint: "A name that tells you where this passkey is.",
  labelMissing: "Enter a name.",
  remove: "Remove",
  removeNamed: (name: string) => `Remove ${name}`,
  removeTitle: (name: string) => `Remove ${name}?`,
  removing: "Removing…",
  removePasskeyNext: (app: string) =>
    `It can't be used to sign in to ${app} any more. It may stay in your device's list of passkeys until you delete it there.`,
  removePasswordNext: (app: string) => `It can't be used to sign in to ${app} any more.`,
  removeProviderNext: (provider: string) =>
    `You can't sign in with this ${provider} account any more. Your account at ${provider} stays as it is.`,
  removeStaysSignedIn: "Where you're signed in now, you stay signed in.",
  lastMethod: "This is your only way to sign in. Add another one first.",
  lastPasskey: (app: string) =>
    `${app} asks for a passkey each time, and this is your only one. Add another one first.`,

  // Logins.
  logins: "Where you're signed in",
  noLogins: (app: string) => `You aren't signed in to ${app} anywhere right now, except on this page.`,
  browserOn: (browser: string, device: string) => `${browser} on ${device}`,
  unknownDevice: "Unknown device",
  byOperator: (app: string) => `Access for the people who run ${app}`,
  here: "This browser",
  signedInOn: (date: string) => `Signed in ${date}`,
  lastSeen: (date: string) => `Last seen ${date}`,
  signOut: "Sign out",
  signOutNamed: (name: string) => `Sign out ${name}`,
  signOutOthers: "Sign out everywhere else",
  signOutAll: "Sign out everywhere",
  signingOut: "Signing out…",
  signOutHere: "Sign out of this browser",
  signOutHereNext: "You'll be signed out of everything that you opened in this browser with these accounts.",
  signOutOf: (app: string) => `Sign out of ${app}?`,
  signOutOfNext: (app: string) =>
    `You'll be signed out of everything that you opened in this browser with your ${app} account.`,
  staySignedIn: "Stay signed in",

  // Programs with access.
  programs: "Programs with access",
  allowedOn: (date: string) => `Allowed ${date}`,
  removeAccess: "Remove access",
  removeAccessNamed: (name: string) => `Remove access of ${name}`,

  // Personal data.
  data: "Your data",
  downloadLink: "Download your data",
  downloadTitle: "Download your data",
  downloadNext: (app: string) =>
    `A file with your profile, your ways to sign in and where you're signed in to ${app}. It holds no passwords or keys.`,
  download: "Download",
  deleteLink: "Delete your account",
  deleteTitle: (app: string) => `Delete your ${app} account?`,
  deleteNow: "This happens at once and can't be undone:",
  deleteProfile: "Your profile and all your ways to sign in are deleted.",
  deleteLogins: (app: string) => `You're signed out of ${app} everywhere.`,
  deleteElsewhere: (app: string) => `${app} may keep data of its own about you. Ask ${app} to delete it.`,
  deleteForGood: "Delete my account for good",
  deleting: "Deleting…",

  // Notices after an action.
  noticeProfile: "Your profile is saved.",
  noticeVerified: "Your email address is verified.",
  noticeEmail: "Your email address is changed.",
  noticeRenamed: "The new name is saved.",
  noticeRemoved: "Removed. It can no longer be used to sign in.",
  noticeAdded: (name: string) => `You can sign in with ${name} from now on.`,
  noticePassword: "Your password is saved.",
  noticeLoginEnded: "That device is signed out.",
  noticeOthersEnded: "You're signed out everywhere else.",
  noticeAccessRemoved: "That program no longer has access to your account.",

  // Shown instead of the page.
  noAccountTitle: "Open this from your app",
  noAccountNext:
    "Each app has an account page of its own. Go to the app that you use, and open your account from there.",
  signedOutTitle: "You're signed out",
  signedOutHere: "Nobody is signed in in this browser.",
  signedOutNext: (app: string) => `To see or change your ${app} account, sign in again.`,
  notSignedInTitle: "You aren't signed in",
  notSignedInNext: (app: string) => `To see or change your ${app} account, sign in.`,
  deletedTitle: "Your account is deleted",
  deletedNext: (app: string) => `You can no longer sign in to ${app} with it. You can close this page.`,
  notFoundTitle: "That isn't here any more",
  notFoundNext: "It may have been removed a moment ago. Your account page shows what there is now.",
};

export type AccountTexts = typeof account;
