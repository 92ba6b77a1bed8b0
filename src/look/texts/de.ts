import type { Texts } from "./en.ts";

// Formal. A no-break space precedes "…", which stands for omitted words.
export const de: Texts = {
  // The frame.
  youAreOn: "Sie sind auf",
  openMailbox: "Entwicklungsmodus: Postfach öffnen",
  errorTitle: (title) => `Fehler: ${title}`,
  or: "oder",
  cancel: "Abbrechen",
  backTo: (app) => `Zurück zu ${app}`,
  terms: "Nutzungsbedingungen",
  privacy: "Datenschutz",
  support: "Hilfe",

  // Fields.
  email: "E-Mail-Adresse",
  password: "Passwort",
  name: "Name",
  optional: "Optional",
  showCharacters: "Zeichen anzeigen",
  hideCharacters: "Zeichen verbergen",
  show: "Anzeigen",
  hide: "Verbergen",

  // Signing in.
  signInTo: (app) => `Bei ${app} anmelden`,
  signIn: "Anmelden",
  signingIn: "Anmeldung läuft\u00a0…",
  puzzleTitle: "Einen Moment",
  puzzleWhy: "Dieser Browser rechnet kurz, um Roboter fernzuhalten. Danach geht es von selbst weiter.",
  puzzleNeedsScript:
    "Dieser Schritt braucht JavaScript. Schalten Sie es für diese Seite ein, oder melden Sie sich auf andere Weise an.",
  puzzleOrLink:
    "Ohne JavaScript können wir stattdessen einen Link schicken. Öffnen Sie ihn in diesem Browser und geben Sie dort Ihr Passwort ein.",
  puzzleSendLink: "Link per E-Mail senden",
  puzzleLinkSent:
    "Wenn es zu dieser Adresse ein Konto gibt und heute noch kein solcher Link gesendet wurde, ist er unterwegs. Öffnen Sie ihn in diesem Browser.",
  signInWithPasskey: "Mit Passkey anmelden",
  usingPasskey: "Warten auf Ihren Passkey\u00a0…",
  passkeyInOneLine: "Melden Sie sich mit Fingerabdruck, Gesicht oder Displaysperre an. Sie müssen sich nichts merken.",
  continueWith: (provider) => `Weiter mit ${provider}`,
  opening: (provider) => `${provider} wird geöffnet\u00a0…`,
  emailMeCode: "Code per E-Mail schicken",
  emailCodeInOneLine: "Wir schicken Ihnen eine E-Mail mit einem Code. Sie müssen sich nichts merken.",
  signInAs: "Sie melden sich mit dieser E-Mail-Adresse an:",
  forgotPassword: "Passwort vergessen?",
  newTo: (app) => `Neu bei ${app}?`,
  usedLast: "Zuletzt verwendet",

  // Creating an account.
  createAccountAt: (app) => `Konto bei ${app} anlegen`,
  createAccount: "Konto anlegen",
  creatingAccount: "Konto wird angelegt\u00a0…",
  createPasskey: "Passkey erstellen",
  creatingPasskey: "Passkey wird erstellt\u00a0…",
  orChoosePassword: "oder ein Passwort wählen",
  passwordRule: (length) => `Mindestens ${length} Zeichen. Am einfachsten sind ein paar Wörter hintereinander.`,
  strongEnough: "Stark genug",
  haveAccount: "Haben Sie schon ein Konto?",

  // Signing in to the account page, and confirming before adding a method.
  signInToAccount: (app) => `An Ihrem Konto bei ${app} anmelden`,
  confirmItsYou: "Bestätigen Sie, dass Sie es sind",
  confirmBefore: (app) => `Melden Sie sich noch einmal an, bevor Ihr Konto bei ${app} geändert wird:`,
  otherAccount: "Das ist ein anderes Konto. Melden Sie sich an dem Konto an, das hier genannt ist.",
  proveAddressWhy: (app) =>
    `${app} lässt Sie ein, sobald Ihre E-Mail-Adresse bestätigt ist. Wir schicken einen Code dorthin.`,
  proveAnewWhy: (provider, app) =>
    `${provider} sagt nicht, dass Sie sich dort gerade angemeldet haben. ${app} braucht einen weiteren Nachweis, dass Sie es sind.`,
  proveAnewNoWay: (provider, app) =>
    `${provider} sagt nicht, dass Sie sich dort gerade angemeldet haben, und nichts anderes in diesem Konto kann nachweisen, dass Sie es sind: Es hat keinen Passkey, kein Passwort und keine E-Mail-Adresse, an die wir einen Code senden können. Wenden Sie sich an ${app}.`,

  // The passkey step after signing in.
  usePasskeyTitle: "Jetzt noch Ihr Passkey",
  usePasskeyWhy: (app) => `${app} verlangt bei jeder Anmeldung einen Passkey.`,
  usePasskey: "Passkey verwenden",
  createPasskeyTitle: "Passkey erstellen und weiter",
  createPasskeyWhy: (app) => `${app} verlangt bei jeder Anmeldung einen Passkey, und Sie haben noch keinen.`,
  offerPasskeyTitle: "Nächstes Mal schneller anmelden",
  notNow: "Jetzt nicht",
  continuing: "Einen Moment\u00a0…",

  // Signed in to this browser already, and what a client of OpenID Connect asks for.
  continueAs: (name) => `Weiter als ${name}`,
  useAnotherAccount: "Anderes Konto verwenden",
  consentTitle: (client) => `${client} bittet um Zugriff`,
  consentQuestion: (client, app) => `Darf ${client} Ihr ${app}-Konto verwenden?`,
  consentGets: "Erlaubt wird:",
  consentAt: (resource) => `Es handelt in Ihrem Namen bei ${resource}:`,
  consentReturnsTo: "Danach geht es zurück zu",
  consentStaysHere:
    "Erlauben Sie dies nur, wenn Sie das Programm gerade selbst gestartet haben: Jedes Programm auf diesem Gerät könnte unter diesem Namen fragen.",
  callsItself: (name) => `Es nennt sich „${name}“.`,
  nobodyChecked: "Diesen Namen hat niemand geprüft.",
  scopeOpenid: "Wer Sie sind: eine gleichbleibende Kennung",
  scopeProfile: "Ihr Name und Ihr Bild",
  scopeEmail: "Ihre E-Mail-Adresse",
  scopeGroups: "Die Namen Ihrer Gruppen",
  scopeOrganization: "Ihre Organisation und Ihre Rollen darin",
  scopeOfOrganization: (name) => `Ihre Organisation ${name} und Ihre Rollen darin`,
  scopeOfflineAccess: "Zugriff auch in Ihrer Abwesenheit, bis Sie ihn beenden",
  scopeForwardAuth: (host) => `${host} in Ihrem Namen nutzen`,
  consentAgree: "Erlauben",
  consentDeny: "Ablehnen",

  // The first proof of an address, and what it removes.
  takeOverTitle: "Bevor es weitergeht",
  takeOverFor: (app) => `Ihr Konto bei ${app} mit dieser E-Mail-Adresse:`,
  takeOverWhy:
    "Diese E-Mail-Adresse war bisher nicht bestätigt; vielleicht hat jemand anderes das Konto eingerichtet. Damit nur Sie es nutzen können, wird beim Fortfahren Folgendes entfernt:",
  takeOverStays: "Der Name und alles andere im Konto bleiben erhalten.",
  takeOverAgree: "Entfernen und weiter",
  unprovenPassword: "das Passwort, das vor der Bestätigung der Adresse festgelegt wurde",
  unprovenPasskeys: (count) => `Passkeys: ${count}`,
  unprovenProvider: (provider) => `die Verknüpfung mit ${provider}`,
  unprovenApp: "die Authenticator-App mit ihren Wiederherstellungscodes",
  unprovenPrograms: (count) => `Programme mit Zugriff: ${count}`,
  unprovenLogins: (count) => `aktive Anmeldungen: ${count}`,
  enterPasswordToAgree: "Der Code stimmt. Geben Sie Ihr neues Passwort noch einmal ein, um zuzustimmen.",

  // Adding a sign-in method. The account is named below the heading.
  addTo: (app) => `Zu Ihrem Konto bei ${app}:`,
  addPasskeyTitle: "Passkey hinzufügen",
  addPasswordTitle: "Passwort hinzufügen",
  changePasswordTitle: "Passwort ändern",
  newPassword: "Neues Passwort",
  savePassword: "Passwort speichern",
  saving: "Wird gespeichert\u00a0…",
  addProviderTitle: (provider) => `${provider} hinzufügen`,
  addProviderNext: (provider) =>
    `Sie gehen einmal zu ${provider} und wählen dort Ihr Konto. Von da an können Sie sich damit anmelden.`,
  identityTaken: (provider) =>
    `Dieses Konto bei ${provider} gehört hier schon zu einem anderen Konto. Wählen Sie bei ${provider} ein anderes.`,
  identityThere: (provider) => `Mit diesem Konto bei ${provider} können Sie sich schon anmelden.`,

  // A code in a mail.
  checkMail: "Sehen Sie in Ihrem Postfach nach",
  code: "Code",
  codeHint: "Acht Ziffern aus der neuesten E-Mail.",
  mailedTo: "Wir haben eine E-Mail an diese Adresse geschickt:",
  mailedNext: "Geben Sie hier den Code daraus ein oder öffnen Sie den Link in diesem Browser.",
  confirmCode: "Bestätigen",
  confirming: "Wird bestätigt\u00a0…",
  noMail:
    "Nach einer Minute noch keine E-Mail? Sehen Sie im Spam-Ordner nach oder fordern Sie sie noch einmal an. Nur die neueste gilt.",
  sendAgain: "Noch einmal schicken",
  sending: "Wird geschickt\u00a0…",
  sentAgain: "Eine neue E-Mail ist unterwegs, sofern es in der letzten Stunde nicht schon mehrere waren.",
  wrongAddress: "Nicht Ihre Adresse?",
  otherAddress: "Andere verwenden",
  confirmAddress: "Bestätigen Sie Ihre E-Mail-Adresse",
  confirmAddressOf: (app) => `Ihr Konto bei ${app} wird mit dieser Adresse angelegt:`,
  confirmAddressFor: (app) => `Das wird die bestätigte Adresse Ihres Kontos bei ${app}:`,
  confirmAndContinue: (app) => `Bestätigen und weiter zu ${app}`,

  // Forgotten password.
  forgotLead: (app) =>
    `Geben Sie die E-Mail-Adresse Ihres Kontos bei ${app} ein. Wir schicken Ihnen einen Link und einen Code für ein neues Passwort.`,
  sendMail: "E-Mail schicken",
  resetMailedTo: (app) => `Wenn diese Adresse ein Konto bei ${app} hat, ist eine E-Mail unterwegs:`,
  resetMailedNext:
    "Öffnen Sie den Link auf einem beliebigen Gerät oder geben Sie hier den Code mit einem neuen Passwort ein.",
  chooseNewPassword: "Neues Passwort wählen",
  newPasswordWanted: (app) =>
    `${app} verlangt ein neues Passwort. Bis Sie es wählen, gilt Ihr jetziges für nichts anderes.`,
  newPasswordByMail: "Zuerst senden wir einen Code per E-Mail, damit niemand sonst es wählen kann:",
  newPasswordByReset: "Für dieses Konto braucht es dazu eine E-Mail mit einem Link oder Code.",
  newPasswordFor: (app) => `Für Ihr Konto bei ${app}:`,
  endsLogins: "Beim Speichern werden Sie überall abgemeldet.",
  resetPassword: "Passwort zurücksetzen",
  resetNotSetUp: (app) => `Bei ${app} kann man das Passwort noch nicht per E-Mail zurücksetzen.`,
  resetOrPasskey: (app) =>
    `Wenn Sie für dieses Konto einen Passkey haben, melden Sie sich damit an. Sonst hilft Ihnen der Support von ${app}.`,
  resetAskSupport: (app) => `Der Support von ${app} hilft Ihnen zurück in Ihr Konto.`,
  backToSignIn: "Zurück zur Anmeldung",

  // Passkeys: where the browser can't, and what the browser code says.
  passkeysNeedScript:
    "Passkeys brauchen JavaScript, und das ist in diesem Browser ausgeschaltet. Schalten Sie es für diese Seite ein und laden Sie sie neu.",
  passkeyNoSupport:
    "Dieser Browser kann keine Passkeys verwenden. Öffnen Sie diese Seite in einer aktuellen Version von Chrome, Edge, Firefox oder Safari oder auf Ihrem Smartphone.",
  passkeyNotUsed: "Es wurde kein Passkey verwendet. Versuchen Sie es noch einmal, wenn Sie so weit sind.",
  passkeyNotUsedOr:
    "Es wurde kein Passkey verwendet. Versuchen Sie es noch einmal, wenn Sie so weit sind, oder melden Sie sich anders an.",
  passkeyNotCreated: "Es wurde kein Passkey erstellt. Versuchen Sie es noch einmal, wenn Sie so weit sind.",
  passkeyNeedsLock:
    "Dieses Gerät kann nicht prüfen, dass Sie es sind. Richten Sie darauf eine Displaysperre, einen Fingerabdruck oder eine PIN ein und versuchen Sie es dann noch einmal.",
  offline: "Es besteht gerade keine Verbindung. Prüfen Sie Ihr Netz und versuchen Sie es dann noch einmal.",
  timedOut: (app) => `Diese Anmeldung ist abgelaufen. Gehen Sie zurück zu ${app} und beginnen Sie neu.`,

  // What went wrong and what to do next: the summary above the form.
  wrongCredentials:
    "E-Mail-Adresse und Passwort passen nicht zusammen. Versuchen Sie es noch einmal, setzen Sie Ihr Passwort zurück oder warten Sie ein paar Minuten.",
  tooManyTries: (wait) => `Zu viele Versuche. In ${wait} können Sie es noch einmal versuchen.`,
  tooManyTriesOrPasskey: (wait) =>
    `Zu viele Versuche. In ${wait} können Sie es noch einmal versuchen, oder Sie melden sich mit einem Passkey an.`,
  busy: "Gerade melden sich sehr viele Menschen an. Warten Sie ein paar Sekunden und versuchen Sie es dann noch einmal.",
  passkeyUnknown: (app) =>
    `Dieser Passkey gehört zu keinem Konto bei ${app}. Versuchen Sie es mit einem anderen oder melden Sie sich anders an.`,
  passkeyFailed: "Dieser Passkey ließ sich nicht prüfen. Versuchen Sie es noch einmal oder melden Sie sich anders an.",
  passkeyChanged:
    "Dieser Passkey hat sich geändert, seit er hier hinzugefügt wurde. Melden Sie sich anders an, entfernen Sie ihn und fügen Sie ihn neu hinzu.",
  passkeyNotSaved: "Dieser Passkey ließ sich nicht speichern. Versuchen Sie es noch einmal.",
  passkeyExists: "Auf diesem Gerät gibt es schon einen Passkey für dieses Konto. Melden Sie sich damit an.",
  passkeysFull:
    "Ihr Konto hat so viele Passkeys, wie es haben kann. Entfernen Sie zuerst einen, den Sie nicht mehr benutzen.",
  providerCancelled: (provider) =>
    `Sie sind von ${provider} zurück, ohne sich anzumelden. Versuchen Sie es noch einmal oder melden Sie sich anders an.`,
  providerNoEmail: (provider) =>
    `${provider} hat uns keine E-Mail-Adresse genannt. Erlauben Sie es dort und versuchen Sie es noch einmal, oder melden Sie sich anders an.`,
  providerUnsupportedEmail: (provider) =>
    `Ihre E-Mail-Adresse bei ${provider} lässt sich hier nicht verwenden. Verwenden Sie bei ${provider} eine andere oder melden Sie sich anders an.`,
  providerUnverifiedEmail: (provider) =>
    `Ihre E-Mail-Adresse ist bei ${provider} noch nicht bestätigt. Bestätigen Sie sie dort und versuchen Sie es dann noch einmal.`,
  providerExistingAccount: (provider, app) =>
    `Mit dieser E-Mail-Adresse gibt es schon ein Konto bei ${app}. Melden Sie sich wie gewohnt an; ${provider} können Sie danach hinzufügen.`,
  providerLinksAfter: (provider, app) =>
    `Zu dieser E-Mail-Adresse gibt es bei ${app} schon ein Konto. Melden Sie sich auf einem anderen Weg an; Ihr Konto bei ${provider} wird dann damit verknüpft.`,
  providerEmailRefused: (provider, app) =>
    `${app} nimmt die E-Mail-Adresse Ihres ${provider}-Kontos nicht an. Verwenden Sie ein anderes Konto oder einen anderen Weg.`,
  providerNoAccount: (provider, app) =>
    `Zu diesem Konto bei ${provider} gehört kein Konto bei ${app}, und neue kann man hier nicht anlegen.`,
  providerRefused: (provider, app) =>
    `${app} kann Sie mit diesem Konto bei ${provider} nicht anmelden. Melden Sie sich anders an, oder wenden Sie sich an ${app}.`,
  providerFailed: (provider) =>
    `${provider} hat nicht wie erwartet geantwortet. Versuchen Sie es noch einmal oder melden Sie sich anders an.`,
  cannotCreate:
    "Mit diesen Angaben konnten wir kein Konto anlegen. Wenn Sie schon eines haben, melden Sie sich damit an.",

  codeOver:
    "Dieser Code gilt nicht mehr: Er wurde schon verwendet, zu oft falsch eingegeben oder ist zu alt. Fordern Sie eine neue E-Mail an.",

  // The same in a few words, beside the field.
  codeMissing: "Geben Sie die acht Ziffern ein.",
  codeWrong: "Nicht der Code aus der neuesten E-Mail.",
  emailMissing: "Geben Sie Ihre E-Mail-Adresse ein.",
  emailInvalid: "Geben Sie eine Adresse wie name@example.com ein.",
  emailRefused: (app) => `${app} nimmt keine Adressen dieser Domain an. Verwenden Sie eine andere Adresse.`,
  emailOnlyOf: (app, domains) => `${app} nimmt nur Adressen von ${domains} an.`,
  emailUnsupported:
    "Buchstaben wie ü und Zeichen wie % sind hier vor dem @ nicht möglich. Verwenden Sie eine andere Adresse.",
  passwordMissing: "Geben Sie Ihr Passwort ein.",
  newPasswordMissing: "Geben Sie ein Passwort ein.",
  passwordTooShort: (length) => `Zu kurz. Es müssen mindestens ${length} Zeichen sein.`,
  passwordTooLong: (length) => `Zu lang. Es dürfen höchstens ${length} Zeichen sein.`,
  passwordCommon: "Dieses ist leicht zu erraten: Es steht auf Listen häufiger Passwörter.",
  passwordSame: "Das ist Ihr jetziges Passwort. Wählen Sie ein anderes.",
  passwordBreached: "Dieses ist in einem Datenleck aufgetaucht. Wählen Sie eines, das Sie sonst nirgends verwenden.",
  passwordOfCommonOnes: "Dieses besteht aus häufigen Passwörtern. Wählen Sie etwas weniger Vorhersehbares.",
  passwordOnKeyboard: "Das ist ein Tastaturmuster. Wählen Sie etwas weniger Vorhersehbares.",
  passwordRepeats: "Hier wiederholen sich dieselben Zeichen oder Wörter. Wählen Sie etwas weniger Vorhersehbares.",
  passwordIsSequence: "Das ist eine Folge wie abcd oder 1234. Wählen Sie etwas weniger Vorhersehbares.",
  passwordIsDate: "Das ist im Wesentlichen ein Datum. Wählen Sie etwas weniger Vorhersehbares.",
  passwordIsPersonal:
    "Das ist im Wesentlichen Ihr Name, Ihre E-Mail-Adresse oder der Name der App. Wählen Sie etwas weniger Vorhersehbares.",
  passwordPredictable: "Dieses ist zu leicht zu erraten. Wählen Sie etwas weniger Vorhersehbares.",
  passwordContext: (app) => `Nehmen Sie etwas anderes als Ihre E-Mail-Adresse oder den Namen ${app}.`,
  nameTooLong: (length) => `Zu lang. Es dürfen höchstens ${length} Zeichen sein.`,

  // Whole-page messages: a heading and what to do next.
  expiredTitle: "Diese Anmeldung ist abgelaufen",
  expiredNext: (app) => `Gehen Sie zurück zu ${app} und beginnen Sie neu.`,
  unknownNext: "Gehen Sie zurück zu der App, aus der Sie kommen, und beginnen Sie neu.",
  finishedTitle: "Sie sind angemeldet",
  finishedNext: (app) => `Sie können diese Seite schließen oder zu ${app} weitergehen.`,
  continueTo: (app) => `Weiter zu ${app}`,
  linkOverTitle: "Dieser Link gilt nicht mehr",
  linkOverNext:
    "Er wurde schon verwendet, ist zu alt oder durch eine neuere E-Mail ersetzt. Öffnen Sie die neueste E-Mail oder beginnen Sie in der App neu.",
  sendNewLink: "Neuen Link senden",
  linkElsewhereTitle: "Öffnen Sie diesen Link dort, wo Sie ihn angefordert haben",
  linkElsewhereNext:
    "Es wurde nichts bestätigt. Damit niemand Ihre Adresse für ein fremdes Konto verwenden kann, gilt der Link nur in dem Browser, in dem er angefordert wurde. Öffnen Sie ihn dort oder geben Sie auf der Seite, die dort wartet, den Code aus der E-Mail ein.",
  signInLinkElsewhereNext:
    "Es wurde niemand angemeldet. Der Link gilt nur in dem Browser, in dem er angefordert wurde. Öffnen Sie ihn dort oder geben Sie auf der Seite, die dort wartet, den Code aus der E-Mail ein. Wenn Sie ihn nicht angefordert haben, schließen Sie diese Seite.",
  inviteTitle: (app) => `Willkommen bei ${app}`,
  inviteNext: "Ein Konto mit dieser E-Mail-Adresse liegt für Sie bereit:",
  inviteChoose: "Wählen Sie, wie Sie sich anmelden.",
  invitePassword: "Passwort wählen",
  addressTakenTitle: "Diese Adresse kann nicht verwendet werden",
  addressTakenNext: (app) => `Ein anderes Konto bei ${app} hat sie. Es wurde nichts geändert.`,
  addressRestoredTitle: "Ihre E-Mail-Adresse ist wiederhergestellt",
  addressRestoredReset:
    "Alle wurden abgemeldet. Wählen Sie jetzt ein neues Passwort. Öffnen Sie danach Ihre Kontoseite und entfernen Sie Anmeldemethoden, die nicht Ihre sind.",
  addressRestoredNext:
    "Alle wurden abgemeldet. Melden Sie sich auf Ihrer Kontoseite an und entfernen Sie Anmeldemethoden, die nicht Ihre sind.",
  addressRestoredChoose: "Alle wurden abgemeldet, und es gibt keine Anmeldemethode mehr. Wählen Sie jetzt eine neue.",
  chooseMethod: "Anmeldemethode wählen",
  continueToAccount: "Kontoseite öffnen",
  pendingTitle: "Ihr Konto wartet auf Freigabe",
  pendingNext: (app) =>
    `Jemand bei ${app} prüft es. Sie bekommen eine E-Mail, sobald entschieden ist. Bis dahin können Sie sich nicht anmelden.`,
  accountCreatedTitle: "Ihr Konto ist angelegt",
  accountCreatedNext: (app) => `Ihre E-Mail-Adresse ist bestätigt. Gehen Sie weiter zu ${app} und melden Sie sich an.`,
  passwordChangedTitle: "Ihr Passwort ist geändert",
  passwordChangedNext: "Sie wurden überall abgemeldet. Melden Sie sich mit dem neuen Passwort an.",
  otherBrowserTitle: "Diese Anmeldung wurde in einem anderen Browser begonnen",
  otherBrowserNext: (app) =>
    `Schließen Sie sie dort ab, oder gehen Sie in diesem Browser zurück zu ${app} und beginnen Sie neu.`,
  otherBrowserNextUnknown: "Schließen Sie sie dort ab oder beginnen Sie in diesem Browser in der App neu.",
  badRedirectTitle: "Dieser Anmeldelink funktioniert nicht",
  badRedirectNext:
    "Die Adresse, zu der es zurückgehen soll, ist für diese App nicht eingetragen. Deshalb wurden Sie nicht weitergeleitet. Wenden Sie sich an die Betreiber der App.",
  badLinkTitle: "Dieser Link funktioniert nicht",
  badLinkNext:
    "Gehen Sie zurück zu der App, aus der Sie kommen, und versuchen Sie es noch einmal. Wenn es dann immer noch nicht geht, wenden Sie sich an die Betreiber der App.",
  badLinkDetails: "Diese Angaben helfen den Betreibern:",
  noPageTitle: "Hier gibt es keine Seite",
  noPageNext: "Prüfen Sie die Adresse oder gehen Sie zurück zu der App, aus der Sie kommen.",
  homeTitle: "Hier melden Sie sich an",
  homeNext: "Apps leiten Sie zum Anmelden hierher. Beginnen Sie in der App, die Sie benutzen möchten.",
  noMethodsTitle: "Hier kann man sich noch nicht anmelden",
  noMethodsNext: (app) => `${app} hat noch keine Anmeldemethode eingeschaltet. Wenden Sie sich an die Betreiber.`,
  noMethodsCommand:
    "Sie sind im Entwicklungsmodus. Schalten Sie mit diesem Befehl eine Methode ein und laden Sie die Seite neu:",
  crossSiteTitle: "Das kam nicht von dieser Seite",
  crossSiteNext: "Es wurde nichts geändert. Gehen Sie zurück zu der App, aus der Sie kommen, und beginnen Sie neu.",
  cookiesTitle: "Cookies sind ausgeschaltet",
  cookiesNext:
    "Zum Anmelden braucht diese Website ein Cookie. Erlauben Sie es in den Einstellungen Ihres Browsers und laden Sie diese Seite neu.",
  serverErrorTitle: "Etwas ist schiefgegangen",
  serverErrorNext: "Warten Sie einen Moment, gehen Sie zurück und versuchen Sie es noch einmal.",
  tooManyTitle: "Zu viele Versuche",
  tooManyNext: (wait) => `In ${wait} können Sie es noch einmal versuchen.`,
  busyTitle: "Gerade ist viel los",
  busyNext:
    "Sehr viele Menschen melden sich gerade an. Warten Sie ein paar Sekunden und versuchen Sie es dann noch einmal.",

  // The account page.
  accountTitle: (app) => `Ihr Konto bei ${app}`,
  backToAccount: "Zurück zu Ihrem Konto",
  onThisPage: "Auf dieser Seite",
  toSignIn: "Anmeldung",
  toDevices: "Geräte",
  toPrograms: "Programme",
  yourApps: "Ihre Apps",
  toTokens: "Zugriffstokens",
  toData: "Daten",

  // Profile.
  profile: "Profil",
  edit: "Bearbeiten",
  picture: "Bild",
  linkToPicture: "Link zu einem Bild",
  pictureHint: "Eine Adresse, die mit https:// beginnt. Apps zeigen das Bild neben Ihrem Namen.",
  openPicture: "Bild öffnen",
  initialsInstead:
    "Diese Seiten zeigen Ihre Initialen, damit die Website mit dem Bild nicht erfährt, wann Sie hier sind.",
  notSet: "Nicht angegeben",
  verified: "Bestätigt",
  notVerified: "Nicht bestätigt",
  verifyEmail: "Bestätigen",
  changeEmail: "E-Mail-Adresse ändern",
  changeEmailNext:
    "Eine E-Mail mit einem Code geht an die neue Adresse. Auch Ihre bisherige Adresse bekommt eine, mit einem Link, der die Änderung 7 Tage lang rückgängig macht.",
  newEmail: "Neue E-Mail-Adresse",
  emailSame: "Das ist schon Ihre Adresse.",
  emailTaken: (app) => `Ein anderes Konto bei ${app} hat diese Adresse.`,
  restoreTitle: "E-Mail-Adresse wiederherstellen",
  restoreNext: (app) => `Die E-Mail-Adresse Ihres Kontos bei ${app} wurde geändert. Diese wird wiederhergestellt:`,
  restoreEnds: "Alle werden in allen Browsern vom Konto abgemeldet.",
  restoreRemoves: "Auch das wird entfernt, weil jemand anders es kennen oder hinzugefügt haben kann:",
  restoreAlso: "Diese ebenfalls entfernen, falls sie nicht Ihre sind:",
  restore: "Adresse wiederherstellen",
  restoring: "Wird wiederhergestellt …",
  editProfile: "Profil bearbeiten",
  save: "Speichern",
  nameMissing: "Geben Sie Ihren Namen ein.",
  pictureNotHttps: "Geben Sie eine Adresse wie https://example.com/ich.png ein.",
  changePicture: "Ihr Bild ändern",
  pictureFile: "Bilddatei",
  pictureFileHint: "PNG, JPEG oder WebP. Apps zeigen es neben Ihrem Namen.",
  savePicture: "Bild speichern",
  removePicture: "Bild entfernen",
  undo: "Rückgängig machen",
  undoPictureNext: "Eine Stunde lang können Sie wiederherstellen, was vorher da war.",
  pictureNone: "Wählen Sie eine Datei.",
  pictureLarge: "Die Datei ist größer als 256 KB. Verkleinern Sie das Bild: 512 × 512 Pixel genügen.",
  pictureWide: "Das Bild ist mehr als 4096 Pixel breit oder hoch. Verkleinern Sie es.",
  pictureMoving: "Dieses Bild bewegt sich. Speichern Sie ein Einzelbild davon als PNG oder JPEG.",
  picturePrint: "Die Farben sind für den Druck (CMYK). Speichern Sie das Bild in RGB.",
  pictureBroken: "Die Datei ist beschädigt oder unvollständig. Speichern oder laden Sie sie noch einmal.",
  pictureOther: "Diese Art von Datei wird nicht überall angezeigt. Speichern Sie das Bild als JPEG oder PNG.",
  pictureTooLate: "Das lässt sich nicht mehr rückgängig machen.",

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
  connectMenu: "Verknüpfen\u00a0…",
  change: "Ändern",
  changePassword: "Passwort ändern",
  rename: "Umbenennen",
  renameNamed: (name) => `${name} umbenennen`,
  renameTitle: "Passkey umbenennen",
  renameHint: "Ein Name, der Ihnen sagt, wo dieser Passkey ist.",
  labelMissing: "Geben Sie einen Namen ein.",
  remove: "Entfernen",
  removeNamed: (name) => `${name} entfernen`,
  removePasswordTitle: "Ihr Passwort entfernen?",
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
  byActor: (name, app) => `${name}, im Auftrag der Betreiber von ${app}`,
  actorReason: (reason) => `Grund: ${reason}`,
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

  // Personal access tokens.
  tokens: "Persönliche Zugriffstokens",
  tokensNext: (app) => `Mit einem Token kann ein Programm Ihr Konto bei ${app} nutzen, ohne dass Sie sich anmelden.`,
  tokensOff: (app) => `${app} akzeptiert diese Tokens zurzeit nicht.`,
  tokenNeedsAddress: "Bestätigen Sie zuerst Ihre E-Mail-Adresse, um ein Token zu erstellen.",
  tokenAllowsNothing: (app) =>
    `Ein Token kann hier zurzeit nichts: ${app} funktioniert nur innerhalb einer Organisation, und Tokens gehören zu keiner. Fragen Sie die Betreiber von ${app}, welche Programme Tokens akzeptieren.`,
  newToken: "Neues Token",
  tokenFor: (name) => `Für ${name}`,
  tokenNameHint: "Ein Name, an dem Sie das Programm erkennen, das das Token nutzt.",
  tokenScopes: "Was das Token darf",
  tokenHosts: "Was das Token öffnet",
  tokenLastDay: "Letzter Tag",
  tokenLastDayHint: (lastDay, timeZone) =>
    `Das Token gilt bis zum Ende dieses Tages (${timeZone}). Wählbar ist ein Tag bis ${lastDay}.`,
  makeToken: "Token erstellen",
  makingToken: "Wird erstellt …",
  tokenNothingChosen: "Wählen Sie mindestens eine Sache, die das Token darf.",
  tokenDayMissing: "Wählen Sie heute oder einen späteren Tag.",
  tokenDayLate: (lastDay) => `Wählen Sie ${lastDay} oder einen früheren Tag.`,
  tokensFull: (max) => `Sie haben ${max} Tokens. Beenden Sie eines, das Sie nicht brauchen.`,
  tokenMadeTitle: "Bewahren Sie Ihr Token auf",
  tokenMadeNext:
    "Es wird nur jetzt angezeigt. Wer es hat, kann damit Ihr Konto nutzen. Bewahren Sie es so sicher auf wie ein Passwort.",
  tokenKept: "Ich habe es aufbewahrt",
  tokenEnds: (date) => `Läuft ab: ${date}`,
  endToken: "Beenden",
  endingToken: "Wird beendet …",
  endTokenNamed: (name) => `${name} beenden`,
  endTokensToo: "Auch meine persönlichen Zugriffstokens beenden",

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

  // Notices on the account page, after an action.
  noticeProfile: "Ihr Profil ist gespeichert.",
  noticePicture: "Ihr Bild ist gespeichert.",
  noticePictureRemoved: "Ihr Bild ist entfernt.",
  noticePictureUndone: "Die Änderung Ihres Bildes ist rückgängig gemacht.",
  noticeVerified: "Ihre E-Mail-Adresse ist bestätigt.",
  noticeEmail: "Ihre E-Mail-Adresse ist geändert.",
  noticeRenamed: "Der neue Name ist gespeichert.",
  noticeRemoved: "Diese Methode ist entfernt. Anmelden kann sich damit niemand mehr.",
  noticeAdded: (name) => `Ab jetzt können Sie sich mit ${name} anmelden.`,
  noticePassword: "Ihr Passwort ist gespeichert.",
  noticeLoginEnded: "Dieses Gerät ist abgemeldet.",
  noticeOthersEnded: "Sie sind überall sonst abgemeldet.",
  noticeTokenEnded: "Das Token ist beendet. Niemand kann es mehr nutzen.",
  noticeAccessRemoved: "Dieses Programm hat keinen Zugriff mehr auf Ihr Konto.",

  // Shown instead of the account page.
  noAccountTitle: "Öffnen Sie diese Seite aus Ihrer App",
  noAccountNext:
    "Jede App hat ihre eigene Kontoseite. Gehen Sie zu der App, die Sie verwenden, und öffnen Sie Ihr Konto dort.",
  signedOutTitle: "Sie sind abgemeldet",
  signedOutHere: "In diesem Browser ist niemand angemeldet.",
  signedOutNext: (app) => `Um Ihr Konto bei ${app} zu sehen oder zu ändern, melden Sie sich wieder an.`,
  notSignedInTitle: "Sie sind nicht angemeldet",
  notSignedInNext: (app) => `Um Ihr Konto bei ${app} zu sehen oder zu ändern, melden Sie sich an.`,
  readyTitle: "Ihr Konto ist eingerichtet",
  readyNext: (app) => `Melden Sie sich ab jetzt bei ${app} so an, wie Sie es eben gewählt haben.`,
  deletedTitle: "Ihr Konto ist gelöscht",
  deletedNext: (app) => `Sie können sich damit nicht mehr bei ${app} anmelden. Diese Seite können Sie schließen.`,
  notFoundTitle: "Das gibt es hier nicht mehr",
  notFoundNext: "Vielleicht wurde es gerade entfernt. Ihre Kontoseite zeigt, was es jetzt gibt.",

  // Second factors: signing in.
  factorTitle: "Code eingeben",
  factorNext: (app) => `Öffnen Sie Ihre Authenticator-App und geben Sie den Code ein, den sie für ${app} zeigt.`,
  factorHint: "Sechs Ziffern.",
  useRecoveryCode: "Wiederherstellungscode verwenden",
  useAppCode: "Authenticator-App verwenden",
  recoveryTitle: "Wiederherstellungscode eingeben",
  recoveryNext:
    "Verwenden Sie einen der Codes, die Sie beim Einrichten Ihrer Authenticator-App aufbewahrt haben. Jeder gilt einmal.",
  recoveryCode: "Wiederherstellungscode",
  recoveryHint: "24 Buchstaben und Ziffern, mit oder ohne Bindestriche.",
  trustBrowser: (days) => `In diesem Browser ${days} ${days === 1 ? "Tag" : "Tage"} lang nicht fragen`,
  factorLost: (app) => `Authenticator-App und Wiederherstellungscodes verloren? Bitten Sie ${app} um Hilfe.`,
  factorMalformed: "Geben Sie die sechs Ziffern ein, die Ihre App zeigt.",
  recoveryMalformed: "Geben Sie alle 24 Buchstaben und Ziffern eines Codes ein.",
  factorWrong: "Dieser Code stimmt nicht oder wurde schon verwendet. Warten Sie auf den nächsten.",
  recoveryWrong: "Dieser Code stimmt nicht oder wurde schon verwendet.",
  factorBlockedTitle: "Codes gelten zurzeit nicht",
  factorBlocked: "Für dieses Konto wurden zu viele falsche Codes eingegeben.",
  factorBlockedPasskey: "Verwenden Sie stattdessen Ihren Passkey. Danach gelten Codes wieder.",

  // The operator's link for people who lost their app.
  recoverTitle: "Ohne Code anmelden",
  recoverNext: (app) => `Dieser Link ist für Ihr Konto bei ${app}:`,
  recoverRemoves:
    "Melden Sie sich noch einmal an. Danach werden Ihre Authenticator-App und Ihre Wiederherstellungscodes entfernt, und Sie können eine neue App einrichten.",

  // Setting an authenticator app up.
  setUpTitle: "Authenticator-App einrichten",
  setUpWhy: (app) => `${app} fragt nach einem Code aus einer solchen App, wenn Sie sich ohne Passkey anmelden.`,
  setUpNext: "Wenn Sie sich ohne Passkey anmelden, werden Sie dann auch nach einem Code aus dieser App gefragt.",
  setUpScan: "Scannen Sie dies mit einer Authenticator-App auf Ihrem Telefon:",
  setUpQrCode: "QR-Code mit dem Schlüssel darunter",
  setUpHere: "In einer App auf diesem Telefon öffnen",
  setUpTyped: "Oder geben Sie diesen Schlüssel in der App ein:",
  setUpCode: "Code, den die App zeigt",
  setUpCodeHint: "Sechs Ziffern. Sie zeigen, dass die App den Schlüssel hat.",
  turnOn: "Aktivieren",
  turningOn: "Wird aktiviert\u00a0…",
  setUpOver: "Diese Seite war zu lange offen, oder Ihr Konto hat sich geändert. Scannen Sie den neuen Code.",

  // Recovery codes.
  codesTitle: "Wiederherstellungscodes aufbewahren",
  codesNext:
    "Wenn Sie Ihre Authenticator-App nicht zur Hand haben, geben Sie stattdessen einen dieser Codes ein. Jeder gilt einmal. Sie werden nur jetzt gezeigt, bewahren Sie sie deshalb sicher auf.",
  codesDownload: "Herunterladen",
  codesPrint: "Drucken",
  codesKept: "Ich habe sie aufbewahrt",
  codesAway: "Ihre Wiederherstellungscodes wurden einmal gezeigt. Neue bekommen Sie auf Ihrer Kontoseite.",
  codeUsedTitle: "Sie haben einen Wiederherstellungscode verwendet",
  codesLeft: (count) =>
    count === 0 ? "Sie haben keinen mehr." : `Sie haben noch ${count} ${count === 1 ? "Code" : "Codes"}.`,
  codesFew: "Holen Sie sich neue auf Ihrer Kontoseite. Wenn Ihre App nicht mehr funktioniert, ersetzen Sie sie dort.",
  appNotUsed:
    "Sie haben sich ohne Ihre Authenticator-App angemeldet. Falls sie nicht mehr funktioniert, ersetzen Sie sie jetzt.",
  continue: "Weiter",

  // Second factors on the account page.
  secondStep: "Zweiter Schritt",
  secondStepNext: "Mit einer Authenticator-App kommt niemand allein mit Ihrem Passwort in Ihr Konto.",
  authenticatorApp: "Authenticator-App",
  codesBlocked:
    "Codes gelten zurzeit nicht, weil zu viele falsche eingegeben wurden. Damit sie wieder gelten, ersetzen Sie die App.",
  setUp: "Einrichten",
  replace: "Ersetzen",
  replaceTitle: "Authenticator-App ersetzen",
  replaceNext: "Ihre jetzige App gilt, bis die neue aktiviert ist. Sie bekommen auch neue Wiederherstellungscodes.",
  recoveryCodes: "Wiederherstellungscodes",
  recoveryCodesLeft: (count) => `Noch ${count}`,
  codesRunOut: "Holen Sie sich neue, bevor keine mehr da sind.",
  newCodes: "Neue Codes holen",
  newCodesTitle: "Neue Wiederherstellungscodes holen?",
  newCodesNext: "Die Codes, die Sie jetzt haben, gelten dann nicht mehr.",
  removeFactorTitle: "Ihre Authenticator-App entfernen?",
  removeFactorNext:
    "Bei der Anmeldung werden Sie nicht mehr nach einem Code gefragt. Auch Ihre Wiederherstellungscodes gelten dann nicht mehr.",
  factorRequired: (app) =>
    `${app} verlangt einen zweiten Schritt, deshalb lässt sich die App nicht entfernen. Sie können sie ersetzen.`,
  trustedUntil: (date) => `Bis ${date} ohne Code`,
  askAgain: "Wieder fragen",
  askAgainNamed: (browser) => `Wieder fragen: ${browser}`,
  noticeFactorAdded: "Ihre Authenticator-App ist eingerichtet.",
  noticeFactorRemoved: "Ihre Authenticator-App ist entfernt.",
  noticeTrustEnded: "In diesem Browser wird wieder nach einem Code gefragt.",

  // Signing in on a device that has no browser.
  deviceTitle: "Auf Ihrem Gerät anmelden",
  deviceLead: "Geben Sie den Code ein, den Ihr Gerät anzeigt.",
  deviceLeadFilled: "Prüfen Sie, ob Ihr Gerät diesen Code anzeigt.",
  deviceCodeHint: "Acht Buchstaben, zum Beispiel WDJB-MJHT.",
  deviceInFront:
    "Machen Sie nur weiter, wenn der Code auf einem Gerät vor Ihnen steht. Wenn Ihnen jemand den Code geschickt hat, brechen Sie hier ab: Sonst kommt diese Person in Ihr Konto.",
  deviceEnterCode: "Code eingeben",
  deviceCodeMalformed: "Geben Sie alle acht Buchstaben ein.",
  deviceCodeWrong: "Dieser Code gilt nicht oder nicht mehr.",
  deviceAskTitle: (client) => `${client} anmelden?`,
  deviceAccount: (app) => `Das Gerät nutzt dann Ihr ${app}-Konto:`,
  deviceAskedAt: (when) => `Das Gerät hat am ${when} darum gebeten, von dieser Adresse:`,
  deviceAllowedTitle: "Sie können zu Ihrem Gerät zurück",
  deviceAllowedNext: "Dort geht es in wenigen Sekunden von selbst weiter. Sie können diese Seite schließen.",
  deviceDeniedTitle: "Es wurde nichts erlaubt",
  deviceDeniedNext: "Das Gerät wurde nicht angemeldet. Sie können diese Seite schließen.",
  deviceOverTitle: "Dieser Code gilt nicht mehr",
  deviceOverNext: "Er wurde schon verwendet oder ist zu alt. Holen Sie auf Ihrem Gerät einen neuen.",
  deviceNotAdmittedTitle: "Dieses Konto kann hier nicht verwendet werden",
  deviceNotAdmittedNext: (app) =>
    `Wer ${app} betreibt, lässt nur bestimmte Konten dieses Programm nutzen. Geben Sie den Code noch einmal ein und wählen Sie ein anderes Konto.`,

  // The organization of a sign-in.
  organizationTitle: "Organisation auswählen",
  organizationLead: (app) => `Für welche Organisation möchten Sie ${app} verwenden?`,
  organizationLost: "Die zuletzt verwendete Organisation steht Ihnen nicht mehr zur Verfügung.",
  organizationFilter: "Organisation suchen",
  organizationFind: "Suchen",
  organizationNoMatch: "Sie haben keine Organisation mit diesem Namen.",
  organizationOffer: (domain: string) => `Ihre Adresse gehört zu ${domain}. Sie können dieser Organisation beitreten.`,
  organizationWithout: "Ohne Organisation weiter",
  organizationNeededTitle: "Sie brauchen eine Organisation",
  organizationNeededNext: (app) =>
    `${app} ist für Mitglieder einer Organisation. Bitten Sie die Verwaltung Ihrer Organisation um eine Einladung.`,
  organizationNeededOrCreate: (app) =>
    `${app} ist für Mitglieder einer Organisation. Legen Sie eine an, oder bitten Sie die Verwaltung Ihrer Organisation um eine Einladung.`,
  organizationInvitedTitle: "Sie sind eingeladen",
  organizationInvitedLead: "Treten Sie jetzt bei, oder entscheiden Sie später auf Ihrer Kontoseite.",
  organizationJoinNamed: (name) => `${name} beitreten`,
  organizationDeclineNamed: (name) => `Einladung von ${name} ablehnen`,
  organizationName: "Name der Organisation",
  organizationNameRefused: "Geben Sie einen Namen mit höchstens 64 Zeichen ein, der keine Webadresse ist.",
  organizationTooMany: "Sie haben schon die höchstmögliche Zahl von Organisationen angelegt.",
  // An invitation into an organization.
  organizationInviteTitle: (organization) => `${organization} beitreten?`,
  organizationInviteFor: "Diese Einladung gilt für die Person mit dieser Adresse:",
  organizationInviteOther: "Sie sind mit einer anderen Adresse angemeldet.",
  organizationInviteVerify:
    "Bestätigen Sie zuerst, dass das Ihre Adresse ist. Öffnen Sie dann den Link in der E-Mail noch einmal.",
  organizationJoin: "Beitreten",
  organizationDecline: "Ablehnen",
  organizationInviteFull:
    "Sie können jetzt nicht beitreten: Die Organisation hat schon so viele Mitglieder, wie sie haben darf. Fragen Sie die Person, die Sie eingeladen hat.",

  // The page of an organization.
  organizations: "Ihre Organisationen",
  organizationsNone: "Sie sind in keiner Organisation.",
  organizationInvitations: "Einladungen",
  organizationCreate: "Organisation anlegen",
  organizationOwnRoles: "Ihre Rollen:",
  organizationMembers: "Mitglieder",
  organizationMore: "Weitere Mitglieder",
  organizationOwner: "Eigentümer",
  organizationAdmin: "Administrator",
  organizationMember: "Mitglied",
  organizationRolesOf: (name) => `Rollen von ${name}`,
  organizationRoles: "Rollen",
  organizationWithdraw: (email) => `Einladung an ${email} zurückziehen`,
  organizationAddresses: "E-Mail-Adressen, eine je Zeile",
  organizationSendInvitations: "Einladungen senden",
  organizationDomains: "Domains",
  organizationDomainsNext:
    "Wer eine Adresse einer bestätigten Domain hat, kann beitreten. Möglich sind bis zu 10 Domains.",
  organizationDomain: "Domain",
  organizationDomainAdd: "Domain hinzufügen",
  organizationDomainPending: "Noch nicht bestätigt",
  organizationDomainWaiting: "Bestätigt, aber bei einer anderen Organisation",
  organizationDomainProved: "Bestätigt",
  organizationDomainLapsed: "Verloren, weil der Eintrag fehlt",
  organizationDomainRecord: "Um die Domain zu bestätigen, tragen Sie diesen TXT-Eintrag in ihr DNS ein.",
  organizationDomainFound: (values: string) => `Dort gefunden: ${values}`,
  organizationDomainMissing: "Es gibt keinen solchen Eintrag.",
  organizationDomainUnknown: (reason: string) => `Keine Antwort der Nameserver (${reason}). Das ändert nichts.`,
  organizationDomainDoubled: (name: string) =>
    `Der Eintrag liegt unter ${name}. Lassen Sie die Domain in seinem Namen weg.`,
  organizationDomainCheck: (domain: string) => `${domain} prüfen`,
  organizationDomainJoin: (domain: string) => `Wer über ${domain} beitreten kann`,
  organizationJoinOff: "Niemand",
  organizationJoinAsk: "Wer auf eine Schaltfläche klickt",
  organizationJoinOn: "Neue Konten automatisch, andere per Klick",
  organizationSettings: "Einstellungen",
  organizationSlug: "Kurzname in Webadressen",
  organizationPolicyOff: "Aus",
  organizationPolicyRequired: "Erforderlich",
  organizationLeave: "Organisation verlassen",
  organizationDelete: "Organisation löschen",
  organizationDeleteNext:
    "Danach kann niemand sie mehr nutzen. Nach 7 Tagen wird sie endgültig gelöscht; bis dahin kann jeder Eigentümer sie behalten.",
  organizationDeletedNext:
    "Ab jetzt kann niemand sie nutzen. Nach 7 Tagen wird sie endgültig gelöscht; bis dahin kann jeder Eigentümer sie behalten.",
  organizationKeep: "Organisation behalten",
  organizationSaved: "Gespeichert.",
  organizationRefused: "Das war nicht möglich. Prüfen Sie Ihre Eingabe und ob Ihre Rollen das erlauben.",
  organizationConflict:
    "Das ist jetzt nicht möglich. Eine Organisation braucht einen Eigentümer, und die Zahl der Mitglieder und Änderungen ist begrenzt.",
  organizationChanged: (value) =>
    `Nichts wurde gespeichert, weil jemand anderes das inzwischen geändert hat. Speichern Sie noch einmal, um zu ersetzen, was jetzt dort steht: ${value}`,
  organizationSlugRefused:
    "Verwenden Sie 2 bis 48 Zeichen aus a–z, 0–9 und Bindestrich und einen freien Namen. Er lässt sich 3-mal ändern.",
  organizationDomainRefused: "Geben Sie eine eigene Domain wie example.com ein. Möglich sind 10.",
  setupTitle: (organization) => `Anmeldung von ${organization} einrichten`,
  setupCodeLead: "Dieser Link öffnet sich mit einem Code. Wir senden ihn an diese Adresse:",
  setupNext: "Nichts, was Sie hier hinzufügen, gilt, bevor ein Eigentümer der Organisation es bestätigt.",
  setupProvider: "Identitätsanbieter",
  setupAdded: "Hinzugefügt. Ein Eigentümer der Organisation probiert und bestätigt ihn:",
  setupOpen: "Öffnen Sie dort:",
  setupIssuerLike: "Der Aussteller sieht so aus:",
  setupRefused:
    "Das war nicht möglich. Prüfen Sie Client-ID und Client-Secret. Vielleicht wartet schon ein anderer Anbieter auf einen Eigentümer.",
  setupAsk: "Jemanden um die Einrichtung bitten",
  setupEnd: (email) => `Link für ${email} beenden`,
  setupAskNext:
    "Die Person bekommt einen Link, der 7 Tage gilt, und fügt Domain und Identitätsanbieter hinzu. Sie bestätigen, was hinzugefügt wurde.",
  setupSend: "Link senden",
  setupConfirmDomain: (domain) => `${domain} bestätigen, hinzugefügt über einen Einrichtungslink`,
  organizationNotInvited: (addresses) => `Nicht eingeladen: ${addresses}`,
  organizationOwnerless:
    "Diese Organisationen haben außer Ihnen keinen Eigentümer. Ohne Eigentümer kann sie niemand mehr verwalten. Machen Sie vorher ein anderes Mitglied zum Eigentümer.",
  organizationHandOver: (name) => `Neuen Eigentümer für ${name} wählen`,
  organizationActivity: "Verlauf",
  organizationBy: (name) => `Von ${name}`,
  organizationDidCreate: "Organisation angelegt",
  organizationDidUpdate: "Einstellungen geändert",
  organizationDidDisable: "Organisation gesperrt",
  organizationDidEnable: "Organisation entsperrt",
  organizationDidLoseOwner: "Kein Eigentümer mehr",
  organizationDidInvite: "Einladung gesendet",
  organizationDidWithdraw: "Einladung zurückgezogen",
  organizationDidAccept: "Einladung angenommen",
  organizationDidDecline: "Einladung abgelehnt",
  organizationDidAdd: "Mitglied hinzugefügt",
  organizationDidSetRoles: "Rollen geändert",
  organizationDidLeave: "Mitglied ausgetreten",
  organizationDidRemove: "Mitglied entfernt",
  organizationDidAddDomain: "Domain hinzugefügt",
  organizationDidUpdateDomain: "Beitritt über eine Domain geändert",
  organizationDidRemoveDomain: "Domain entfernt",
  organizationDidProveDomain: "Domain bestätigt",
  organizationDidLoseDomain: "Domain verloren",

  // The organization's own provider, on its page.
  ownProvider: "Firmenanmeldung",
  ownProviderLead:
    "Mitglieder melden sich bei dieser Organisation mit ihrem Firmenkonto an. Das öffnet diese Organisation und sonst nichts.",
  ownProviderDomainFirst: "Bestätigen Sie zuerst eine Domain: Nur für Adressen dort spricht der Anbieter.",
  ownProviderSetting: "Identitätsanbieter",
  ownProviderCallback: "Tragen Sie diese Redirect-URI beim Anbieter ein:",
  ownProviderIssuer: "Aussteller (Issuer)",
  ownProviderClientId: "Client-ID",
  ownProviderSecret: "Client-Secret",
  ownProviderSecretKept: "Leer lassen, um das gespeicherte zu behalten.",
  ownProviderFixed: "Beim Anbieter kann niemand seine E-Mail-Adresse selbst wählen",
  ownProviderSave: "Anbieter speichern",
  ownProviderWorks: "Aktiv",
  ownProviderFails: (since, reason) => `Gestört seit ${since}: ${reason}`,
  ownProviderWaits: "Wartet, bis ein Eigentümer ihn ausprobiert und bestätigt hat",
  ownProviderWorksFrom: (time) => `Gilt ab ${time}. Ein anderer Eigentümer kann vorher zustimmen.`,
  ownProviderByLink: "Über einen Einrichtungslink eingetragen",
  ownProviderTry: "Ausprobieren",
  ownProviderRequire: "Mitglieder müssen sich darüber anmelden",
  ownProviderRequireNext:
    "Ohne dies kommen Personen mit Passkey oder Passwort hinein, bis sie hier entfernt werden. Mit ihm kommt ein Eigentümer weiterhin mit eigener Anmeldung und zweitem Schritt hinein.",
  ownProviderUseFirst:
    "Melden Sie sich zuerst mit Ihrem eigenen Konto über den Anbieter an: Das darf höchstens eine Stunde her sein.",
  ownProviderConfirm: "Einschalten",
  ownProviderAgree: "Zustimmen: Es gilt sofort",
  ownProviderRemove: "Anbieter entfernen",
  ownProviderRemoveNext: (count) =>
    `Anmeldungen darüber enden sofort. Personen ohne anderen Zugang: ${count}. Ein Code per E-Mail lässt sie einen wählen.`,
  ownProviderRelinks: "Neue Identitäten",
  ownProviderRelinksNext:
    "Kennt der Anbieter die Personen unter neuen Identitäten, können die hier genannten Mitglieder ihre 14 Tage lang verknüpfen. Eine E-Mail-Adresse pro Zeile.",
  ownProviderRelinkOpen: "Neue Identität erlauben",
  ownProviderRelinkAsks: "Ein Eigentümer muss zustimmen",
  ownProviderRelinkAgree: (name) => `${name} eine neue Identität erlauben`,
  ownProviderRefused: (reason) => `Der Anbieter kann nicht verwendet werden. Nötig: ${reason}.`,
  ownProviderSaid: (host) => `Was ${host} gesagt hat`,
  ownProviderTrialFailed: (reason) => `Es wurde niemand genannt: ${reason}`,
  ownProviderTrialYou: "Es funktioniert: Eine Anmeldung mit diesem Konto öffnet die Organisation als Sie.",
  ownProviderTrialOpens: (person) => `Eine Anmeldung mit diesem Konto öffnet die Organisation als ${person}.`,
  ownProviderTrialLinks: (person) =>
    `Eine Anmeldung mit diesem Konto verlangt zuerst, dass ${person} das hiesige Konto nachweist, und verknüpft es dann.`,
  ownProviderTrialNew: "Eine Anmeldung mit diesem Konto legt ein neues Mitglied an.",
  ownProviderTrialStranger:
    "Eine Anmeldung mit diesem Konto wird abgelehnt: Niemand hat diese Adresse eingeladen, und über die Domain tritt niemand bei.",
  ownProviderTrialSubject:
    "Eine Anmeldung mit diesem Konto wird abgelehnt: Die Person hier ist mit einem anderen Konto beim Anbieter verknüpft.",
  ownProviderTrialRefused:
    "Eine Anmeldung mit diesem Konto wird abgelehnt: Das hiesige Konto mit dieser Adresse ist gesperrt, oder seine Adresse ist nicht bestätigt.",
  ownProviderTrialDomain: (host) =>
    `Eine Anmeldung mit diesem Konto wird abgelehnt: ${host} spricht nur für Adressen bestätigter Domains dieser Organisation.`,
  ownProviderTrialHosted:
    "Eine Anmeldung mit diesem Konto wird abgelehnt: Es ist kein Konto der Firma bei Google (hd).",
  ownProviderExempt: "Darf sich ohne die Firmenanmeldung anmelden",
  ownProviderDid: "Firmenanmeldung geändert",
  ownProviderDidLink: "Firmenkonto verknüpft",
  setupLinkDidMail: "Einrichtungslink verschickt",
  setupLinkDidOpen: "Einrichtungslink geöffnet",
  setupLinkDidEnd: "Einrichtungslink beendet",

  // Über den Anbieter einer Organisation.
  companySignIn: "Mit der Firma anmelden",
  companyAddressNext:
    "Gib die E-Mail-Adresse deiner Arbeit ein. Der Teil nach dem @ führt zur eigenen Anmeldung deiner Firma.",
  companyOwnWays: "Anders anmelden",
  companyNone: "Mit einer solchen Adresse meldet sich hier keine Firma an. Prüfe sie oder melde dich anders an.",
  companyBeforeTitle: (organization) => `Bei ${organization} anmelden`,
  companyBeforeNext: (host) => `Du gehst zu ${host}, um dich anzumelden. Mach nur weiter, wenn du diesen Namen kennst.`,
  companyRequired: (organization) =>
    `${organization} verlangt, dass sich Mitglieder auch über den eigenen Anbieter anmelden.`,
  companyAfterTitle: (organization) => `Weiter zu ${organization}?`,
  companyProveTitle: "Zeig zuerst, dass du es bist",
  companySays: (host) => `Laut ${host} bist du:`,
  companyMailbox: "Ob diese Adresse dir gehört, steht dort nicht. Ein Code in einer E-Mail zeigt es einmal.",
  companyLink: (app, organization) =>
    `Bei ${app} gibt es schon ein Konto mit dieser Adresse. Melde dich einmal an, dann wird die Anmeldung von ${organization} damit verbunden.`,
  companyRelink: (organization) =>
    `${organization} hat eine neue Anmeldung. Zeig einmal, dass das Konto dir gehört, um sie zu verbinden.`,
  companyJoins: (organization) => `Du wirst Mitglied von ${organization}.`,
  companyLinks: (organization) => `Von jetzt an führt die Anmeldung von ${organization} zu diesem Konto.`,
  companyOpens: (organization) =>
    `Das öffnet nur ${organization}. Wer diese Anmeldung betreibt, kann dort als du hinein, sonst nirgends.`,
  companyRefusedTitle: (organization) => `Du kommst jetzt nicht zu ${organization}`,
  companyStranger: (organization) =>
    `Du bist hier kein Mitglied von ${organization}. Bitte die Person, die es verwaltet, dich mit dieser Adresse einzuladen.`,
  companyOtherSubject: (organization) =>
    `Das Konto mit dieser Adresse gehört zu einer anderen Anmeldung von ${organization}. Bitte die Person, die es verwaltet, dass du die neue verbinden darfst.`,
  companyAsksOwner: (organization) =>
    `Erst muss eine Person zustimmen, der ${organization} gehört. Dann wird die neue Anmeldung verbunden.`,
  companyUnproven: (app) =>
    `Bei ${app} gibt es ein Konto mit dieser Adresse, aber niemand hat die Adresse bestätigt. Melde dich anders an und bestätige sie zuerst.`,
  companyOtherAccount: (host) => `Bei ${host} bist du jemand anderes als hier. Wähle an beiden Orten dieselbe Person.`,
  companyChanged: (organization) => `Die Anmeldung von ${organization} hat sich gerade geändert. Beginne noch einmal.`,
  companyOtherDomain: (host, organization) =>
    `Das Konto bei ${host} hat keine Adresse von ${organization}. Wähle dort dein Konto der Arbeit.`,
  firstMethod: "Noch kein Passwort und kein Passkey?",
  firstMethodTitle: "Wähle, wie du dich anmeldest",
  firstMethodNext: (app) =>
    `Für alle, die zu ${app} nur über ihre Firma kommen. Mit einem Code in einer E-Mail, und deinem zweiten Schritt, falls du einen hast, wählst du ein erstes Passwort oder einen Passkey.`,
  firstMethodOver:
    "Dieses Konto hat schon einen Weg zum Anmelden, oder es braucht einen neuen Code. Melde dich an oder beginne noch einmal.",
  companyOrganizations:
    "Wer dein E-Mail-Postfach betreibt, kann dein Passwort zurücksetzen. Ein zweiter Schritt auf deiner Kontoseite verhindert das.",

  // At a host that a proxy protects.
  hostSignInTo: (host) => `Bei ${host} anmelden`,
  hostFormTitle: "Melden Sie sich an und senden Sie dann noch einmal",
  hostFormNext: (host) =>
    `Es wurde nichts gesendet, weil Sie bei ${host} nicht angemeldet sind. Melden Sie sich in einem neuen Tab an, kommen Sie dann zurück und laden Sie diese Seite neu.`,
  hostFrameNext: "Dieser Teil der Seite ist nutzbar, sobald Sie angemeldet sind.",
  hostAgainTitle: "Melden Sie sich noch einmal an",
  hostAgainNext: (host) => `Diese Anmeldung bei ${host} wurde schon benutzt oder in einem anderen Browser begonnen.`,
  hostRepeatedTitle: (host) => `Ihr Browser bleibt bei ${host} nicht angemeldet`,
  hostRepeatedNext: "Er hat das Cookie nicht zurückgesendet, das er bekommen hat. Die üblichen Ursachen:",
  hostRepeatedCookies: (host) =>
    `Cookies von ${host} sind blockiert. Erlauben Sie sie in den Einstellungen Ihres Browsers.`,
  hostRepeatedHttp: (host) => `${host} wurde mit http geöffnet. Öffnen Sie es mit https.`,
  hostRepeatedClock: "Die Uhr dieses Geräts geht falsch. Stellen Sie sie.",
  hostTryAgain: "Noch einmal versuchen",
  hostRefusedTitle: (host) => `Mit diesem Konto können Sie ${host} nicht nutzen`,
  hostRefusedNext: (host) => `Bitten Sie die Betreiber von ${host} um Zugang oder verwenden Sie ein anderes Konto.`,
  hostFactorNext: (host) =>
    `${host} verlangt einen zweiten Faktor. Melden Sie sich noch einmal an, um Ihren zu benutzen oder einen einzurichten.`,
  hostIncompleteNext: (host) =>
    `${host} braucht eine Angabe, die in diesem Konto fehlt. Bitten Sie die Betreiber, sie zu ergänzen:`,
  hostSignedOutNext: (host) => `Um ${host} wieder zu nutzen, melden Sie sich an.`,
  hostProviderNext: (provider) =>
    `${provider} meldet Sie vielleicht ohne Nachfrage wieder an. Um das zu verhindern, melden Sie sich auch bei ${provider} ab.`,
  hostTooLongNext: "Die Adresse, die Sie geöffnet haben, ist zu lang, um dorthin zurückzukehren.",

  // What is asked before a sign-in continues: terms and profile.
  termsTitle: (app) => `Nutzungsbedingungen von ${app}`,
  termsNext: (app) => `Stimmen Sie den Nutzungsbedingungen von ${app} zu, um fortzufahren.`,
  termsOptional: (app) => `${app} hat neue Nutzungsbedingungen. Sie können auch fortfahren, ohne ihnen zuzustimmen.`,
  termsRead: (version) => `Nutzungsbedingungen lesen (${version})`,
  termsAccept: "Zustimmen und fortfahren",
  termsDecline: "Ablehnen",
  termsDeclineNext: "Wenn Sie ablehnen, werden Sie nicht angemeldet.",
  profileTitle: "Profil vervollständigen",
  profileNext: (app) => `${app} fragt nach einigen Angaben.`,
  profileNothing: "Es gibt nichts mehr zu beantworten.",
  chooseOption: "Auswählen …",
  fieldMissing: "Füllen Sie dieses Feld aus.",
  fieldUnticked: "Setzen Sie dieses Häkchen, um fortzufahren.",
  fieldText: (length) => `Verwenden Sie eine Zeile Text mit höchstens ${length} Zeichen.`,
  fieldNumber: "Geben Sie eine Zahl wie 12.5 ein.",
  fieldDate: "Geben Sie ein Datum ein, das es gibt.",
  fieldChoice: "Wählen Sie eine der Möglichkeiten.",
  fieldPhone: "Geben Sie eine Telefonnummer wie +49 30 901820 ein.",
  fieldsTooLong: "Ihre Antworten sind zusammen zu lang. Kürzen Sie sie.",
  ticked: "Ja",
  unticked: "Nein",
};
