import type { FactorTexts } from "./en-factors.ts";

export const factors: FactorTexts = {
  // Signing in.
  factorTitle: "Saisissez votre code",
  factorNext: (app) => `Ouvrez votre application d’authentification et saisissez le code qu’elle affiche pour ${app}.`,
  factorHint: "Six chiffres.",
  useRecoveryCode: "Utiliser un code de secours",
  useAppCode: "Utiliser votre application d’authentification",
  recoveryTitle: "Saisissez un code de secours",
  recoveryNext:
    "Utilisez l’un des codes que vous avez gardés en configurant votre application d’authentification. Chacun sert une seule fois.",
  recoveryCode: "Code de secours",
  recoveryHint: "24 lettres et chiffres, avec ou sans les tirets.",
  trustBrowser: (days) => `Ne plus demander dans ce navigateur pendant ${days} ${days === 1 ? "jour" : "jours"}`,
  factorLost: (app) =>
    `Vous avez perdu votre application d’authentification et vos codes de secours\u202f? Demandez de l’aide à ${app}.`,
  enterFactorCode: "Saisissez votre code.",
  enterRecoveryCode: "Saisissez un code de secours.",
  factorMalformed: "Saisissez les six chiffres que votre application affiche.",
  recoveryMalformed: "Saisissez les 24 lettres et chiffres d’un seul code.",
  checkFactorCode: "Vérifiez votre code, puis réessayez.",
  factorWrong: "Ce code n’est pas le bon, ou il a déjà servi. Attendez le suivant.",
  recoveryWrong: "Ce code n’est pas le bon, ou il a déjà servi.",
  factorBlocked: (app) =>
    `Les codes ne fonctionnent plus pour ce compte, car trop de codes erronés ont été saisis. Utilisez une clé d’accès, ou demandez de l’aide à ${app}.`,

  // The operator's link for people who lost their app.
  recoverTitle: "Se connecter sans code",
  recoverNext: (app) => `Ce lien est destiné à votre compte ${app}\u202f:`,
  recoverRemoves:
    "Connectez-vous encore une fois. Votre application d’authentification et vos codes de secours seront alors supprimés, et vous pourrez configurer une nouvelle application.",

  // Setting an authenticator app up.
  setUpTitle: "Configurer une application d’authentification",
  setUpWhy: (app) => `${app} demande un code d’une telle application quand vous vous connectez sans clé d’accès.`,
  setUpNext: "Quand vous vous connecterez sans clé d’accès, un code de cette application vous sera aussi demandé.",
  setUpScan: "Scannez ceci avec une application d’authentification sur votre téléphone\u202f:",
  setUpQrCode: "Code QR contenant la clé ci-dessous",
  setUpHere: "Ouvrir dans une application de ce téléphone",
  setUpTyped: "Ou saisissez cette clé dans l’application\u202f:",
  setUpCode: "Code affiché par l’application",
  setUpCodeHint: "Six chiffres. Ils montrent que l’application a la clé.",
  turnOn: "Activer",
  turningOn: "Activation…",
  setUpOver: "Cette page est restée ouverte trop longtemps, ou votre compte a changé. Scannez le nouveau code.",

  // Recovery codes.
  codesTitle: "Gardez vos codes de secours",
  codesNext:
    "Quand vous n’avez pas votre application d’authentification, saisissez l’un de ces codes à la place. Chacun sert une seule fois. Ils ne sont affichés que maintenant\u202f: gardez-les en lieu sûr.",
  codesDownload: "Télécharger",
  codesPrint: "Imprimer",
  codesKept: "Je les ai gardés",
  codesAway:
    "Vos codes de secours ont été affichés une fois. Vous pouvez en obtenir de nouveaux sur la page de votre compte.",
  codeUsedTitle: "Vous avez utilisé un code de secours",
  codesLeft: (count) =>
    count === 0 ? "Il ne vous en reste aucun." : `Il vous reste ${count} ${count === 1 ? "code" : "codes"}.`,
  codesFew:
    "Obtenez-en de nouveaux sur la page de votre compte. Si votre application ne fonctionne plus, remplacez-la sur cette page.",
  appNotUsed:
    "Vous vous êtes connecté sans votre application d’authentification. Si elle ne fonctionne plus, remplacez-la maintenant.",
  continue: "Continuer",

  // The account page.
  secondStep: "Deuxième étape",
  secondStepNext: "Avec une application d’authentification, personne n’entre avec votre seul mot de passe.",
  authenticatorApp: "Application d’authentification",
  codesBlocked:
    "Les codes ne fonctionnent plus, car trop de codes erronés ont été saisis. Pour les utiliser de nouveau, remplacez l’application.",
  setUp: "Configurer",
  replace: "Remplacer",
  replaceTitle: "Remplacer votre application d’authentification",
  replaceNext:
    "L’application actuelle fonctionne jusqu’à l’activation de la nouvelle. Vous recevez aussi de nouveaux codes de secours.",
  recoveryCodes: "Codes de secours",
  recoveryCodesLeft: (count) => (count === 1 ? `${count} restant` : `${count} restants`),
  codesRunOut: "Obtenez-en de nouveaux avant de ne plus en avoir.",
  newCodes: "Obtenir de nouveaux codes",
  newCodesTitle: "Obtenir de nouveaux codes de secours\u202f?",
  newCodesNext: "Les codes que vous avez maintenant ne fonctionneront plus.",
  removeFactorTitle: "Supprimer votre application d’authentification\u202f?",
  removeFactorNext:
    "Aucun code ne vous sera plus demandé à la connexion. Vos codes de secours ne fonctionneront plus non plus.",
  factorRequired: (app) =>
    `${app} exige une deuxième étape, l’application ne peut donc pas être supprimée. Vous pouvez la remplacer.`,
  trustedUntil: (date) => `Aucun code demandé jusqu’au ${date}`,
  askAgain: "Redemander",
  askAgainNamed: (browser) => `Redemander\u202f: ${browser}`,
  noticeFactorAdded: "Votre application d’authentification est configurée.",
  noticeFactorRemoved: "Votre application d’authentification est supprimée.",
  noticeTrustEnded: "Un code sera de nouveau demandé dans ce navigateur.",
};
