import type { MailTexts } from "./en.ts";

// A narrow no-break space (U+202F) precedes ":" and "?", and is used inside « ».
export const fr: MailTexts = {
  kinds: {
    "sign-up": {
      subject: (app) => `Confirmez votre adresse e-mail pour ${app}`,
      lead: (app) =>
        `Vous avez demandé la création d’un compte ${app} avec cette adresse e-mail. Confirmez que l’adresse est la vôtre et le compte sera créé.`,
      button: () => "Confirmer et créer le compte",
      ifNotYou: () =>
        "Ne faites rien. Sans votre confirmation, aucun compte n’est créé. Ne transmettez ni le lien ni le code à qui que ce soit.",
    },
    "sign-in": {
      subject: (app) => `Se connecter à ${app}`,
      lead: (app) =>
        `Vous avez demandé à vous connecter à ${app} avec cette adresse e-mail. Le lien ne fonctionne que dans le navigateur qui l’a demandé.`,
      button: (app) => `Se connecter à ${app}`,
      ifNotYou: () =>
        "Ne faites rien. Sans le code ou le lien, personne n’est connecté. Ne les transmettez à personne, quelle que soit la demande.",
    },
    verify: {
      subject: (app) => `Confirmez votre adresse e-mail pour ${app}`,
      lead: (app) => `Confirmez que cette adresse e-mail est bien celle de votre compte ${app}.`,
      button: () => "Confirmer l’adresse e-mail",
      ifNotYou: () =>
        "Ne faites rien. L’adresse reste non confirmée. Ne transmettez ni le lien ni le code à qui que ce soit.",
    },
    reset: {
      subject: (app) => `Réinitialisez votre mot de passe ${app}`,
      lead: (app) => `Vous avez demandé à choisir un nouveau mot de passe pour votre compte ${app}.`,
      button: () => "Réinitialiser le mot de passe",
      ifNotYou: () =>
        "Ne faites rien. Votre mot de passe reste inchangé. Ne transmettez ni le lien ni le code\u202f: l’un ou l’autre suffit pour changer votre mot de passe.",
    },
    "change-address": {
      subject: (app) => `Confirmez votre nouvelle adresse e-mail pour ${app}`,
      lead: (app) => `Confirmez que ceci est la nouvelle adresse e-mail de votre compte ${app}.`,
      button: () => "Confirmer l’adresse e-mail",
      ifNotYou: () => "Ne faites rien. Votre adresse n’est pas utilisée. Ne communiquez le lien et le code à personne.",
    },
    "address-changed": {
      subject: (app) => `L’adresse e-mail de votre compte ${app} a été changée`,
      lead: (app) =>
        `Votre compte ${app} a maintenant une autre adresse e-mail. Les e-mails à propos du compte n’arrivent plus à celle-ci.`,
      button: () => "Annuler le changement",
      ifNotYou: () =>
        "Annulez le changement. Cela rétablit cette adresse, déconnecte tout le monde du compte et supprime le mot de passe ainsi que les moyens de connexion ajoutés depuis. Choisissez ensuite un nouveau mot de passe.",
    },
    "address-replaced": {
      subject: (app) => `Votre compte ${app} a une autre adresse e-mail`,
      lead: (app) =>
        `${app} a changé l’adresse e-mail de votre compte. Les e-mails à propos du compte n’arrivent plus à celle-ci.`,
      button: () => "Ouvrir la page de votre compte",
      ifNotYou: (app) => `Dites à ${app} que vous ne l’avez pas demandé.`,
    },
    "address-restored": {
      subject: (app) => `Votre compte ${app} a de nouveau son ancienne adresse e-mail`,
      lead: (app) =>
        `L’adresse e-mail de votre compte ${app} est redevenue une adresse précédente. Les e-mails à propos du compte n’arrivent plus à celle-ci.`,
      button: () => "Ouvrir la page de votre compte",
      ifNotYou: (app) => `C’est une personne qui lit l’ancienne adresse. Demandez de l’aide à ${app}.`,
    },
    invite: {
      subject: (app) => `Invitation à rejoindre ${app}`,
      lead: (app) => `Un compte ${app} vous attend. Choisissez votre moyen de connexion.`,
      button: () => "Configurer votre compte",
      ifNotYou: () =>
        "Ne faites rien. Sans ce lien, personne ne peut se connecter au compte. Ne le communiquez donc à personne.",
    },
    "password-form": {
      subject: (app) => `Poursuivre la connexion à ${app}`,
      lead: (app) =>
        `Vous avez demandé ce lien en vous connectant à ${app} depuis un navigateur sans JavaScript. Il ouvre le formulaire pour votre mot de passe et ne fonctionne que dans ce navigateur.`,
      button: () => "Ouvrir le formulaire",
      ifNotYou: () =>
        "Vous n’avez rien à faire. Le lien ne connecte personne : il ouvre seulement un formulaire qui demande votre mot de passe.",
    },
    "known-address": {
      subject: (app) => `Vous avez déjà un compte ${app}`,
      lead: (app) =>
        `Quelqu’un a essayé de créer un compte ${app} avec cette adresse e-mail. Il en existe déjà un, aucun autre n’a donc été créé. Si c’était vous, connectez-vous comme d’habitude.`,
      button: (app) => `Se connecter à ${app}`,
      ifNotYou: () => "Vous n’avez rien à faire. Rien n’a été modifié dans votre compte et personne n’y a eu accès.",
    },
    "method-added": {
      subject: (app) => `Nouveau moyen de connexion à votre compte ${app}`,
      lead: (app) => `Ce moyen permet désormais de se connecter à votre compte ${app}\u202f:`,
      button: () => "Ouvrir la page de votre compte",
      ifNotYou: () =>
        "Quelqu’un d’autre a peut-être accès à votre compte. Ouvrez la page de votre compte, supprimez ce moyen de connexion et mettez fin aux connexions que vous ne reconnaissez pas. Changez ensuite votre mot de passe, si vous en avez un.",
    },
    "method-removed": {
      subject: (app) => `Un moyen de connexion à votre compte ${app} a été supprimé`,
      lead: (app) => `Ce moyen ne permet plus de se connecter à votre compte ${app}\u202f:`,
      button: () => "Ouvrir la page de votre compte",
      ifNotYou: () =>
        "Quelqu’un d’autre a peut-être accès à votre compte. Ouvrez la page de votre compte, mettez fin aux connexions que vous ne reconnaissez pas et supprimez les moyens de connexion qui ne sont pas les vôtres. Changez ensuite votre mot de passe, si vous en avez un.",
    },
    "password-changed": {
      subject: (app) => `Votre mot de passe ${app} a été modifié`,
      lead: (app) => `Le mot de passe de votre compte ${app} a été modifié.`,
      button: () => "Ouvrir la page de votre compte",
      ifNotYou: (app) =>
        `Réinitialisez tout de suite votre mot de passe\u202f: choisissez «\u202fMot de passe oublié\u202f?\u202f» sur la page de connexion à ${app}. Ouvrez ensuite la page de votre compte et supprimez les moyens de connexion et les connexions qui ne sont pas les vôtres.`,
    },
    "new-device": {
      subject: (app) => `Nouvelle connexion à votre compte ${app}`,
      lead: (app) =>
        `Quelqu’un s’est connecté à votre compte ${app} depuis un navigateur qui n’avait encore jamais servi à s’y connecter.`,
      button: () => "Ouvrir la page de votre compte",
      ifNotYou: () =>
        "Ouvrez la page de votre compte et mettez fin à cette connexion. Changez ensuite votre mot de passe, si vous en avez un, et supprimez les moyens de connexion qui ne sont pas les vôtres.",
    },
    "factor-added": {
      subject: (app) => `Une application d’authentification protège votre compte ${app}`,
      lead: (app) =>
        `Désormais, pour vous connecter à votre compte ${app} sans clé d’accès, il faut aussi un code de votre application d’authentification. Gardez vos codes de secours en lieu sûr.`,
      button: () => "Ouvrir la page de votre compte",
      ifNotYou: () =>
        "Quelqu’un d’autre a peut-être accès à votre compte. Ouvrez la page de votre compte, supprimez l’application d’authentification et mettez fin aux connexions que vous ne reconnaissez pas. Changez ensuite votre mot de passe.",
    },
    "factor-removed": {
      subject: (app) => `Votre compte ${app} n’a plus d’application d’authentification`,
      lead: (app) =>
        `L’application d’authentification et les codes de secours de votre compte ${app} ont été supprimés.`,
      button: () => "Ouvrir la page de votre compte",
      ifNotYou: () =>
        "Quelqu’un d’autre a peut-être accès à votre compte. Changez votre mot de passe. Ouvrez ensuite la page de votre compte, mettez fin aux connexions que vous ne reconnaissez pas et configurez de nouveau une application d’authentification.",
    },
    "recovery-code-used": {
      subject: (app) => `Un code de secours de votre compte ${app} a été utilisé`,
      lead: (app) =>
        `Quelqu’un s’est connecté à votre compte ${app} avec l’un de vos codes de secours. Ce code ne fonctionne plus.`,
      button: () => "Ouvrir la page de votre compte",
      ifNotYou: () =>
        "Quelqu’un d’autre connaît un code de secours et votre mot de passe. Changez votre mot de passe. Ouvrez ensuite la page de votre compte et obtenez de nouveaux codes de secours.",
    },
    "recovery-codes-new": {
      subject: (app) => `Nouveaux codes de secours pour votre compte ${app}`,
      lead: (app) =>
        `De nouveaux codes de secours ont été créés pour votre compte ${app}. Les précédents ne fonctionnent plus.`,
      button: () => "Ouvrir la page de votre compte",
      ifNotYou: () =>
        "Quelqu’un d’autre a peut-être accès à votre compte. Ouvrez la page de votre compte, obtenez de nouveaux codes de secours et mettez fin aux connexions que vous ne reconnaissez pas. Changez ensuite votre mot de passe.",
    },
    "factor-guessed": {
      subject: (app) => `Quelqu’un essaie de deviner des codes pour votre compte ${app}`,
      lead: (app) =>
        `Quelqu’un a utilisé votre mot de passe ${app}, ou un autre de vos moyens de connexion, puis a saisi plusieurs codes erronés. Cette personne n’a pas pu se connecter.`,
      button: () => "Ouvrir la page de votre compte",
      ifNotYou: () =>
        "Quelqu’un d’autre connaît peut-être votre mot de passe. Changez-le, et utilisez si possible une clé d’accès.",
    },
    "recovery-link-made": {
      subject: (app) => `Lien de récupération pour votre compte ${app}`,
      lead: (app) =>
        `L’équipe de ${app} a créé un lien qui vous permet de vous connecter sans votre deuxième étape. Il est valable une seule fois, avec votre mot de passe ou votre autre moyen de connexion.`,
      button: () => "Ouvrir la page de votre compte",
      ifNotYou: (app) => `Dites à ${app} que vous ne l’avez pas demandé.`,
    },
    "personal-token-made": {
      subject: (app) => `Nouveau jeton d’accès personnel pour votre compte ${app}`,
      lead: (app) => `Un jeton a été créé. Avec lui, un programme peut utiliser votre compte ${app} :`,
      button: () => "Ouvrir la page de votre compte",
      ifNotYou: () =>
        "Une autre personne est peut-être dans votre compte. Ouvrez la page de votre compte, mettez fin à ce jeton et aux connexions que vous ne reconnaissez pas. Changez ensuite votre mot de passe, si vous en avez un.",
    },
    "personal-token-ending": {
      subject: (app) => `Un jeton d’accès personnel de votre compte ${app} expire bientôt`,
      lead: (app) =>
        `Un programme utilise ce jeton de votre compte ${app}. Il ne fonctionnera plus quand le jeton expirera :`,
      button: () => "Ouvrir la page de votre compte",
      ifNotYou: () =>
        "Ouvrez la page de votre compte et mettez fin au jeton. Personne ne pourra plus l’utiliser ensuite.",
    },
    "domain-missing": {
      subject: (app) => `Un domaine de votre organisation sur ${app} ne peut plus être confirmé`,
      lead: (app) =>
        `L’enregistrement TXT de ce domaine est absent. S’il est encore absent dans trois jours, plus personne ne pourra rejoindre votre organisation sur ${app} grâce à ce domaine.`,
      button: () => "Ouvrir votre organisation",
      ifNotYou: () =>
        "Quelqu’un a peut-être modifié les enregistrements DNS du domaine. Ajoutez de nouveau l’enregistrement.",
    },
    "domain-lost": {
      subject: (app) => `Un domaine n’appartient plus à votre organisation sur ${app}`,
      lead: (app) =>
        `Ce domaine n’a pas pu être confirmé. Plus personne ne peut rejoindre votre organisation sur ${app} grâce à lui. Les membres restent membres.`,
      button: () => "Ouvrir votre organisation",
      ifNotYou: () =>
        "Quelqu’un a peut-être modifié les enregistrements DNS du domaine. Ajoutez de nouveau l’enregistrement pour le confirmer.",
    },
    "organization-setup": {
      subject: (app) => `Configurez la connexion de votre entreprise à ${app}`,
      lead: (app) =>
        `On vous demande de relier le fournisseur d’identité de votre entreprise à ${app} pour cette organisation\u202f:`,
      button: () => "Ouvrir les étapes",
      ifNotYou: () =>
        "Ne faites rien. Le lien ne s’ouvre qu’avec un code que nous envoyons à cette adresse, et rien ne fonctionne avant la confirmation d’un propriétaire de l’organisation.",
    },
    "organization-setup-code": {
      subject: (app) => `Votre code pour configurer la connexion à ${app}`,
      lead: (app) => `Saisissez ce code pour continuer à configurer la connexion de votre entreprise à ${app}\u202f:`,
      button: () => "Ouvrir les étapes",
      ifNotYou: () => "Ne faites rien et ne donnez le code à personne.",
    },
    "organization-invite": {
      subject: (app) => `Invitation à rejoindre une organisation sur ${app}`,
      lead: (app) => `Vous êtes invité à rejoindre cette organisation sur ${app}\u202f:`,
      button: () => "Voir l’invitation",
      ifNotYou: () =>
        "Ne faites rien. Seule la personne qui possède cette adresse peut utiliser ce lien. Ne le partagez pas.",
    },
    "organization-declined": {
      subject: (app) => `Une invitation à rejoindre votre organisation sur ${app} a été refusée`,
      lead: () => "Une personne que vous avez invitée ne souhaite pas rejoindre cette organisation\u202f:",
      button: () => "Ouvrir la page de votre compte",
      ifNotYou: () =>
        "Demandez à cette personne. Vous ne pouvez pas inviter cette adresse de nouveau pendant 30 jours.",
    },
    "organization-owner-added": {
      subject: (app) => `Votre organisation sur ${app} a un nouveau propriétaire`,
      lead: () => "Quelqu’un peut désormais tout faire dans cette organisation\u202f:",
      button: () => "Ouvrir la page de votre compte",
      ifNotYou: () => "Demandez aux autres propriétaires, et retirez cette personne si ce n’est pas correct.",
    },
    "organization-owner-removed": {
      subject: (app) => `Votre organisation sur ${app} a un propriétaire de moins`,
      lead: () => "Quelqu’un n’est plus propriétaire de cette organisation\u202f:",
      button: () => "Ouvrir la page de votre compte",
      ifNotYou: () =>
        "Demandez aux autres propriétaires. Si c’est l’un d’eux, l’organisation ne peut pas être supprimée pendant 7 jours.",
    },
    "organization-deleted": {
      subject: (app) => `Une organisation sur ${app} va être supprimée`,
      lead: () =>
        "Un propriétaire a supprimé cette organisation. Personne ne peut plus l’utiliser\u202f; ses membres, réglages et domaines seront supprimés définitivement\u202f:",
      button: () => "Garder l’organisation",
      ifNotYou: () => "Gardez l’organisation. Chaque propriétaire peut le faire jusqu’à la suppression.",
    },
    "organization-provider-changes": {
      subject: (app) => `Une autre connexion pour votre organisation sur ${app}`,
      lead: () =>
        "Le fournisseur avec lequel les membres de cette organisation se connectent a été ajouté ou modifié. Cela vaut désormais, ou à partir de l’heure ci-dessous\u202f:",
      button: () => "Ouvrir votre organisation",
      ifNotYou: () =>
        "Ouvrez votre organisation et retirez le fournisseur. Demandez ensuite aux autres propriétaires qui l’a ajouté.",
    },
    "organization-provider-fails": {
      subject: (app) => `La connexion de votre organisation sur ${app} ne fonctionne pas`,
      lead: () =>
        "Personne ne peut se connecter à cette organisation avec son fournisseur. Rien n’a été désactivé\u202f: ceux qui doivent l’utiliser ne peuvent pas se connecter avant son retour.",
      button: () => "Ouvrir votre organisation",
      ifNotYou: () =>
        "Contactez les responsables du fournisseur. Un propriétaire peut se connecter avec une clé d’accès ou un mot de passe et un second facteur.",
    },
    "organization-relink": {
      subject: (app) => `Reconnectez-vous à votre organisation sur ${app}`,
      lead: () =>
        "Le fournisseur de cette organisation connaît ses membres sous de nouvelles identités. Connectez-vous une fois avec lui et prouvez que le compte est le vôtre\u202f:",
      button: () => "Ouvrir votre organisation",
      ifNotYou: () =>
        "Contactez les propriétaires de l’organisation. Personne n’obtient votre compte sans votre propre connexion ou votre boîte aux lettres.",
    },
    approved: {
      subject: (app) => `Votre compte ${app} a été approuvé`,
      lead: (app) => `Vous pouvez maintenant utiliser votre compte ${app}.`,
      button: (app) => `Continuer vers ${app}`,
      ifNotYou: () => "Ignorez cet e-mail. Le compte a été créé avec votre adresse e-mail.",
    },
    refused: {
      subject: (app) => `Votre compte ${app} n’a pas été approuvé`,
      lead: (app) =>
        `Votre compte chez ${app} n’a pas été approuvé et ses données ont été supprimées. Vous pouvez vous inscrire à nouveau.`,
      button: (app) => app,
      ifNotYou: () => "Ignorez cet e-mail. Quelqu’un a demandé un compte avec votre adresse e-mail.",
    },
    "accounts-waiting": {
      subject: (app) => `Des comptes de ${app} attendent une approbation`,
      lead: (app) =>
        `Des personnes inscrites chez ${app} attendent une approbation. Le prochain e-mail arrivera dans une heure au plus tôt.`,
      button: () => "Les voir",
      ifNotYou: () => "Demandez à la personne qui gère ce service : elle a choisi qui reçoit cet e-mail.",
    },
  },
  addressBelow: "Si le bouton ne fonctionne pas, ouvrez cette adresse\u202f:",
  codeInstead: "Ou saisissez ce code sur la page qui le demande\u202f:",
  holdsUntil: (time) => `Le lien et le code sont valables une seule fois, jusqu’au ${time}.`,
  linkHoldsUntil: (time) => `Le lien est valable une seule fois, jusqu’au ${time}.`,
  ifNotYouTitle: "Si ce n’était pas vous",
  ifUnexpectedTitle: "Si vous ne vous y attendiez pas",
  fact: (label, value) => `${label}\u202f: ${value}`,
  when: "Date",
  device: "Appareil",
  ipAddress: "Adresse IP",
  token: "Jeton",
  lastDay: "Dernier jour",
  support: "Assistance",
  invitedBy: "Invitation de",
  person: "Personne",
  provider: "Fournisseur",
  worksFrom: "Valable à partir du",
  since: "Depuis",
  reason: "Raison",
  connects: "Le code relie votre compte à la connexion par",
  lastUsed: "Dernière utilisation",
  browserOn: (browser, device) => `${browser} sur ${device}`,
  accountsWaiting: (count) => (count < 2 ? `${count} compte attend.` : `${count} comptes attendent.`),
  codesLeft: (count) => `Codes de secours restants\u202f: ${count}`,
  methods: { passkey: "Clé d’accès", password: "Mot de passe", oauth: "Compte d’un autre service" },
};
