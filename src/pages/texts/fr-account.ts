import type { AccountTexts } from "./en-account.ts";

export const account: AccountTexts = {
  accountTitle: (app) => `Votre compte ${app}`,
  backToAccount: "Retour à votre compte",

  // Profile.
  profile: "Profil",
  edit: "Modifier",
  picture: "Adresse de l’image",
  pictureHint: "Une adresse qui commence par https://. Les applications affichent l’image à côté de votre nom.",
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
  restore: "Rétablir l’adresse",
  restoring: "Rétablissement…",
  editProfile: "Modifier votre profil",
  save: "Enregistrer",
  nameMissing: "Saisissez votre nom.",
  checkPicture: "Vérifiez l’adresse de l’image, puis réessayez.",
  pictureNotHttps: "Saisissez une adresse comme https://example.com/moi.png.",

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
  change: "Changer",
  changePassword: "Changer le mot de passe",
  rename: "Renommer",
  renameNamed: (name) => `Renommer «\u202f${name}\u202f»`,
  renameTitle: "Renommer cette clé d’accès",
  renameHint: "Un nom qui vous indique où se trouve cette clé d’accès.",
  labelMissing: "Saisissez un nom.",
  remove: "Supprimer",
  removeNamed: (name) => `Supprimer «\u202f${name}\u202f»`,
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

  // Notices after an action.
  noticeProfile: "Votre profil est enregistré.",
  noticeVerified: "Votre adresse e-mail est confirmée.",
  noticeEmail: "Votre adresse e-mail est changée.",
  noticeRenamed: "Le nouveau nom est enregistré.",
  noticeRemoved: "Moyen de connexion supprimé. Plus personne ne peut s’en servir.",
  noticeAdded: (name) => `Vous pouvez désormais vous connecter avec «\u202f${name}\u202f».`,
  noticePassword: "Votre mot de passe est enregistré.",
  noticeLoginEnded: "Cet appareil est déconnecté.",
  noticeOthersEnded: "Vos autres connexions ont pris fin.",
  noticeAccessRemoved: "Ce programme n’a plus accès à votre compte.",

  // Shown instead of the page.
  noAccountTitle: "Ouvrez cette page depuis votre application",
  noAccountNext:
    "Chaque application a sa propre page de compte. Allez dans l’application que vous utilisez et ouvrez-y votre compte.",
  signedOutTitle: "Déconnexion effectuée",
  signedOutHere: "Personne n’est connecté dans ce navigateur.",
  signedOutNext: (app) => `Pour voir ou modifier votre compte ${app}, connectez-vous de nouveau.`,
  notSignedInTitle: "Aucune connexion en cours",
  notSignedInNext: (app) => `Pour voir ou modifier votre compte ${app}, connectez-vous.`,
  deletedTitle: "Votre compte est supprimé",
  deletedNext: (app) => `Il ne permet plus de se connecter à ${app}. Vous pouvez fermer cette page.`,
  notFoundTitle: "Cet élément n’existe plus",
  notFoundNext: "Il vient peut-être d’être supprimé. La page de votre compte montre ce qu’il y a maintenant.",
};
