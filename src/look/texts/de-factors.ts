import type { FactorTexts } from "./en-factors.ts";

export const factors: FactorTexts = {
  // Signing in.
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
  enterFactorCode: "Geben Sie Ihren Code ein.",
  enterRecoveryCode: "Geben Sie einen Wiederherstellungscode ein.",
  factorMalformed: "Geben Sie die sechs Ziffern ein, die Ihre App zeigt.",
  recoveryMalformed: "Geben Sie alle 24 Buchstaben und Ziffern eines Codes ein.",
  checkFactorCode: "Prüfen Sie Ihren Code und versuchen Sie es dann noch einmal.",
  factorWrong: "Dieser Code stimmt nicht oder wurde schon verwendet. Warten Sie auf den nächsten.",
  recoveryWrong: "Dieser Code stimmt nicht oder wurde schon verwendet.",
  factorBlocked: (app) =>
    `Codes gelten für dieses Konto zurzeit nicht, weil zu viele falsche eingegeben wurden. Verwenden Sie einen Passkey oder bitten Sie ${app} um Hilfe.`,

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

  // The account page.
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
};
