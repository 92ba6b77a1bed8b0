import type { Texts } from "./en.ts";

// Formal and gender-neutral. A narrow no-break space (U+202F) precedes ":", ";" and "?", and is
// used inside « ». No "de" before a name, which would have to become "d’" before a vowel.
export const fr: Texts = {
  // The frame.
  youAreOn: "Vous êtes sur",
  openMailbox: "Mode développement\u202f: ouvrir la boîte de réception",
  errorTitle: (title) => `Erreur\u202f: ${title}`,
  or: "ou",
  cancel: "Annuler",
  backTo: (app) => `Retour à ${app}`,
  terms: "Conditions d’utilisation",
  privacy: "Confidentialité",
  support: "Assistance",

  // Fields.
  email: "Adresse e-mail",
  password: "Mot de passe",
  name: "Nom",
  optional: "Facultatif",
  showCharacters: "Afficher les caractères",
  hideCharacters: "Masquer les caractères",
  show: "Afficher",
  hide: "Masquer",

  // Signing in.
  signInTo: (app) => `Se connecter à ${app}`,
  signIn: "Se connecter",
  signingIn: "Connexion…",
  puzzleTitle: "Un instant",
  puzzleWhy: "Ce navigateur effectue un court calcul pour écarter les robots. La suite est automatique.",
  puzzleNeedsScript: "Cette étape nécessite JavaScript. Activez-le pour cette page ou connectez-vous autrement.",
  puzzleOrLink:
    "Sans JavaScript, nous pouvons vous envoyer un lien par e-mail. Ouvrez-le dans ce navigateur, puis saisissez-y votre mot de passe.",
  puzzleSendLink: "M’envoyer un lien",
  puzzleLinkSent:
    "Si un compte existe avec cette adresse et qu’aucun lien de ce type n’a été envoyé aujourd’hui, il est en route. Ouvrez-le dans ce navigateur.",
  signInWithPasskey: "Se connecter avec une clé d’accès",
  usingPasskey: "En attente de votre clé d’accès…",
  passkeyInOneLine: "Connectez-vous avec votre empreinte, votre visage ou le verrouillage de l’écran. Rien à retenir.",
  continueWith: (provider) => `Continuer avec ${provider}`,
  opening: (provider) => `Redirection vers ${provider}…`,
  emailMeCode: "Recevoir un code par e-mail",
  emailCodeInOneLine: "Nous vous envoyons un e-mail avec un code. Rien à retenir.",
  signInAs: "Vous vous connectez avec cette adresse e-mail\u202f:",
  forgotPassword: "Mot de passe oublié\u202f?",
  newTo: (app) => `Première visite sur ${app}\u202f?`,
  usedLast: "Dernière utilisation",

  // Creating an account.
  createAccountAt: (app) => `Créer votre compte ${app}`,
  createAccount: "Créer un compte",
  creatingAccount: "Création du compte…",
  createPasskey: "Créer une clé d’accès",
  creatingPasskey: "Création de votre clé d’accès…",
  orChoosePassword: "ou choisir un mot de passe",
  passwordRule: (length) => `Au moins ${length} caractères. Le plus simple\u202f: quelques mots à la suite.`,
  strongEnough: "Assez solide",
  haveAccount: "Vous avez déjà un compte\u202f?",

  // Signing in to the account page, and confirming before adding a method.
  signInToAccount: (app) => `Se connecter à votre compte ${app}`,
  confirmItsYou: "Confirmez que c’est bien vous",
  confirmBefore: (app) => `Connectez-vous de nouveau avant de modifier votre compte ${app}\u202f:`,
  otherAccount: "C’est un autre compte. Connectez-vous à celui indiqué ici.",
  proveAddressWhy: (app) =>
    `${app} vous laisse entrer dès que votre adresse e-mail est confirmée. Nous y envoyons un code.`,
  proveAnewWhy: (provider, app) =>
    `${provider} ne dit pas que vous venez de vous y connecter. ${app} demande une preuve de plus que c’est bien vous.`,
  proveAnewNoWay: (provider, app) =>
    `${provider} ne dit pas que vous venez de vous y connecter, et rien d’autre dans ce compte ne peut prouver que c’est bien vous\u202f: il n’a ni clé d’accès, ni mot de passe, ni adresse e-mail à laquelle nous pouvons envoyer un code. Contactez ${app}.`,

  // The passkey step after signing in.
  usePasskeyTitle: "Utilisez maintenant votre clé d’accès",
  usePasskeyWhy: (app) => `${app} demande une clé d’accès à chaque connexion.`,
  usePasskey: "Utiliser votre clé d’accès",
  createPasskeyTitle: "Créez une clé d’accès pour continuer",
  createPasskeyWhy: (app) => `${app} demande une clé d’accès à chaque connexion, et vous n’en avez pas encore.`,
  offerPasskeyTitle: "Connectez-vous plus vite la prochaine fois",
  notNow: "Pas maintenant",
  continuing: "Un instant…",

  // Signed in to this browser already, and what a client of OpenID Connect asks for.
  continueAs: (name) => `Continuer en tant que ${name}`,
  useAnotherAccount: "Utiliser un autre compte",
  consentTitle: (client) => `${client} demande un accès`,
  consentQuestion: (client, app) => `Autoriser ${client} à utiliser votre compte ${app}\u202f?`,
  consentGets: "Cela comprend\u202f:",
  consentAt: (resource) => `Il agit en votre nom auprès de ${resource}\u202f:`,
  consentReturnsTo: "Vous retournerez à",
  consentStaysHere:
    "N’autorisez que si vous venez de lancer ce programme vous-même\u202f: n’importe quel programme de cet appareil pourrait demander sous ce nom.",
  callsItself: (name) => `Il se présente sous le nom «\u202f${name}\u202f».`,
  nobodyChecked: "Personne n’a vérifié ce nom.",
  scopeOpenid: "Qui vous êtes\u202f: un identifiant qui reste le même",
  scopeProfile: "Votre nom et votre photo",
  scopeEmail: "Votre adresse e-mail",
  scopeGroups: "Les noms de vos groupes",
  scopeOrganization: "Votre organisation et les rôles que vous y avez",
  scopeOfOrganization: (name) => `Votre organisation ${name} et les rôles que vous y avez`,
  scopeOfflineAccess: "Un accès aussi en votre absence, jusqu’à ce que vous y mettiez fin",
  scopeForwardAuth: (host) => `Utiliser ${host} en votre nom`,
  consentAgree: "Autoriser",
  consentDeny: "Refuser",

  // The first proof of an address, and what it removes.
  takeOverTitle: "Avant de continuer",
  takeOverFor: (app) => `Votre compte ${app} pour cette adresse e-mail\u202f:`,
  takeOverWhy:
    "Cette adresse e-mail n’avait encore jamais été confirmée\u202f: quelqu’un d’autre a peut-être configuré le compte. Pour que vous seul puissiez l’utiliser, les éléments suivants sont supprimés si vous continuez\u202f:",
  takeOverStays: "Le nom et tout le reste du compte sont conservés.",
  takeOverAgree: "Supprimer et continuer",
  unprovenPassword: "le mot de passe défini avant la confirmation de l’adresse",
  unprovenPasskeys: (count) => `clés d’accès\u202f: ${count}`,
  unprovenProvider: (provider) => `l’association avec ${provider}`,
  unprovenApp: "l’application d’authentification, avec ses codes de secours",
  unprovenPrograms: (count) => `programmes ayant accès\u202f: ${count}`,
  unprovenLogins: (count) => `sessions actives\u202f: ${count}`,
  enterPasswordToAgree: "Le code est correct. Saisissez à nouveau votre nouveau mot de passe pour accepter.",

  // Adding a sign-in method. The account is named below the heading.
  addTo: (app) => `À votre compte ${app}\u202f:`,
  addPasskeyTitle: "Ajouter une clé d’accès",
  addPasswordTitle: "Ajouter un mot de passe",
  changePasswordTitle: "Changer votre mot de passe",
  newPassword: "Nouveau mot de passe",
  savePassword: "Enregistrer le mot de passe",
  saving: "Enregistrement…",
  addProviderTitle: (provider) => `Ajouter ${provider}`,
  addProviderNext: (provider) =>
    `Vous passez une fois par ${provider} pour indiquer quel compte est le vôtre. Il vous permettra ensuite de vous connecter.`,
  identityTaken: (provider) =>
    `Ce compte ${provider} est déjà associé à un autre compte ici. Choisissez-en un autre chez ${provider}.`,
  identityThere: (provider) => `Ce compte ${provider} vous permet déjà de vous connecter.`,

  // A code in a mail.
  checkMail: "Consultez vos e-mails",
  code: "Code",
  codeHint: "Huit chiffres, dans l’e-mail le plus récent.",
  mailedTo: "Nous avons envoyé un e-mail à cette adresse\u202f:",
  mailedNext: "Saisissez ici le code qu’il contient, ou ouvrez son lien dans ce navigateur.",
  confirmCode: "Confirmer",
  confirming: "Confirmation…",
  noMail:
    "Toujours rien après une minute\u202f? Regardez dans les courriers indésirables, ou faites renvoyer l’e-mail. Seul le plus récent fonctionne.",
  sendAgain: "Renvoyer",
  sending: "Envoi…",
  sentAgain: "Un nouvel e-mail est en route, sauf s’il y en a déjà eu plusieurs depuis une heure.",
  wrongAddress: "Ce n’est pas votre adresse\u202f?",
  otherAddress: "En utiliser une autre",
  confirmAddress: "Confirmez votre adresse e-mail",
  confirmAddressOf: (app) => `Votre compte ${app} sera créé avec cette adresse\u202f:`,
  confirmAddressFor: (app) => `Cette adresse devient l’adresse confirmée de votre compte ${app}\u202f:`,
  confirmAndContinue: (app) => `Confirmer et continuer vers ${app}`,

  // Forgotten password.
  forgotLead: (app) =>
    `Saisissez l’adresse e-mail de votre compte ${app}. Nous vous envoyons un lien et un code pour choisir un nouveau mot de passe.`,
  sendMail: "Envoyer l’e-mail",
  resetMailedTo: (app) => `Si cette adresse a un compte ${app}, un e-mail est en route\u202f:`,
  resetMailedNext:
    "Ouvrez son lien sur n’importe quel appareil, ou saisissez ici son code avec un nouveau mot de passe.",
  chooseNewPassword: "Choisissez un nouveau mot de passe",
  newPasswordWanted: (app) => `${app} demande un nouveau mot de passe. D’ici là, l’actuel ne sert à rien d’autre.`,
  newPasswordByMail: "Nous envoyons d’abord un code par e-mail, pour que personne d’autre ne puisse le choisir\u202f:",
  newPasswordByReset: "Pour ce compte, il faut un e-mail avec un lien ou un code.",
  newPasswordFor: (app) => `Pour votre compte ${app}\u202f:`,
  endsLogins: "L’enregistrement vous déconnecte partout.",
  resetPassword: "Réinitialiser votre mot de passe",
  resetNotSetUp: (app) => `La réinitialisation par e-mail n’est pas encore disponible pour ${app}.`,
  resetOrPasskey: (app) =>
    `Si vous avez une clé d’accès pour ce compte, connectez-vous avec elle. Sinon, demandez de l’aide à l’assistance ${app}.`,
  resetAskSupport: (app) => `Demandez de l’aide à l’assistance ${app} pour retrouver votre compte.`,
  backToSignIn: "Retour à la connexion",

  // Passkeys: where the browser can't, and what the browser code says.
  passkeysNeedScript:
    "Les clés d’accès ont besoin de JavaScript, désactivé dans ce navigateur. Activez-le pour cette page, puis rechargez-la.",
  passkeyNoSupport:
    "Ce navigateur ne prend pas en charge les clés d’accès. Ouvrez cette page dans une version récente de Chrome, Edge, Firefox ou Safari, ou sur votre téléphone.",
  passkeyNotUsed: "Aucune clé d’accès n’a été utilisée. Réessayez quand vous voulez.",
  passkeyNotUsedOr: "Aucune clé d’accès n’a été utilisée. Réessayez quand vous voulez, ou connectez-vous autrement.",
  passkeyNotCreated: "Aucune clé d’accès n’a été créée. Réessayez quand vous voulez.",
  passkeyNeedsLock:
    "Cet appareil ne peut pas vérifier que c’est vous. Configurez-y un verrouillage d’écran, une empreinte ou un code PIN, puis réessayez.",
  offline: "Il n’y a pas de connexion pour le moment. Vérifiez votre réseau, puis réessayez.",
  timedOut: (app) => `Cette connexion a expiré. Retournez à ${app} et recommencez.`,

  // What went wrong and what to do next: the summary above the form.
  wrongCredentials:
    "L’adresse e-mail et le mot de passe ne correspondent pas. Réessayez, réinitialisez votre mot de passe ou attendez quelques minutes.",
  tooManyTries: (wait) => `Trop de tentatives. Vous pourrez réessayer dans ${wait}.`,
  tooManyTriesOrPasskey: (wait) =>
    `Trop de tentatives. Vous pourrez réessayer dans ${wait}, ou vous connecter avec une clé d’accès.`,
  busy: "Beaucoup de monde se connecte en ce moment. Attendez quelques secondes, puis réessayez.",
  passkeyUnknown: (app) =>
    `Cette clé d’accès n’est associée à aucun compte ${app}. Essayez-en une autre, ou connectez-vous autrement.`,
  passkeyFailed: "Cette clé d’accès n’a pas pu être vérifiée. Réessayez, ou connectez-vous autrement.",
  passkeyChanged:
    "Cette clé d’accès a changé depuis son ajout ici. Connectez-vous autrement, puis supprimez-la et ajoutez-la de nouveau.",
  passkeyNotSaved: "Cette clé d’accès n’a pas pu être enregistrée. Réessayez.",
  passkeyExists: "Cet appareil a déjà une clé d’accès pour ce compte. Connectez-vous avec elle.",
  passkeysFull:
    "Votre compte a déjà autant de clés d’accès que possible. Supprimez d’abord celle que vous n’utilisez plus.",
  providerCancelled: (provider) =>
    `La connexion avec ${provider} n’a pas été terminée. Réessayez, ou connectez-vous autrement.`,
  providerNoEmail: (provider) =>
    `${provider} n’a pas transmis d’adresse e-mail. Autorisez-le chez ${provider} et réessayez, ou connectez-vous autrement.`,
  providerUnsupportedEmail: (provider) =>
    `Votre adresse e-mail chez ${provider} ne peut pas être utilisée ici. Utilisez-en une autre chez ${provider}, ou connectez-vous autrement.`,
  providerUnverifiedEmail: (provider) =>
    `Votre adresse e-mail n’est pas encore confirmée chez ${provider}. Confirmez-la chez ${provider}, puis réessayez.`,
  providerExistingAccount: (provider, app) =>
    `Il existe déjà un compte ${app} avec cette adresse e-mail. Connectez-vous-y comme d’habitude\u202f; vous pourrez ajouter ${provider} ensuite.`,
  providerLinksAfter: (provider, app) =>
    `Cette adresse e-mail a déjà un compte chez ${app}. Connectez-vous d’une autre façon\u202f: votre compte ${provider} y sera alors associé.`,
  providerEmailRefused: (provider, app) =>
    `${app} n’accepte pas l’adresse e-mail de votre compte ${provider}. Utilisez un autre compte ou un autre moyen.`,
  providerNoAccount: (provider, app) =>
    `Aucun compte ${app} n’est associé à ce compte ${provider}, et ${app} n’en crée pas de nouveaux ici.`,
  providerRefused: (provider, app) =>
    `${app} ne peut pas vous connecter avec ce compte ${provider}. Connectez-vous autrement, ou contactez ${app}.`,
  providerFailed: (provider) => `${provider} n’a pas répondu comme prévu. Réessayez, ou connectez-vous autrement.`,
  cannotCreate: "Impossible de créer un compte avec ces informations. Si vous en avez déjà un, connectez-vous.",

  codeOver:
    "Ce code n’est plus valable\u202f: il a déjà servi, a été essayé trop souvent ou est trop ancien. Demandez un nouvel e-mail.",

  // The same in a few words, beside the field.
  codeMissing: "Saisissez les huit chiffres.",
  codeWrong: "Ce n’est pas le code de l’e-mail le plus récent.",
  emailMissing: "Saisissez votre adresse e-mail.",
  emailInvalid: "Saisissez une adresse comme nom@example.com.",
  emailRefused: (app) => `${app} n’accepte pas les adresses de ce domaine. Utilisez une autre adresse.`,
  emailOnlyOf: (app, domains) => `${app} n’accepte que les adresses de ${domains}.`,
  emailUnsupported:
    "Les lettres comme ü et les signes comme % ne sont pas acceptés ici avant le @. Utilisez une autre adresse.",
  passwordMissing: "Saisissez votre mot de passe.",
  newPasswordMissing: "Saisissez un mot de passe.",
  passwordTooShort: (length) => `Trop court. Il faut au moins ${length} caractères.`,
  passwordTooLong: (length) => `Trop long. Le maximum est de ${length} caractères.`,
  passwordCommon: "Facile à deviner\u202f: il figure dans les listes de mots de passe courants.",
  passwordSame: "C’est votre mot de passe actuel. Choisissez-en un autre.",
  passwordBreached: "Il figure dans une fuite de données. Choisissez-en un que vous n’utilisez nulle part ailleurs.",
  passwordOfCommonOnes: "Il est composé de mots de passe courants. Choisissez quelque chose de moins prévisible.",
  passwordOnKeyboard: "C’est une suite de touches du clavier. Choisissez quelque chose de moins prévisible.",
  passwordRepeats: "Il répète les mêmes caractères ou les mêmes mots. Choisissez quelque chose de moins prévisible.",
  passwordIsSequence: "C’est une suite comme abcd ou 1234. Choisissez quelque chose de moins prévisible.",
  passwordIsDate: "C’est surtout une date. Choisissez quelque chose de moins prévisible.",
  passwordIsPersonal:
    "C’est surtout votre nom, votre adresse e-mail ou le nom de l’application. Choisissez quelque chose de moins prévisible.",
  passwordPredictable: "Il est trop facile à deviner. Choisissez quelque chose de moins prévisible.",
  passwordContext: (app) => `Choisissez autre chose que votre adresse e-mail ou le nom ${app}.`,
  nameTooLong: (length) => `Trop long. Le maximum est de ${length} caractères.`,

  // Whole-page messages: a heading and what to do next.
  expiredTitle: "Cette connexion a expiré",
  expiredNext: (app) => `Retournez à ${app} et recommencez.`,
  unknownNext: "Retournez à l’application d’où vous venez et recommencez.",
  finishedTitle: "Connexion réussie",
  finishedNext: (app) => `Vous pouvez fermer cette page, ou continuer vers ${app}.`,
  continueTo: (app) => `Continuer vers ${app}`,
  linkOverTitle: "Ce lien ne fonctionne plus",
  linkOverNext:
    "Il a déjà servi, il est trop ancien ou un e-mail plus récent l’a remplacé. Ouvrez l’e-mail le plus récent, ou recommencez depuis l’application.",
  sendNewLink: "Envoyer un nouveau lien",
  linkElsewhereTitle: "Ouvrez ce lien là où vous l’avez demandé",
  linkElsewhereNext:
    "Rien n’a été confirmé. Pour que personne ne puisse utiliser votre adresse pour son propre compte, le lien ne fonctionne que dans le navigateur qui l’a demandé. Ouvrez-le dans ce navigateur, ou saisissez le code de l’e-mail sur la page qui y attend.",
  signInLinkElsewhereNext:
    "Personne n’a été connecté. Le lien ne fonctionne que dans le navigateur qui l’a demandé. Ouvrez-le dans ce navigateur, ou saisissez le code de l’e-mail sur la page qui y attend. Si vous ne l’avez pas demandé, fermez cette page.",
  inviteTitle: (app) => `Bienvenue chez ${app}`,
  inviteNext: "Un compte vous attend, avec cette adresse e-mail\u202f:",
  inviteChoose: "Choisissez votre moyen de connexion.",
  invitePassword: "Choisir un mot de passe",
  addressTakenTitle: "Cette adresse ne peut pas être utilisée",
  addressTakenNext: (app) => `Un autre compte ${app} l’utilise. Rien n’a été changé.`,
  addressRestoredTitle: "Votre adresse e-mail est rétablie",
  addressRestoredReset:
    "Tout le monde a été déconnecté. Choisissez maintenant un nouveau mot de passe. Ouvrez ensuite la page de votre compte et supprimez les moyens de connexion qui ne sont pas les vôtres.",
  addressRestoredNext:
    "Tout le monde a été déconnecté. Connectez-vous sur la page de votre compte et supprimez les moyens de connexion qui ne sont pas les vôtres.",
  addressRestoredChoose:
    "Tout le monde a été déconnecté, et il ne reste aucun moyen de connexion. Choisissez-en un maintenant.",
  chooseMethod: "Choisir un moyen de connexion",
  continueToAccount: "Ouvrir la page de votre compte",
  pendingTitle: "Votre compte attend une approbation",
  pendingNext: (app) =>
    `Quelqu’un chez ${app} l’examine. Vous recevrez un e-mail dès que la décision sera prise. D’ici là, vous ne pouvez pas vous connecter.`,
  accountCreatedTitle: "Votre compte est créé",
  accountCreatedNext: (app) => `Votre adresse e-mail est confirmée. Continuez vers ${app} et connectez-vous.`,
  passwordChangedTitle: "Votre mot de passe a été modifié",
  passwordChangedNext: "Toutes vos connexions ont pris fin. Connectez-vous avec votre nouveau mot de passe.",
  otherBrowserTitle: "Cette connexion a commencé dans un autre navigateur",
  otherBrowserNext: (app) => `Terminez-la là-bas, ou retournez à ${app} dans ce navigateur et recommencez.`,
  otherBrowserNextUnknown: "Terminez-la là-bas, ou recommencez depuis l’application dans ce navigateur.",
  badRedirectTitle: "Ce lien de connexion ne fonctionne pas",
  badRedirectNext:
    "L’adresse de retour n’est pas enregistrée par cette application. La redirection n’a donc pas eu lieu. Prévenez les responsables de l’application.",
  badLinkTitle: "Ce lien ne fonctionne pas",
  badLinkNext:
    "Retournez à l’application d’où vous venez et réessayez. Si cela ne fonctionne toujours pas, prévenez les responsables de l’application.",
  badLinkDetails: "Informations à leur transmettre\u202f:",
  noPageTitle: "Il n’y a pas de page ici",
  noPageNext: "Vérifiez l’adresse, ou retournez à l’application d’où vous venez.",
  homeTitle: "C’est ici que l’on se connecte",
  homeNext:
    "Les applications vous amènent ici pour vous connecter. Commencez depuis l’application que vous voulez utiliser.",
  noMethodsTitle: "Il n’y a pas encore de moyen de se connecter",
  noMethodsNext: (app) => `Aucun moyen de connexion n’est activé pour ${app}. Prévenez ses responsables.`,
  noMethodsCommand:
    "Vous êtes en mode développement. Activez un moyen de connexion avec cette commande, puis rechargez la page\u202f:",
  crossSiteTitle: "Cela ne vient pas de cette page",
  crossSiteNext: "Rien n’a été modifié. Retournez à l’application d’où vous venez et recommencez.",
  cookiesTitle: "Les cookies sont désactivés",
  cookiesNext:
    "La connexion a besoin d’un cookie sur ce site. Autorisez-le dans les réglages de votre navigateur, puis rechargez cette page.",
  serverErrorTitle: "Un problème est survenu",
  serverErrorNext: "Attendez un instant, puis revenez en arrière et réessayez.",
  tooManyTitle: "Trop de tentatives",
  tooManyNext: (wait) => `Vous pourrez réessayer dans ${wait}.`,
  busyTitle: "Il y a beaucoup de monde",
  busyNext: "Beaucoup de monde se connecte en ce moment. Attendez quelques secondes, puis réessayez.",

  // The account page.
  accountTitle: (app) => `Votre compte ${app}`,
  backToAccount: "Retour à votre compte",
  onThisPage: "Sur cette page",
  toSignIn: "Connexion",
  toDevices: "Appareils",
  toPrograms: "Programmes",
  yourApps: "Vos applications",
  toTokens: "Jetons",
  toData: "Données",

  // Profile.
  profile: "Profil",
  edit: "Modifier",
  picture: "Image",
  linkToPicture: "Lien vers une image",
  pictureHint: "Une adresse qui commence par https://. Les applications affichent l’image à côté de votre nom.",
  openPicture: "Ouvrir l’image",
  initialsInstead: "Ces pages affichent vos initiales, pour que le site de l’image ne sache pas quand vous êtes ici.",
  notSet: "Non renseigné",
  verified: "Confirmée",
  notVerified: "Non confirmée",
  verifyEmail: "Confirmer",
  changeEmail: "Changer l’adresse e-mail",
  changeEmailNext:
    "Un e-mail avec un code part à la nouvelle adresse. Votre adresse actuelle en reçoit un aussi, avec un lien qui annule le changement pendant 7 jours.",
  newEmail: "Nouvelle adresse e-mail",
  emailSame: "C’est déjà votre adresse.",
  emailTaken: (app) => `Un autre compte ${app} a cette adresse.`,
  restoreTitle: "Rétablir votre adresse e-mail",
  restoreNext: (app) => `L’adresse e-mail de votre compte ${app} a été changée. Celle-ci est rétablie\u202f:`,
  restoreEnds: "Tout le monde est déconnecté du compte, dans tous les navigateurs.",
  restoreRemoves: "Ceci est aussi supprimé, car une autre personne peut le connaître ou l’avoir ajouté\u202f:",
  restoreAlso: "Supprimer aussi ceux-ci s’ils ne sont pas les vôtres\u202f:",
  restore: "Rétablir l’adresse",
  restoring: "Rétablissement…",
  editProfile: "Modifier votre profil",
  save: "Enregistrer",
  nameMissing: "Saisissez votre nom.",
  pictureNotHttps: "Saisissez une adresse comme https://example.com/moi.png.",
  changePicture: "Changer votre image",
  pictureFile: "Fichier image",
  pictureFileHint: "PNG, JPEG ou WebP. Les applications l’affichent à côté de votre nom.",
  savePicture: "Enregistrer l’image",
  removePicture: "Supprimer l’image",
  undo: "Annuler la modification",
  undoPictureNext: "Pendant une heure, vous pouvez rétablir ce qui était là avant.",
  pictureNone: "Choisissez un fichier.",
  pictureLarge: "Le fichier dépasse 256 Ko. Réduisez l’image\u202f: 512 × 512 pixels suffisent.",
  pictureWide: "L’image fait plus de 4 096 pixels de large ou de haut. Réduisez-la.",
  pictureMoving: "Cette image est animée. Enregistrez-en une vue fixe en PNG ou JPEG.",
  picturePrint: "Les couleurs sont destinées à l’impression (CMJN). Enregistrez l’image en RVB.",
  pictureBroken: "Le fichier est endommagé ou incomplet. Enregistrez-le ou téléchargez-le de nouveau.",
  pictureOther: "Ce type de fichier ne s’affiche pas partout. Enregistrez l’image en JPEG ou PNG.",
  pictureTooLate: "Il n’est plus possible de revenir en arrière.",

  // Sign-in methods.
  methods: "Vos moyens de connexion",
  addedOn: (date) => `Ajout le ${date}`,
  changedOn: (date) => `Modifié le ${date}`,
  lastUsed: (date) => `Dernière utilisation\u202f: ${date}`,
  neverUsed: "Pas encore d’utilisation",
  notInUse: (app) => `Ce moyen de connexion n’est pas accepté par ${app} pour le moment`,
  passkey: "Clé d’accès",
  addPasskey: "Ajouter une clé d’accès",
  addPassword: "Ajouter un mot de passe",
  connect: (provider) => `Associer ${provider}`,
  connectMenu: "Associer…",
  change: "Changer",
  changePassword: "Changer le mot de passe",
  rename: "Renommer",
  renameNamed: (name) => `Renommer «\u202f${name}\u202f»`,
  renameTitle: "Renommer cette clé d’accès",
  renameHint: "Un nom qui vous indique où se trouve cette clé d’accès.",
  labelMissing: "Saisissez un nom.",
  remove: "Supprimer",
  removeNamed: (name) => `Supprimer «\u202f${name}\u202f»`,
  removePasswordTitle: "Supprimer votre mot de passe\u202f?",
  removeTitle: (name) => `Supprimer «\u202f${name}\u202f»\u202f?`,
  removing: "Suppression…",
  removePasskeyNext: (app) =>
    `Elle ne permettra plus de se connecter à ${app}. Elle peut rester dans la liste des clés d’accès de votre appareil tant que vous ne l’y supprimez pas.`,
  removePasswordNext: (app) => `Il ne permettra plus de se connecter à ${app}.`,
  removeProviderNext: (provider) =>
    `Ce compte ${provider} ne vous permettra plus de vous connecter. Votre compte chez ${provider} reste tel quel.`,
  removeStaysSignedIn: "Vos connexions en cours restent actives.",
  lastMethod: "Sans ce moyen, vous ne pourriez plus vous connecter. Ajoutez-en d’abord un autre.",
  lastPasskey: (app) =>
    `${app} demande une clé d’accès à chaque connexion, et vous n’avez que celle-ci. Ajoutez-en d’abord une autre.`,

  // Logins.
  logins: "Vos connexions",
  noLogins: (app) => `Vous n’avez aucune connexion à ${app} en ce moment, hormis cette page.`,
  browserOn: (browser, device) => `${browser} sur ${device}`,
  unknownDevice: "Appareil inconnu",
  byOperator: (app) => `Accès de l’équipe ${app}`,
  byActor: (name, app) => `${name}, pour l’équipe ${app}`,
  actorReason: (reason) => `Motif\u202f: ${reason}`,
  here: "Ce navigateur",
  signedInOn: (date) => `Connexion le ${date}`,
  lastSeen: (date) => `Dernière activité\u202f: ${date}`,
  signOut: "Déconnecter",
  signOutNamed: (name) => `Déconnecter ${name}`,
  signOutOthers: "Se déconnecter partout ailleurs",
  signOutAll: "Se déconnecter partout",
  signingOut: "Déconnexion…",
  signOutHere: "Se déconnecter de ce navigateur",
  signOutHereNext: "Vous serez déconnecté de tout ce que vous avez ouvert dans ce navigateur avec ces comptes.",
  signOutOf: (app) => `Se déconnecter de ${app}\u202f?`,
  signOutOfNext: (app) =>
    `Vous serez déconnecté de tout ce que vous avez ouvert dans ce navigateur avec votre compte ${app}.`,
  staySignedIn: "Rester connecté",

  // Programs with access.
  programs: "Programmes ayant accès",
  allowedOn: (date) => `Autorisé le ${date}`,
  removeAccess: "Retirer l’accès",
  removeAccessNamed: (name) => `Retirer l’accès de ${name}`,

  // Personal access tokens.
  tokens: "Jetons d’accès personnels",
  tokensNext: (app) =>
    `Avec un jeton, un de vos programmes peut utiliser votre compte ${app} sans que vous vous connectiez.`,
  tokensOff: (app) => `${app} n’accepte pas ces jetons en ce moment.`,
  tokenNeedsAddress: "Pour créer un jeton, vérifiez d’abord votre adresse e-mail.",
  tokenAllowsNothing: (app) =>
    `Un jeton ne permet rien ici pour le moment\u202f: ${app} ne fonctionne qu’au sein d’une organisation, et les jetons n’appartiennent à aucune. Demandez aux responsables de ${app} quels programmes acceptent les jetons.`,
  newToken: "Nouveau jeton",
  tokenFor: (name) => `Pour ${name}`,
  tokenNameHint: "Un nom qui vous dit quel programme utilise le jeton.",
  tokenScopes: "Ce que le jeton permet",
  tokenHosts: "Ce que le jeton ouvre",
  tokenLastDay: "Dernier jour",
  tokenLastDayHint: (lastDay, timeZone) =>
    `Le jeton fonctionne jusqu’à la fin de ce jour (${timeZone}). Vous pouvez choisir un jour jusqu’au ${lastDay}.`,
  makeToken: "Créer le jeton",
  makingToken: "Création…",
  tokenNothingChosen: "Choisissez au moins une chose que le jeton permet.",
  tokenDayMissing: "Choisissez un jour, aujourd’hui ou plus tard.",
  tokenDayLate: (lastDay) => `Choisissez le ${lastDay} ou un jour antérieur.`,
  tokensFull: (max) => `Vous avez ${max} jetons. Mettez fin à un jeton dont vous n’avez pas besoin.`,
  tokenMadeTitle: "Conservez votre jeton",
  tokenMadeNext:
    "Il n’est affiché que maintenant. Toute personne qui l’a peut utiliser votre compte avec lui\u202f: gardez-le aussi bien qu’un mot de passe.",
  tokenKept: "Je l’ai conservé",
  tokenEnds: (date) => `Expire le ${date}`,
  endToken: "Mettre fin",
  endingToken: "Un instant…",
  endTokenNamed: (name) => `Mettre fin à ${name}`,
  endTokensToo: "Mettre fin aussi à mes jetons d’accès personnels",

  // Personal data.
  data: "Vos données",
  downloadLink: "Télécharger vos données",
  downloadTitle: "Télécharger vos données",
  downloadNext: (app) =>
    `Un fichier avec votre profil, vos moyens de connexion et vos connexions à ${app}. Il ne contient ni mot de passe ni clé.`,
  download: "Télécharger",
  deleteLink: "Supprimer votre compte",
  deleteTitle: (app) => `Supprimer votre compte ${app}\u202f?`,
  deleteNow: "C’est immédiat et définitif\u202f:",
  deleteProfile: "Votre profil et tous vos moyens de connexion sont supprimés.",
  deleteLogins: (app) => `Toutes vos connexions à ${app} prennent fin.`,
  deleteElsewhere: (app) =>
    `Les données que ${app} conserve de son côté, c’est à ${app} de les supprimer. Adressez-vous à son assistance.`,
  deleteForGood: "Supprimer définitivement mon compte",
  deleting: "Suppression…",

  // Notices on the account page, after an action.
  noticeProfile: "Votre profil est enregistré.",
  noticePicture: "Votre image est enregistrée.",
  noticePictureRemoved: "Votre image est supprimée.",
  noticePictureUndone: "La modification de votre image est annulée.",
  noticeVerified: "Votre adresse e-mail est confirmée.",
  noticeEmail: "Votre adresse e-mail est changée.",
  noticeRenamed: "Le nouveau nom est enregistré.",
  noticeRemoved: "Moyen de connexion supprimé. Plus personne ne peut s’en servir.",
  noticeAdded: (name) => `Vous pouvez désormais vous connecter avec «\u202f${name}\u202f».`,
  noticePassword: "Votre mot de passe est enregistré.",
  noticeLoginEnded: "Cet appareil est déconnecté.",
  noticeOthersEnded: "Vos autres connexions ont pris fin.",
  noticeTokenEnded: "Le jeton a pris fin. Personne ne peut plus l’utiliser.",
  noticeAccessRemoved: "Ce programme n’a plus accès à votre compte.",

  // Shown instead of the account page.
  noAccountTitle: "Ouvrez cette page depuis votre application",
  noAccountNext:
    "Chaque application a sa propre page de compte. Allez dans l’application que vous utilisez et ouvrez-y votre compte.",
  signedOutTitle: "Déconnexion effectuée",
  signedOutHere: "Personne n’est connecté dans ce navigateur.",
  signedOutNext: (app) => `Pour voir ou modifier votre compte ${app}, connectez-vous de nouveau.`,
  notSignedInTitle: "Aucune connexion en cours",
  notSignedInNext: (app) => `Pour voir ou modifier votre compte ${app}, connectez-vous.`,
  readyTitle: "Votre compte est prêt",
  readyNext: (app) => `Connectez-vous désormais à ${app} de la manière que vous venez de choisir.`,
  deletedTitle: "Votre compte est supprimé",
  deletedNext: (app) => `Il ne permet plus de se connecter à ${app}. Vous pouvez fermer cette page.`,
  notFoundTitle: "Cet élément n’existe plus",
  notFoundNext: "Il vient peut-être d’être supprimé. La page de votre compte montre ce qu’il y a maintenant.",

  // Second factors: signing in.
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
  factorMalformed: "Saisissez les six chiffres que votre application affiche.",
  recoveryMalformed: "Saisissez les 24 lettres et chiffres d’un seul code.",
  factorWrong: "Ce code n’est pas le bon, ou il a déjà servi. Attendez le suivant.",
  recoveryWrong: "Ce code n’est pas le bon, ou il a déjà servi.",
  factorBlockedTitle: "Les codes ne fonctionnent pas pour le moment",
  factorBlocked: "Trop de codes erronés ont été saisis pour ce compte.",
  factorBlockedPasskey: "Utilisez plutôt votre clé d’accès. Ensuite, les codes fonctionneront de nouveau.",

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

  // Second factors on the account page.
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

  // Signing in on a device that has no browser.
  deviceTitle: "Se connecter sur votre appareil",
  deviceLead: "Saisissez le code affiché sur votre appareil.",
  deviceLeadFilled: "Vérifiez que votre appareil affiche ce code.",
  deviceCodeHint: "Huit lettres, par exemple WDJB-MJHT.",
  deviceInFront:
    "Continuez seulement si le code est affiché sur un appareil devant vous. Si quelqu’un vous a envoyé ce code, arrêtez-vous ici\u202f: cette personne entrerait dans votre compte.",
  deviceEnterCode: "Saisir un code",
  deviceCodeMalformed: "Saisissez les huit lettres.",
  deviceCodeWrong: "Ce code n’est pas valable, ou ne l’est plus.",
  deviceAskTitle: (client) => `Connecter ${client}\u202f?`,
  deviceAccount: (app) => `L’appareil utilisera alors votre compte ${app}\u202f:`,
  deviceAskedAt: (when) => `L’appareil l’a demandé le ${when}, depuis cette adresse\u202f:`,
  deviceAllowedTitle: "Vous pouvez revenir à votre appareil",
  deviceAllowedNext: "Il continue de lui-même dans quelques secondes. Vous pouvez fermer cette page.",
  deviceDeniedTitle: "Rien n’a été autorisé",
  deviceDeniedNext: "L’appareil n’a pas été connecté. Vous pouvez fermer cette page.",
  deviceOverTitle: "Ce code n’est plus valable",
  deviceOverNext: "Il a déjà servi, ou il est trop ancien. Demandez-en un nouveau sur votre appareil.",
  deviceNotAdmittedTitle: "Ce compte ne peut pas être utilisé ici",
  deviceNotAdmittedNext: (app) =>
    `Les responsables de ${app} n’autorisent ce programme qu’à certains comptes. Saisissez à nouveau le code et choisissez un autre compte.`,

  // The organization of a sign-in.
  organizationTitle: "Choisir une organisation",
  organizationLead: (app) => `Pour quelle organisation voulez-vous utiliser ${app}\u202f?`,
  organizationLost: "Vous ne pouvez plus utiliser l’organisation que vous avez utilisée en dernier.",
  organizationFilter: "Chercher une organisation",
  organizationFind: "Chercher",
  organizationNoMatch: "Vous n’avez pas d’organisation de ce nom.",
  organizationOffer: (domain: string) =>
    `Votre adresse appartient à ${domain}. Vous pouvez rejoindre cette organisation.`,
  organizationWithout: "Continuer sans organisation",
  organizationNeededTitle: "Il vous faut une organisation",
  organizationNeededNext: (app) =>
    `${app} est réservé aux membres d’une organisation. Demandez une invitation aux responsables de la vôtre.`,
  organizationNeededOrCreate: (app) =>
    `${app} est réservé aux membres d’une organisation. Créez-en une, ou demandez une invitation aux responsables de la vôtre.`,
  organizationInvitedTitle: "Vous avez une invitation",
  organizationInvitedLead: "Acceptez maintenant, ou décidez plus tard sur la page de votre compte.",
  organizationJoinNamed: (name) => `Rejoindre ${name}`,
  organizationDeclineNamed: (name) => `Refuser l’invitation de ${name}`,
  organizationName: "Nom de l’organisation",
  organizationNameRefused: "Saisissez un nom de 64 caractères au plus qui ne soit pas une adresse web.",
  organizationTooMany: "Vous avez déjà créé le nombre maximal d’organisations.",
  // An invitation into an organization.
  organizationInviteTitle: (organization) => `Rejoindre ${organization}\u202f?`,
  organizationInviteFor: "Cette invitation est destinée à la personne qui a cette adresse\u202f:",
  organizationInviteOther: "Vous êtes connecté avec une autre adresse.",
  organizationInviteVerify:
    "Confirmez d’abord que cette adresse est la vôtre. Ouvrez ensuite de nouveau le lien de l’e-mail.",
  organizationJoin: "Rejoindre",
  organizationDecline: "Refuser",
  organizationInviteFull:
    "Vous ne pouvez pas rejoindre cette organisation pour le moment\u202f: elle a atteint son nombre maximal de membres. Demandez à la personne qui vous a invité.",

  // The page of an organization.
  organizations: "Vos organisations",
  organizationsNone: "Vous n’êtes dans aucune organisation.",
  organizationInvitations: "Invitations",
  organizationCreate: "Créer une organisation",
  organizationOwnRoles: "Vos rôles\u202f:",
  organizationMembers: "Membres",
  organizationMore: "Autres membres",
  organizationOwner: "Propriétaire",
  organizationAdmin: "Administrateur",
  organizationMember: "Membre",
  organizationRolesOf: (name) => `Rôles de ${name}`,
  organizationRoles: "Rôles",
  organizationWithdraw: (email) => `Retirer l’invitation envoyée à ${email}`,
  organizationAddresses: "Adresses e-mail, une par ligne",
  organizationSendInvitations: "Envoyer les invitations",
  organizationDomains: "Domaines",
  organizationDomainsNext:
    "Les personnes qui ont une adresse d’un domaine confirmé peuvent rejoindre l’organisation. Il y a au plus 10 domaines.",
  organizationDomain: "Domaine",
  organizationDomainAdd: "Ajouter le domaine",
  organizationDomainPending: "Pas encore confirmé",
  organizationDomainWaiting: "Confirmé, mais utilisé par une autre organisation",
  organizationDomainProved: "Confirmé",
  organizationDomainLapsed: "Perdu, car son enregistrement est absent",
  organizationDomainRecord: "Pour confirmer le domaine, ajoutez cet enregistrement TXT à son DNS.",
  organizationDomainFound: (values: string) => `Trouvé à cet endroit\u202f: ${values}`,
  organizationDomainMissing: "Cet enregistrement n’existe pas.",
  organizationDomainUnknown: (reason: string) =>
    `Pas de réponse des serveurs de noms (${reason}). Cela ne change rien.`,
  organizationDomainDoubled: (name: string) => `L’enregistrement se trouve à ${name}. Retirez le domaine de son nom.`,
  organizationDomainCheck: (domain: string) => `Vérifier ${domain}`,
  organizationDomainJoin: (domain: string) => `Qui peut rejoindre l’organisation avec une adresse de ${domain}`,
  organizationJoinOff: "Personne",
  organizationJoinAsk: "Les personnes qui cliquent sur un bouton",
  organizationJoinOn: "Les nouveaux comptes automatiquement, les autres avec un bouton",
  organizationSettings: "Réglages",
  organizationSlug: "Nom court dans les adresses web",
  organizationPolicyOff: "Désactivée",
  organizationPolicyRequired: "Obligatoire",
  organizationLeave: "Quitter l’organisation",
  organizationDelete: "Supprimer l’organisation",
  organizationDeleteNext:
    "Ensuite, plus personne ne pourra l’utiliser. Après 7 jours, elle est supprimée définitivement\u202f; d’ici là, chaque propriétaire peut la garder.",
  organizationDeletedNext:
    "Personne ne peut plus l’utiliser. Après 7 jours, elle est supprimée définitivement\u202f; d’ici là, chaque propriétaire peut la garder.",
  organizationKeep: "Garder l’organisation",
  organizationSaved: "Enregistré.",
  organizationRefused: "Cela n’a pas été possible. Vérifiez votre saisie et vos rôles.",
  organizationConflict:
    "Ce n’est pas possible maintenant. Une organisation a besoin d’un propriétaire et a des limites de membres et de modifications.",
  organizationChanged: (value) =>
    `Rien n’a été enregistré, car quelqu’un d’autre a modifié cela entre-temps. Enregistrez de nouveau pour remplacer la valeur actuelle\u202f: ${value}`,
  organizationSlugRefused:
    "Utilisez de 2 à 48 caractères (a–z, 0–9 et trait d’union) et un nom libre. Il peut changer 3 fois.",
  organizationDomainRefused: "Saisissez un domaine à vous, comme example.com. Il y en a au plus 10.",
  setupTitle: (organization) => `Configurer la connexion de ${organization}`,
  setupCodeLead: "Ce lien s’ouvre avec un code. Nous l’envoyons à cette adresse\u202f:",
  setupNext: "Rien de ce que vous ajoutez ici ne fonctionne avant la confirmation d’un propriétaire de l’organisation.",
  setupProvider: "Fournisseur d’identité",
  setupAdded: "Ajouté. Un propriétaire de l’organisation l’essaie et le confirme\u202f:",
  setupOpen: "Ouvrez là-bas\u202f:",
  setupIssuerLike: "L’émetteur ressemble à ceci\u202f:",
  setupRefused:
    "Ce n’était pas possible. Vérifiez l’ID et le secret client. Un autre fournisseur attend peut-être déjà un propriétaire.",
  setupAsk: "Demander à quelqu’un de la configurer",
  setupEnd: (email) => `Mettre fin au lien pour ${email}`,
  setupAskNext:
    "La personne reçoit un lien valable 7 jours et ajoute un domaine et un fournisseur d’identité. Vous confirmez ce qu’elle ajoute.",
  setupSend: "Envoyer le lien",
  setupConfirmDomain: (domain) => `Confirmer ${domain}, ajouté par un lien de configuration`,
  organizationNotInvited: (addresses) => `Pas d’invitation pour\u202f: ${addresses}`,
  organizationOwnerless:
    "Vous êtes la seule personne propriétaire de ces organisations. Sans propriétaire, plus personne ne pourra les gérer. Désignez d’abord un autre membre comme propriétaire.",
  organizationHandOver: (name) => `Désigner un nouveau propriétaire pour ${name}`,
  organizationActivity: "Activité",
  organizationBy: (name) => `Par ${name}`,
  organizationDidCreate: "Organisation créée",
  organizationDidUpdate: "Réglages modifiés",
  organizationDidDisable: "Organisation désactivée",
  organizationDidEnable: "Organisation réactivée",
  organizationDidLoseOwner: "Plus aucun propriétaire",
  organizationDidInvite: "Invitation envoyée",
  organizationDidWithdraw: "Invitation retirée",
  organizationDidAccept: "Invitation acceptée",
  organizationDidDecline: "Invitation refusée",
  organizationDidAdd: "Membre ajouté",
  organizationDidSetRoles: "Rôles modifiés",
  organizationDidLeave: "Départ d’un membre",
  organizationDidRemove: "Membre retiré",
  organizationDidAddDomain: "Domaine ajouté",
  organizationDidUpdateDomain: "Accès par un domaine modifié",
  organizationDidRemoveDomain: "Domaine retiré",
  organizationDidProveDomain: "Domaine confirmé",
  organizationDidLoseDomain: "Domaine perdu",

  // The organization's own provider, on its page.
  ownProvider: "Connexion d’entreprise",
  ownProviderLead:
    "Les membres se connectent à cette organisation avec leur compte professionnel. Il ouvre cette organisation et rien d’autre.",
  ownProviderDomainFirst:
    "Confirmez d’abord un domaine\u202f: le fournisseur ne répond que des adresses de ce domaine.",
  ownProviderSetting: "Fournisseur d’identité",
  ownProviderCallback: "Indiquez cette URI de redirection au fournisseur\u202f:",
  ownProviderIssuer: "Émetteur (issuer)",
  ownProviderClientId: "ID client",
  ownProviderSecret: "Secret client",
  ownProviderSecretKept: "Laissez vide pour garder celui qui est enregistré.",
  ownProviderFixed: "Personne ne peut choisir son adresse e-mail chez le fournisseur",
  ownProviderSave: "Enregistrer le fournisseur",
  ownProviderWorks: "Actif",
  ownProviderFails: (since, reason) => `En panne depuis ${since}\u202f: ${reason}`,
  ownProviderWaits: "En attente d’un essai et d’une confirmation par un propriétaire",
  ownProviderWorksFrom: (time) => `Valable à partir du ${time}. Un autre propriétaire peut l’accepter avant.`,
  ownProviderByLink: "Ajouté par un lien de configuration",
  ownProviderTry: "Essayer",
  ownProviderRequire: "Les membres doivent se connecter avec lui",
  ownProviderRequireNext:
    "Sans cela, les personnes ayant une clé d’accès ou un mot de passe entrent jusqu’à leur retrait ici. Avec cela, un propriétaire entre toujours par sa propre connexion et une seconde étape.",
  ownProviderUseFirst:
    "Connectez-vous d’abord avec votre propre compte chez le fournisseur\u202f: cela doit dater de moins d’une heure.",
  ownProviderConfirm: "Activer",
  ownProviderAgree: "Accepter\u202f: valable maintenant",
  ownProviderRemove: "Retirer le fournisseur",
  ownProviderRemoveNext: (count) =>
    `Les connexions par lui prennent fin aussitôt. Personnes sans autre accès\u202f: ${count}. Un code par e-mail leur permet d’en choisir un.`,
  ownProviderRelinks: "Nouvelles identités",
  ownProviderRelinksNext:
    "Si le fournisseur connaît les personnes sous de nouvelles identités, les membres nommés ici peuvent lier la leur pendant 14 jours. Une adresse e-mail par ligne.",
  ownProviderRelinkOpen: "Autoriser une nouvelle identité",
  ownProviderRelinkAsks: "Un propriétaire doit accepter",
  ownProviderRelinkAgree: (name) => `Autoriser une nouvelle identité pour ${name}`,
  ownProviderRefused: (reason) => `Ce fournisseur ne peut pas être utilisé. Il faut\u202f: ${reason}.`,
  ownProviderSaid: (host) => `Ce que ${host} a dit`,
  ownProviderTrialFailed: (reason) => `Il n’a nommé personne\u202f: ${reason}`,
  ownProviderTrialYou: "Cela fonctionne\u202f: une connexion avec ce compte ouvre l’organisation en votre nom.",
  ownProviderTrialOpens: (person) => `Une connexion avec ce compte ouvre l’organisation en tant que ${person}.`,
  ownProviderTrialLinks: (person) =>
    `Une connexion avec ce compte demande d’abord à ${person} de prouver son compte ici, puis le lie.`,
  ownProviderTrialNew: "Une connexion avec ce compte crée un nouveau membre.",
  ownProviderTrialStranger:
    "Une connexion avec ce compte est refusée\u202f: personne n’a invité cette adresse, et personne ne rejoint par le domaine.",
  ownProviderTrialSubject:
    "Une connexion avec ce compte est refusée\u202f: la personne ici est liée à un autre compte chez le fournisseur.",
  ownProviderTrialRefused:
    "Une connexion avec ce compte est refusée\u202f: le compte ayant cette adresse est désactivé, ou son adresse n’est pas confirmée.",
  ownProviderTrialDomain: (host) =>
    `Une connexion avec ce compte est refusée\u202f: ${host} ne répond que des adresses des domaines confirmés de cette organisation.`,
  ownProviderTrialHosted:
    "Une connexion avec ce compte est refusée\u202f: ce n’est pas un compte de l’entreprise chez Google (hd).",
  ownProviderExempt: "Peut se passer de la connexion d’entreprise",
  ownProviderDid: "Connexion d’entreprise modifiée",
  ownProviderDidLink: "Compte professionnel associé",
  setupLinkDidMail: "Lien de configuration envoyé",
  setupLinkDidOpen: "Lien de configuration ouvert",
  setupLinkDidEnd: "Lien de configuration annulé",

  // Par le fournisseur d'une organisation.
  companySignIn: "Se connecter avec votre entreprise",
  companyAddressNext:
    "Saisissez votre adresse e-mail professionnelle. La partie après le @ mène à la connexion de votre entreprise.",
  companyOwnWays: "Se connecter autrement",
  companyNone: "Aucune entreprise ne se connecte ici avec une telle adresse. Vérifiez-la ou connectez-vous autrement.",
  companyBeforeTitle: (organization) => `Se connecter à ${organization}`,
  companyBeforeNext: (host) => `Vous allez vous connecter sur ${host}. Continuez seulement si vous connaissez ce nom.`,
  companyRequired: (organization) =>
    `${organization} demande à ses membres de se connecter aussi par son propre fournisseur.`,
  companyAfterTitle: (organization) => `Continuer vers ${organization}\u202f?`,
  companyProveTitle: "D’abord, prouvez que c’est vous",
  companySays: (host) => `Selon ${host}, vous êtes\u202f:`,
  companyMailbox: "Il ne dit pas que cette adresse est la vôtre. Un code par e-mail le prouve une fois.",
  companyLink: (app, organization) =>
    `Il existe déjà un compte ${app} avec cette adresse. Connectez-vous-y une fois, et la connexion de ${organization} y sera reliée.`,
  companyRelink: (organization) =>
    `${organization} a une nouvelle connexion. Prouvez une fois que le compte est le vôtre pour la relier.`,
  companyJoins: (organization) => `Vous devenez membre de ${organization}.`,
  companyLinks: (organization) => `Désormais, la connexion de ${organization} mène à ce compte.`,
  companyOpens: (organization) =>
    `Cela n’ouvre que ${organization}. La personne qui gère cette connexion peut y entrer à votre place, et nulle part ailleurs.`,
  companyRefusedTitle: (organization) => `Vous ne pouvez pas entrer dans ${organization} pour l’instant`,
  companyStranger: (organization) =>
    `Vous n’êtes pas membre de ${organization} ici. Demandez à la personne qui la gère de vous inviter avec cette adresse.`,
  companyOtherSubject: (organization) =>
    `Le compte avec cette adresse appartient à une autre connexion de ${organization}. Demandez à la personne qui gère ${organization} de vous laisser relier la nouvelle.`,
  companyAsksOwner: (organization) =>
    `Un propriétaire de ${organization} doit d’abord donner son accord pour relier la nouvelle connexion. Demandez-le-lui.`,
  companyUnproven: (app) =>
    `Il existe un compte ${app} avec cette adresse, mais personne n’a confirmé l’adresse. Connectez-vous-y autrement et confirmez-la d’abord.`,
  companyOtherAccount: (host) =>
    `Sur ${host}, vous êtes une autre personne qu’ici. Choisissez la même personne aux deux endroits.`,
  companyChanged: (organization) => `La connexion de ${organization} vient de changer. Recommencez.`,
  companyOtherDomain: (host, organization) =>
    `Le compte sur ${host} n’a pas d’adresse de ${organization}. Choisissez-y votre compte professionnel.`,
  firstMethod: "Pas encore de mot de passe ni de clé d’accès\u202f?",
  firstMethodTitle: "Choisissez comment vous vous connectez",
  firstMethodNext: (app) =>
    `Pour les personnes qui viennent sur ${app} uniquement par leur entreprise. Un code par e-mail, et votre seconde étape si vous en avez une, vous permettent de choisir un premier mot de passe ou une clé d’accès.`,
  firstMethodOver:
    "Ce compte a déjà un moyen de se connecter, ou il faut un autre code. Connectez-vous ou recommencez.",
  companyOrganizations:
    "La personne qui gère votre messagerie peut réinitialiser votre mot de passe. Une seconde étape sur la page de votre compte l’empêche.",

  // At a host that a proxy protects.
  hostSignInTo: (host) => `Se connecter à ${host}`,
  hostFormTitle: "Connectez-vous, puis envoyez de nouveau",
  hostFormNext: (host) =>
    `Rien n’a été envoyé, car vous n’êtes pas connecté à ${host}. Connectez-vous dans un nouvel onglet, puis revenez ici et rechargez cette page.`,
  hostFrameNext: "Cette partie de la page est utilisable une fois que vous êtes connecté.",
  hostAgainTitle: "Connectez-vous de nouveau",
  hostAgainNext: (host) => `Cette connexion à ${host} a déjà servi ou a commencé dans un autre navigateur.`,
  hostRepeatedTitle: (host) => `Votre navigateur ne reste pas connecté à ${host}`,
  hostRepeatedNext: "Il n’a pas renvoyé le cookie qu’il a reçu. Les causes habituelles :",
  hostRepeatedCookies: (host) =>
    `Les cookies de ${host} sont bloqués. Autorisez-les dans les réglages de votre navigateur.`,
  hostRepeatedHttp: (host) => `${host} a été ouvert en http. Ouvrez-le en https.`,
  hostRepeatedClock: "L’horloge de cet appareil est fausse. Réglez-la.",
  hostTryAgain: "Réessayer",
  hostRefusedTitle: (host) => `Ce compte ne peut pas utiliser ${host}`,
  hostRefusedNext: (host) => `Demandez l’accès à la personne qui gère ${host}, ou utilisez un autre compte.`,
  hostFactorNext: (host) =>
    `${host} demande un second facteur. Connectez-vous de nouveau pour utiliser le vôtre ou en configurer un.`,
  hostIncompleteNext: (host) =>
    `${host} a besoin d’une information que ce compte n’a pas. Demandez à la personne qui le gère d’ajouter :`,
  hostSignedOutNext: (host) => `Pour utiliser de nouveau ${host}, connectez-vous.`,
  hostProviderNext: (provider) =>
    `${provider} peut vous reconnecter sans rien demander. Pour l’éviter, déconnectez-vous aussi de ${provider}.`,
  hostTooLongNext: "L’adresse que vous avez ouverte est trop longue pour y revenir.",

  // What is asked before a sign-in continues: terms and profile.
  termsTitle: (app) => `Conditions d’utilisation de ${app}`,
  termsNext: (app) => `Pour continuer, acceptez les conditions d’utilisation de ${app}.`,
  termsOptional: (app) =>
    `${app} a de nouvelles conditions d’utilisation. Vous pouvez aussi continuer sans les accepter.`,
  termsRead: (version) => `Lire les conditions (${version})`,
  termsAccept: "Accepter et continuer",
  termsDecline: "Refuser",
  termsDeclineNext: "Si vous refusez, vous ne serez pas connecté.",
  profileTitle: "Compléter votre profil",
  profileNext: (app) => `${app} demande quelques informations.`,
  profileNothing: "Il n’y a plus rien à renseigner.",
  chooseOption: "Choisir…",
  fieldMissing: "Remplissez ce champ.",
  fieldUnticked: "Cochez cette case pour continuer.",
  fieldText: (length) => `Utilisez une seule ligne de ${length} caractères au maximum.`,
  fieldNumber: "Saisissez un nombre, par exemple 12.5.",
  fieldDate: "Saisissez une date qui existe.",
  fieldChoice: "Choisissez l’une des options.",
  fieldPhone: "Saisissez un numéro de téléphone, par exemple +33 1 44 55 66 77.",
  fieldsTooLong: "Vos réponses sont trop longues au total. Raccourcissez-les.",
  ticked: "Oui",
  unticked: "Non",
};
