import type { AccountTexts } from "./en-account.ts";

export const account: AccountTexts = {
  accountTitle: (app) => `Ihr Konto bei ${app}`,
  backToAccount: "Zurück zu Ihrem Konto",

  // Profile.
  profile: "Profil",
  edit: "Bearbeiten",
  picture: "Bildadresse",
  pictureHint: "Eine Adresse, die mit https:// beginnt. Apps zeigen das Bild neben Ihrem Namen.",
  notSet: "Nicht angegeben",
  verified: "Bestätigt",
  notVerified: "Nicht bestätigt",
  verifyEmail: "Bestätigen",
  editProfile: "Profil bearbeiten",
  save: "Speichern",
  nameMissing: "Geben Sie Ihren Namen ein.",
  checkPicture: "Prüfen Sie die Adresse des Bildes und versuchen Sie es dann noch einmal.",
  pictureNotHttps: "Geben Sie eine Adresse wie https://example.com/ich.png ein.",

  // Sign-in methods.
  methods: "Wie Sie sich anmelden",
  addedOn: (date) => `Hinzugefügt am ${date}`,
  changedOn: (date) => `Geändert am ${date}`,
  lastUsed: (date) => `Zuletzt verwendet: ${date}`,
  neverUsed: "Noch nicht verwendet",
  notInUse: (app) => `Bei ${app} kann man sich so zurzeit nicht anmelden`,
  passkey: "Passkey",
  addPasskey: "Passkey hinzufügen",
  addPassword: "Passwort hinzufügen",
  connect: (provider) => `${provider} verknüpfen`,
  change: "Ändern",
  changePassword: "Passwort ändern",
  rename: "Umbenennen",
  renameNamed: (name) => `${name} umbenennen`,
  renameTitle: "Passkey umbenennen",
  renameHint: "Ein Name, der Ihnen sagt, wo dieser Passkey ist.",
  labelMissing: "Geben Sie einen Namen ein.",
  remove: "Entfernen",
  removeNamed: (name) => `${name} entfernen`,
  removeTitle: (name) => `${name} entfernen?`,
  removing: "Wird entfernt\u00a0…",
  removePasskeyNext: (app) =>
    `Sie können sich damit nicht mehr bei ${app} anmelden. In der Passkey-Liste Ihres Geräts steht er vielleicht noch, bis Sie ihn dort löschen.`,
  removePasswordNext: (app) => `Sie können sich damit nicht mehr bei ${app} anmelden.`,
  removeProviderNext: (provider) =>
    `Sie können sich mit diesem Konto bei ${provider} nicht mehr anmelden. Ihr Konto bei ${provider} bleibt, wie es ist.`,
  removeStaysSignedIn: "Wo Sie gerade angemeldet sind, bleiben Sie angemeldet.",
  lastMethod: "Ohne diese Methode könnten Sie sich nicht mehr anmelden. Fügen Sie zuerst eine andere hinzu.",
  lastPasskey: (app) =>
    `${app} verlangt bei jeder Anmeldung einen Passkey, und dieser ist Ihr einziger. Fügen Sie zuerst einen anderen hinzu.`,

  // Logins.
  logins: "Wo Sie angemeldet sind",
  noLogins: (app) => `Sie sind gerade nirgends bei ${app} angemeldet, außer auf dieser Seite.`,
  browserOn: (browser, device) => `${browser} auf ${device}`,
  unknownDevice: "Unbekanntes Gerät",
  byOperator: (app) => `Zugang für die Betreiber von ${app}`,
  here: "Dieser Browser",
  signedInOn: (date) => `Angemeldet am ${date}`,
  lastSeen: (date) => `Zuletzt gesehen: ${date}`,
  signOut: "Abmelden",
  signOutNamed: (name) => `${name} abmelden`,
  signOutOthers: "Überall sonst abmelden",
  signOutAll: "Überall abmelden",
  signingOut: "Abmeldung läuft\u00a0…",
  signOutHere: "In diesem Browser abmelden",
  signOutHereNext: "Sie werden von allem abgemeldet, was Sie in diesem Browser mit diesen Konten geöffnet haben.",
  signOutOf: (app) => `Von ${app} abmelden?`,
  signOutOfNext: (app) =>
    `Sie werden überall abgemeldet, wo Sie sich in diesem Browser mit Ihrem Konto bei ${app} angemeldet haben.`,
  staySignedIn: "Angemeldet bleiben",

  // Programs with access.
  programs: "Programme mit Zugriff",
  allowedOn: (date) => `Erlaubt am ${date}`,
  removeAccess: "Zugriff entziehen",
  removeAccessNamed: (name) => `${name}: Zugriff entziehen`,

  // Personal data.
  data: "Ihre Daten",
  downloadLink: "Daten herunterladen",
  downloadTitle: "Daten herunterladen",
  downloadNext: (app) =>
    `Eine Datei mit Ihrem Profil, Ihren Anmeldemethoden und den Orten, an denen Sie bei ${app} angemeldet sind. Passwörter und Schlüssel enthält sie nicht.`,
  download: "Herunterladen",
  deleteLink: "Konto löschen",
  deleteTitle: (app) => `Konto bei ${app} löschen?`,
  deleteNow: "Das geschieht sofort und lässt sich nicht rückgängig machen:",
  deleteProfile: "Ihr Profil und alle Ihre Anmeldemethoden werden gelöscht.",
  deleteLogins: (app) => `Sie werden überall von ${app} abgemeldet.`,
  deleteElsewhere: (app) => `Was ${app} selbst über Sie speichert, muss ${app} löschen. Fragen Sie dort nach.`,
  deleteForGood: "Konto endgültig löschen",
  deleting: "Wird gelöscht\u00a0…",

  // Notices after an action.
  noticeProfile: "Ihr Profil ist gespeichert.",
  noticeVerified: "Ihre E-Mail-Adresse ist bestätigt.",
  noticeRenamed: "Der neue Name ist gespeichert.",
  noticeRemoved: "Diese Methode ist entfernt. Anmelden kann sich damit niemand mehr.",
  noticeAdded: (name) => `Ab jetzt können Sie sich mit ${name} anmelden.`,
  noticePassword: "Ihr Passwort ist gespeichert.",
  noticeLoginEnded: "Dieses Gerät ist abgemeldet.",
  noticeOthersEnded: "Sie sind überall sonst abgemeldet.",
  noticeAccessRemoved: "Dieses Programm hat keinen Zugriff mehr auf Ihr Konto.",

  // Shown instead of the page.
  noAccountTitle: "Öffnen Sie diese Seite aus Ihrer App",
  noAccountNext:
    "Jede App hat ihre eigene Kontoseite. Gehen Sie zu der App, die Sie verwenden, und öffnen Sie Ihr Konto dort.",
  signedOutTitle: "Sie sind abgemeldet",
  signedOutHere: "In diesem Browser ist niemand angemeldet.",
  signedOutNext: (app) => `Um Ihr Konto bei ${app} zu sehen oder zu ändern, melden Sie sich wieder an.`,
  notSignedInTitle: "Sie sind nicht angemeldet",
  notSignedInNext: (app) => `Um Ihr Konto bei ${app} zu sehen oder zu ändern, melden Sie sich an.`,
  deletedTitle: "Ihr Konto ist gelöscht",
  deletedNext: (app) => `Sie können sich damit nicht mehr bei ${app} anmelden. Diese Seite können Sie schließen.`,
  notFoundTitle: "Das gibt es hier nicht mehr",
  notFoundNext: "Vielleicht wurde es gerade entfernt. Ihre Kontoseite zeigt, was es jetzt gibt.",
};
