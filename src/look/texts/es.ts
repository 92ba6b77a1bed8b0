import type { Texts } from "./en.ts";

// Informal.
export const es: Texts = {
  // The frame.
  youAreOn: "Estás en",
  openMailbox: "Modo de desarrollo: abrir el buzón",
  errorTitle: (title) => `Error: ${title}`,
  or: "o",
  cancel: "Cancelar",
  backTo: (app) => `Volver a ${app}`,
  terms: "Condiciones",
  privacy: "Privacidad",
  support: "Soporte",

  // Fields.
  email: "Correo electrónico",
  password: "Contraseña",
  name: "Nombre",
  optional: "Opcional",
  showCharacters: "Mostrar los caracteres",
  hideCharacters: "Ocultar los caracteres",
  show: "Mostrar",
  hide: "Ocultar",

  // Signing in.
  signInTo: (app) => `Inicia sesión en ${app}`,
  signIn: "Iniciar sesión",
  signingIn: "Iniciando sesión…",
  puzzleTitle: "Un momento",
  puzzleWhy: "Este navegador está haciendo un breve cálculo para dejar fuera a los robots. Continuará por sí solo.",
  puzzleNeedsScript: "Este paso necesita JavaScript. Actívalo en esta página o inicia sesión de otra forma.",
  puzzleOrLink:
    "Sin JavaScript, podemos enviarte un enlace por correo. Ábrelo en este navegador e introduce allí tu contraseña.",
  puzzleSendLink: "Enviarme un enlace",
  puzzleLinkSent:
    "Si esta dirección tiene una cuenta y hoy no se ha enviado ya un enlace así, está en camino. Ábrelo en este navegador.",
  signInWithPasskey: "Iniciar sesión con una llave de acceso",
  usingPasskey: "Esperando tu llave de acceso…",
  passkeyInOneLine: "Inicia sesión con tu huella, tu cara o el bloqueo de pantalla. Sin nada que recordar.",
  continueWith: (provider) => `Continuar con ${provider}`,
  opening: (provider) => `Abriendo ${provider}…`,
  emailMeCode: "Enviarme un código",
  emailCodeInOneLine: "Te enviaremos un correo con un código. Sin nada que recordar.",
  signInAs: "Inicias sesión con esta dirección de correo:",
  forgotPassword: "¿Has olvidado tu contraseña?",
  newTo: (app) => `¿Es tu primera vez en ${app}?`,
  usedLast: "Último usado",

  // Creating an account.
  createAccountAt: (app) => `Crea tu cuenta de ${app}`,
  createAccount: "Crear cuenta",
  creatingAccount: "Creando la cuenta…",
  createPasskey: "Crear una llave de acceso",
  creatingPasskey: "Creando tu llave de acceso…",
  orChoosePassword: "o elige una contraseña",
  passwordRule: (length) => `Al menos ${length} caracteres. Lo más fácil: unas cuantas palabras seguidas.`,
  strongEnough: "Es lo bastante segura",
  haveAccount: "¿Ya tienes una cuenta?",

  // Signing in to the account page, and confirming before adding a method.
  signInToAccount: (app) => `Inicia sesión en tu cuenta de ${app}`,
  confirmItsYou: "Confirma que eres tú",
  confirmBefore: (app) => `Inicia sesión de nuevo antes de cambiar tu cuenta de ${app}:`,
  otherAccount: "Esa es otra cuenta. Inicia sesión en la que se indica aquí.",
  proveAddressWhy: (app) =>
    `${app} te deja entrar en cuanto tu dirección de correo esté confirmada. Enviamos un código a ella.`,
  proveAnewWhy: (provider, app) =>
    `${provider} no dice que acabas de iniciar sesión allí. ${app} necesita otra prueba de que eres tú.`,
  proveAnewNoWay: (provider, app) =>
    `${provider} no dice que acabas de iniciar sesión allí, y nada más en esta cuenta puede probar que eres tú: no tiene llave de acceso, ni contraseña, ni una dirección de correo a la que podamos enviar un código. Contacta con ${app}.`,

  // The passkey step after signing in.
  usePasskeyTitle: "Ahora usa tu llave de acceso",
  usePasskeyWhy: (app) => `${app} pide una llave de acceso cada vez que inicias sesión.`,
  usePasskey: "Usar tu llave de acceso",
  createPasskeyTitle: "Crea una llave de acceso para continuar",
  createPasskeyWhy: (app) => `${app} pide una llave de acceso cada vez que inicias sesión, y aún no tienes ninguna.`,
  offerPasskeyTitle: "Inicia sesión más rápido la próxima vez",
  notNow: "Ahora no",
  continuing: "Continuando…",

  // Signed in to this browser already, and what a client of OpenID Connect asks for.
  continueAs: (name) => `Continuar como ${name}`,
  useAnotherAccount: "Usar otra cuenta",
  consentTitle: (client) => `${client} pide acceso`,
  consentQuestion: (client, app) => `¿Permitir que ${client} use tu cuenta de ${app}?`,
  consentGets: "Obtiene:",
  consentAt: (resource) => `Actúa en tu nombre en ${resource}:`,
  consentReturnsTo: "Volverá a",
  consentStaysHere:
    "Permítelo solo si acabas de iniciar este programa: cualquier programa de este dispositivo podría preguntar con este nombre.",
  callsItself: (name) => `Se presenta como «${name}».`,
  nobodyChecked: "Nadie ha comprobado este nombre.",
  scopeOpenid: "Quién eres: un identificador que no cambia",
  scopeProfile: "Tu nombre y tu foto",
  scopeEmail: "Tu dirección de correo",
  scopeGroups: "Los nombres de tus grupos",
  scopeOrganization: "Tu organización y tus roles en ella",
  scopeOfOrganization: (name) => `Tu organización ${name} y tus roles en ella`,
  scopeOfflineAccess: "Acceso también en tu ausencia, hasta que lo termines",
  scopeForwardAuth: (host) => `Usar ${host} en tu nombre`,
  consentAgree: "Permitir",
  consentDeny: "Denegar",

  // The first proof of an address, and what it removes.
  takeOverTitle: "Antes de continuar",
  takeOverFor: (app) => `Tu cuenta de ${app} con esta dirección de correo:`,
  takeOverWhy:
    "Nadie había confirmado antes esta dirección de correo, así que puede que otra persona haya configurado la cuenta. Para que solo tú puedas usarla, al continuar se eliminará lo siguiente:",
  takeOverStays: "El nombre y todo lo demás de la cuenta se conservan.",
  takeOverAgree: "Eliminar y continuar",
  unprovenPassword: "la contraseña que se estableció antes de confirmar la dirección",
  unprovenPasskeys: (count) => `llaves de acceso: ${count}`,
  unprovenProvider: (provider) => `la vinculación con ${provider}`,
  unprovenApp: "la aplicación de autenticación, con sus códigos de recuperación",
  unprovenPrograms: (count) => `programas con acceso: ${count}`,
  unprovenLogins: (count) => `sesiones activas: ${count}`,
  enterPasswordToAgree: "El código es correcto. Escribe de nuevo tu nueva contraseña para aceptar.",

  // Adding a sign-in method. The account is named below the heading.
  addTo: (app) => `A tu cuenta de ${app}:`,
  addPasskeyTitle: "Añadir una llave de acceso",
  addPasswordTitle: "Añadir una contraseña",
  changePasswordTitle: "Cambiar tu contraseña",
  newPassword: "Contraseña nueva",
  savePassword: "Guardar la contraseña",
  saving: "Guardando…",
  addProviderTitle: (provider) => `Añadir ${provider}`,
  addProviderNext: (provider) =>
    `Pasas una vez por ${provider} para indicar cuál es tu cuenta allí. Desde entonces podrás iniciar sesión con ella.`,
  identityTaken: (provider) =>
    `Esa cuenta de ${provider} ya pertenece a otra cuenta de aquí. Elige otra en ${provider}.`,
  identityThere: (provider) => `Con esa cuenta de ${provider} ya puedes iniciar sesión.`,

  // A code in a mail.
  checkMail: "Revisa tu correo",
  code: "Código",
  codeHint: "Ocho cifras, en el correo más reciente.",
  mailedTo: "Hemos enviado un correo a esta dirección:",
  mailedNext: "Introduce aquí su código o abre su enlace en este navegador.",
  confirmCode: "Confirmar",
  confirming: "Confirmando…",
  noMail:
    "¿No ha llegado nada en un minuto? Mira en la carpeta de correo no deseado o pide que se envíe otra vez. Solo funciona el más reciente.",
  sendAgain: "Enviar otra vez",
  sending: "Enviando…",
  sentAgain: "Hay un correo nuevo en camino, salvo que ya se hayan enviado varios en la última hora.",
  wrongAddress: "¿No es tu dirección?",
  otherAddress: "Usar otra",
  confirmAddress: "Confirma tu dirección de correo",
  confirmAddressOf: (app) => `Tu cuenta de ${app} se creará con esta dirección:`,
  confirmAddressFor: (app) => `Esta pasará a ser la dirección confirmada de tu cuenta de ${app}:`,
  confirmAndContinue: (app) => `Confirmar y continuar a ${app}`,

  // Forgotten password.
  forgotLead: (app) =>
    `Introduce la dirección de correo de tu cuenta de ${app}. Te enviaremos un enlace y un código para elegir una contraseña nueva.`,
  sendMail: "Enviar correo",
  resetMailedTo: (app) => `Si esta dirección tiene una cuenta de ${app}, hay un correo en camino:`,
  resetMailedNext: "Abre su enlace en cualquier dispositivo o introduce aquí su código con una contraseña nueva.",
  chooseNewPassword: "Elige una contraseña nueva",
  newPasswordWanted: (app) =>
    `${app} pide una contraseña nueva. Hasta que la elijas, la actual no sirve para nada más.`,
  newPasswordByMail: "Primero enviamos un código por correo, para que nadie más pueda elegirla:",
  newPasswordByReset: "En esta cuenta hace falta un correo con un enlace o un código.",
  newPasswordFor: (app) => `Para tu cuenta de ${app}:`,
  endsLogins: "Al guardarla se cierran todas tus sesiones.",
  resetPassword: "Restablecer tu contraseña",
  resetNotSetUp: (app) => `${app} aún no permite restablecer la contraseña por correo.`,
  resetOrPasskey: (app) =>
    `Si tienes una llave de acceso para esta cuenta, inicia sesión con ella. Si no, pide ayuda al equipo de soporte de ${app}.`,
  resetAskSupport: (app) => `Pide ayuda al equipo de soporte de ${app} para volver a entrar.`,
  backToSignIn: "Volver al inicio de sesión",

  // Passkeys: where the browser can't, and what the browser code says.
  passkeysNeedScript:
    "Las llaves de acceso necesitan JavaScript, y en este navegador está desactivado. Actívalo para esta página y vuelve a cargarla.",
  passkeyNoSupport:
    "Este navegador no admite llaves de acceso. Abre esta página en una versión actual de Chrome, Edge, Firefox o Safari, o en tu teléfono.",
  passkeyNotUsed: "No se ha usado ninguna llave de acceso. Inténtalo de nuevo cuando quieras.",
  passkeyNotUsedOr:
    "No se ha usado ninguna llave de acceso. Inténtalo de nuevo cuando quieras o inicia sesión de otra forma.",
  passkeyNotCreated: "No se ha creado ninguna llave de acceso. Inténtalo de nuevo cuando quieras.",
  passkeyNeedsLock:
    "Este dispositivo no puede comprobar que eres tú. Configura en él un bloqueo de pantalla, una huella o un PIN e inténtalo de nuevo.",
  offline: "Ahora mismo no hay conexión. Revisa tu red e inténtalo de nuevo.",
  timedOut: (app) => `Este inicio de sesión ha caducado. Vuelve a ${app} y empieza de nuevo.`,

  // What went wrong and what to do next: the summary above the form.
  wrongCredentials:
    "El correo y la contraseña no coinciden. Inténtalo de nuevo, restablece tu contraseña o espera unos minutos.",
  tooManyTries: (wait) => `Demasiados intentos. Puedes volver a intentarlo dentro de ${wait}.`,
  tooManyTriesOrPasskey: (wait) =>
    `Demasiados intentos. Puedes volver a intentarlo dentro de ${wait} o iniciar sesión con una llave de acceso.`,
  busy: "Hay muchas personas iniciando sesión en este momento. Espera unos segundos e inténtalo de nuevo.",
  passkeyUnknown: (app) =>
    `Esa llave de acceso no está vinculada a ninguna cuenta de ${app}. Prueba con otra o inicia sesión de otra forma.`,
  passkeyFailed: "No se ha podido comprobar esa llave de acceso. Inténtalo de nuevo o inicia sesión de otra forma.",
  passkeyChanged:
    "Esa llave de acceso ha cambiado desde que se añadió aquí. Inicia sesión de otra forma, elimínala y añádela de nuevo.",
  passkeyNotSaved: "No se ha podido guardar esa llave de acceso. Inténtalo de nuevo.",
  passkeyExists: "Este dispositivo ya tiene una llave de acceso para esta cuenta. Inicia sesión con ella.",
  passkeysFull: "Tu cuenta ya tiene todas las llaves de acceso que puede tener. Quita primero una que ya no uses.",
  providerCancelled: (provider) =>
    `Has vuelto de ${provider} sin iniciar sesión. Inténtalo de nuevo o inicia sesión de otra forma.`,
  providerNoEmail: (provider) =>
    `${provider} no ha compartido ninguna dirección de correo. Permítelo allí e inténtalo de nuevo, o inicia sesión de otra forma.`,
  providerUnsupportedEmail: (provider) =>
    `Tu dirección de correo en ${provider} no se puede usar aquí. Usa otra en ${provider} o inicia sesión de otra forma.`,
  providerUnverifiedEmail: (provider) =>
    `Tu dirección de correo aún no está confirmada en ${provider}. Confírmala en ${provider} e inténtalo de nuevo.`,
  providerExistingAccount: (provider, app) =>
    `Ya existe una cuenta de ${app} con esta dirección de correo. Inicia sesión en ella como de costumbre; después podrás añadir ${provider}.`,
  providerLinksAfter: (provider, app) =>
    `Esta dirección de correo ya tiene una cuenta en ${app}. Inicia sesión en ella de otra forma y tu cuenta de ${provider} quedará vinculada.`,
  providerEmailRefused: (provider, app) =>
    `${app} no acepta la dirección de correo de tu cuenta de ${provider}. Usa otra cuenta u otra forma.`,
  providerNoAccount: (provider, app) =>
    `Ninguna cuenta de ${app} corresponde a esta cuenta de ${provider}, y ${app} no admite cuentas nuevas aquí.`,
  providerRefused: (provider, app) =>
    `${app} no puede iniciar tu sesión con esta cuenta de ${provider}. Inicia sesión de otra forma o contacta con ${app}.`,
  providerFailed: (provider) =>
    `${provider} no ha respondido como se esperaba. Inténtalo de nuevo o inicia sesión de otra forma.`,
  cannotCreate: "No hemos podido crear una cuenta con estos datos. Si ya tienes una, inicia sesión.",

  codeOver: "Ese código ya no sirve: se ha usado, se ha probado demasiadas veces o es muy antiguo. Pide otro correo.",

  // The same in a few words, beside the field.
  codeMissing: "Introduce las ocho cifras.",
  codeWrong: "No es el código del correo más reciente.",
  emailMissing: "Introduce tu dirección de correo.",
  emailInvalid: "Introduce una dirección como nombre@example.com.",
  emailRefused: (app) => `${app} no acepta direcciones de este dominio. Usa otra dirección.`,
  emailOnlyOf: (app, domains) => `${app} solo acepta direcciones de ${domains}.`,
  emailUnsupported: "Aquí no se admiten letras como ü ni signos como % antes de la @. Usa otra dirección.",
  passwordMissing: "Introduce tu contraseña.",
  newPasswordMissing: "Introduce una contraseña.",
  passwordTooShort: (length) => `Es muy corta. Usa al menos ${length} caracteres.`,
  passwordTooLong: (length) => `Es muy larga. Usa como máximo ${length} caracteres.`,
  passwordCommon: "Es fácil de adivinar: está en las listas de contraseñas más usadas.",
  passwordSame: "Es tu contraseña actual. Elige otra.",
  passwordBreached: "Ha aparecido en una filtración de datos. Elige una que no uses en ningún otro sitio.",
  passwordOfCommonOnes: "Está hecha de contraseñas muy usadas. Elige algo menos previsible.",
  passwordOnKeyboard: "Es un patrón del teclado. Elige algo menos previsible.",
  passwordRepeats: "Repite los mismos caracteres o palabras. Elige algo menos previsible.",
  passwordIsSequence: "Es una secuencia como abcd o 1234. Elige algo menos previsible.",
  passwordIsDate: "Es sobre todo una fecha. Elige algo menos previsible.",
  passwordIsPersonal: "Es sobre todo tu nombre, tu correo o el nombre de la aplicación. Elige algo menos previsible.",
  passwordPredictable: "Es demasiado fácil de adivinar. Elige algo menos previsible.",
  passwordContext: (app) => `Usa algo distinto de tu correo o del nombre ${app}.`,
  nameTooLong: (length) => `Es muy largo. Usa como máximo ${length} caracteres.`,

  // Whole-page messages: a heading and what to do next.
  expiredTitle: "Este inicio de sesión ha caducado",
  expiredNext: (app) => `Vuelve a ${app} y empieza de nuevo.`,
  unknownNext: "Vuelve a la aplicación de la que vienes y empieza de nuevo.",
  finishedTitle: "Has iniciado sesión",
  finishedNext: (app) => `Puedes cerrar esta página o continuar a ${app}.`,
  continueTo: (app) => `Continuar a ${app}`,
  linkOverTitle: "Este enlace ya no funciona",
  linkOverNext:
    "Se ha usado, es muy antiguo o un correo más reciente lo ha sustituido. Abre el correo más reciente o empieza de nuevo desde la aplicación.",
  sendNewLink: "Enviar un enlace nuevo",
  linkElsewhereTitle: "Abre este enlace donde lo pediste",
  linkElsewhereNext:
    "No se ha confirmado nada. Para que nadie pueda usar tu dirección en una cuenta ajena, el enlace solo funciona en el navegador que lo pidió. Ábrelo allí o introduce el código del correo en la página que espera allí.",
  signInLinkElsewhereNext:
    "No se ha iniciado ninguna sesión. El enlace solo funciona en el navegador que lo pidió. Ábrelo allí o introduce el código del correo en la página que espera allí. Si no lo has pedido, cierra esta página.",
  inviteTitle: (app) => `Te damos la bienvenida a ${app}`,
  inviteNext: "Tienes una cuenta preparada, con esta dirección de correo:",
  inviteChoose: "Elige cómo vas a iniciar sesión.",
  invitePassword: "Elegir una contraseña",
  addressTakenTitle: "Esta dirección no se puede usar",
  addressTakenNext: (app) => `Otra cuenta de ${app} la tiene. No se ha cambiado nada.`,
  addressRestoredTitle: "Tu dirección de correo está restaurada",
  addressRestoredReset:
    "Se han cerrado todas las sesiones. Elige ahora una contraseña nueva. Después abre la página de tu cuenta y elimina los métodos que no sean tuyos.",
  addressRestoredNext:
    "Se han cerrado todas las sesiones. Inicia sesión en la página de tu cuenta y elimina los métodos que no sean tuyos.",
  addressRestoredChoose:
    "Se han cerrado todas las sesiones y no queda ningún método para entrar. Elige ahora uno nuevo.",
  chooseMethod: "Elegir cómo iniciar sesión",
  continueToAccount: "Abrir la página de tu cuenta",
  pendingTitle: "Tu cuenta espera aprobación",
  pendingNext: (app) =>
    `Alguien de ${app} la revisa. Recibirás un correo en cuanto se decida. Hasta entonces no puedes iniciar sesión.`,
  accountCreatedTitle: "Tu cuenta está creada",
  accountCreatedNext: (app) => `Tu dirección de correo está confirmada. Continúa a ${app} e inicia sesión.`,
  passwordChangedTitle: "Tu contraseña ha cambiado",
  passwordChangedNext: "Se han cerrado todas tus sesiones. Inicia sesión con tu contraseña nueva.",
  otherBrowserTitle: "Este inicio de sesión empezó en otro navegador",
  otherBrowserNext: (app) => `Termínalo allí o vuelve a ${app} en este navegador y empieza de nuevo.`,
  otherBrowserNextUnknown: "Termínalo allí o empieza de nuevo desde la aplicación en este navegador.",
  badRedirectTitle: "Este enlace de inicio de sesión no funciona",
  badRedirectNext:
    "La dirección de vuelta no está registrada para esta aplicación, así que no te hemos enviado a ella. Avisa a los responsables de la aplicación.",
  badLinkTitle: "Este enlace no funciona",
  badLinkNext:
    "Vuelve a la aplicación de la que vienes e inténtalo de nuevo. Si sigue sin funcionar, avisa a los responsables de la aplicación.",
  badLinkDetails: "Lo que necesitan saber:",
  noPageTitle: "Aquí no hay ninguna página",
  noPageNext: "Revisa la dirección o vuelve a la aplicación de la que vienes.",
  homeTitle: "Aquí se inicia sesión",
  homeNext: "Las aplicaciones te traen aquí para iniciar sesión. Empieza desde la aplicación que quieras usar.",
  noMethodsTitle: "Aún no hay forma de iniciar sesión",
  noMethodsNext: (app) => `${app} no ha activado ninguna forma de iniciar sesión. Avisa a sus responsables.`,
  noMethodsCommand: "Estás en modo de desarrollo. Activa un método con este comando y vuelve a cargar la página:",
  crossSiteTitle: "Eso no venía de esta página",
  crossSiteNext: "No se ha cambiado nada. Vuelve a la aplicación de la que vienes y empieza de nuevo.",
  cookiesTitle: "Las cookies están desactivadas",
  cookiesNext:
    "Para iniciar sesión hace falta una cookie en este sitio. Permítela en los ajustes de tu navegador y vuelve a cargar esta página.",
  serverErrorTitle: "Algo ha salido mal",
  serverErrorNext: "Espera un momento, vuelve atrás e inténtalo de nuevo.",
  tooManyTitle: "Demasiados intentos",
  tooManyNext: (wait) => `Puedes volver a intentarlo dentro de ${wait}.`,
  busyTitle: "Hay mucho tráfico en este momento",
  busyNext: "Hay muchas personas iniciando sesión. Espera unos segundos e inténtalo de nuevo.",

  // The account page.
  accountTitle: (app) => `Tu cuenta de ${app}`,
  backToAccount: "Volver a tu cuenta",
  onThisPage: "En esta página",
  toSignIn: "Inicio de sesión",
  toDevices: "Dispositivos",
  toPrograms: "Programas",
  yourApps: "Tus aplicaciones",
  toTokens: "Tokens personales",
  toData: "Datos",

  // Profile.
  profile: "Perfil",
  edit: "Editar",
  picture: "Imagen",
  linkToPicture: "Enlace a una imagen",
  pictureHint: "Una dirección que empieza por https://. Las aplicaciones muestran la imagen junto a tu nombre.",
  openPicture: "Abrir la imagen",
  initialsInstead: "Estas páginas muestran tus iniciales para que el sitio de la imagen no sepa cuándo estás aquí.",
  notSet: "Sin indicar",
  verified: "Confirmada",
  notVerified: "Sin confirmar",
  verifyEmail: "Confirmar",
  changeEmail: "Cambiar la dirección de correo",
  changeEmailNext:
    "Enviamos un correo con un código a la dirección nueva. Tu dirección actual también recibe uno, con un enlace que deshace el cambio durante 7 días.",
  newEmail: "Dirección de correo nueva",
  emailSame: "Esta ya es tu dirección.",
  emailTaken: (app) => `Otra cuenta de ${app} tiene esta dirección.`,
  restoreTitle: "Restaurar tu dirección de correo",
  restoreNext: (app) => `La dirección de correo de tu cuenta de ${app} ha cambiado. Se restaura esta:`,
  restoreEnds: "Se cierran todas las sesiones de la cuenta, en todos los navegadores.",
  restoreRemoves: "También se elimina esto, porque otra persona puede conocerlo o haberlo añadido:",
  restoreAlso: "Elimina también estos si no son tuyos:",
  restore: "Restaurar la dirección",
  restoring: "Restaurando…",
  editProfile: "Editar tu perfil",
  save: "Guardar",
  nameMissing: "Introduce tu nombre.",
  pictureNotHttps: "Introduce una dirección como https://example.com/yo.png.",
  changePicture: "Cambiar tu imagen",
  pictureFile: "Archivo de imagen",
  pictureFileHint: "PNG, JPEG o WebP. Las aplicaciones la muestran junto a tu nombre.",
  savePicture: "Guardar imagen",
  removePicture: "Eliminar imagen",
  undo: "Deshacer",
  undoPictureNext: "Durante una hora puedes volver a lo que había antes.",
  pictureNone: "Elige un archivo.",
  pictureLarge: "El archivo ocupa más de 256 KB. Reduce la imagen: bastan 512 × 512 píxeles.",
  pictureWide: "La imagen mide más de 4096 píxeles de ancho o de alto. Redúcela.",
  pictureMoving: "Esta imagen se mueve. Guarda uno de sus fotogramas como PNG o JPEG.",
  picturePrint: "Los colores son para imprimir (CMYK). Guarda la imagen en RGB.",
  pictureBroken: "El archivo está dañado o incompleto. Guárdalo o descárgalo otra vez.",
  pictureOther: "Este tipo de archivo no se muestra en todas partes. Guarda la imagen como JPEG o PNG.",
  pictureTooLate: "Esto ya no se puede deshacer.",

  // Sign-in methods.
  methods: "Cómo inicias sesión",
  addedOn: (date) => `Se añadió el ${date}`,
  changedOn: (date) => `Se cambió el ${date}`,
  lastUsed: (date) => `Último uso: ${date}`,
  neverUsed: "Aún sin usar",
  notInUse: (app) => `Ahora mismo ${app} no permite iniciar sesión así`,
  passkey: "Llave de acceso",
  addPasskey: "Añadir una llave de acceso",
  addPassword: "Añadir una contraseña",
  connect: (provider) => `Vincular ${provider}`,
  connectMenu: "Vincular…",
  change: "Cambiar",
  changePassword: "Cambiar la contraseña",
  rename: "Cambiar nombre",
  renameNamed: (name) => `Cambiar nombre de «${name}»`,
  renameTitle: "Cambiar el nombre de esta llave de acceso",
  renameHint: "Un nombre que te diga dónde está esta llave de acceso.",
  labelMissing: "Introduce un nombre.",
  remove: "Eliminar",
  removeNamed: (name) => `Eliminar «${name}»`,
  removePasswordTitle: "¿Eliminar tu contraseña?",
  removeTitle: (name) => `¿Eliminar «${name}»?`,
  removing: "Eliminando…",
  removePasskeyNext: (app) =>
    `Ya no servirá para iniciar sesión en ${app}. Puede seguir en la lista de llaves de acceso de tu dispositivo hasta que la borres allí.`,
  removePasswordNext: (app) => `Ya no servirá para iniciar sesión en ${app}.`,
  removeProviderNext: (provider) =>
    `Ya no podrás iniciar sesión con esta cuenta de ${provider}. Tu cuenta en ${provider} se queda como está.`,
  removeStaysSignedIn: "Tus sesiones abiertas siguen abiertas.",
  lastMethod: "Sin este método ya no podrías iniciar sesión. Añade antes otra forma de hacerlo.",
  lastPasskey: (app) => `${app} pide una llave de acceso cada vez, y esta es la única que tienes. Añade antes otra.`,

  // Logins.
  logins: "Dónde tienes la sesión abierta",
  noLogins: (app) => `Ahora mismo no tienes ninguna sesión abierta en ${app}, salvo en esta página.`,
  browserOn: (browser, device) => `${browser} en ${device}`,
  unknownDevice: "Dispositivo desconocido",
  byOperator: (app) => `Acceso del equipo de ${app}`,
  byActor: (name, app) => `${name}, del equipo de ${app}`,
  actorReason: (reason) => `Motivo: ${reason}`,
  here: "Este navegador",
  signedInOn: (date) => `Se inició el ${date}`,
  lastSeen: (date) => `Última actividad: ${date}`,
  signOut: "Cerrar sesión",
  signOutNamed: (name) => `Cerrar sesión: ${name}`,
  signOutOthers: "Cerrar las demás sesiones",
  signOutAll: "Cerrar todas las sesiones",
  signingOut: "Cerrando sesión…",
  signOutHere: "Cerrar sesión en este navegador",
  signOutHereNext: "Se cerrará la sesión en todo lo que hayas abierto en este navegador con estas cuentas.",
  signOutOf: (app) => `¿Cerrar sesión en ${app}?`,
  signOutOfNext: (app) =>
    `Se cerrará la sesión en todo lo que hayas abierto en este navegador con tu cuenta de ${app}.`,
  staySignedIn: "Mantener la sesión",

  // Programs with access.
  programs: "Programas con acceso",
  allowedOn: (date) => `Permitido el ${date}`,
  removeAccess: "Retirar acceso",
  removeAccessNamed: (name) => `Retirar acceso a ${name}`,

  // Personal access tokens.
  tokens: "Tokens de acceso personales",
  tokensNext: (app) => `Con un token, un programa tuyo puede usar tu cuenta de ${app} sin iniciar sesión.`,
  tokensOff: (app) => `${app} no acepta estos tokens en este momento.`,
  tokenNeedsAddress: "Para crear un token, verifica primero tu correo electrónico.",
  tokenAllowsNothing: (app) =>
    `Ahora mismo un token no puede hacer nada aquí: ${app} solo funciona dentro de una organización, y los tokens no pertenecen a ninguna. Pregunta a los responsables de ${app} qué programas aceptan tokens.`,
  newToken: "Nuevo token",
  tokenFor: (name) => `Para ${name}`,
  tokenNameHint: "Un nombre que te diga qué programa usa el token.",
  tokenScopes: "Qué puede hacer el token",
  tokenHosts: "Qué abre el token",
  tokenLastDay: "Último día",
  tokenLastDayHint: (lastDay, timeZone) =>
    `El token funciona hasta el final de este día (${timeZone}). Puedes elegir un día hasta el ${lastDay}.`,
  makeToken: "Crear token",
  makingToken: "Creando…",
  tokenNothingChosen: "Elige al menos una cosa que pueda hacer el token.",
  tokenDayMissing: "Elige un día, hoy o más tarde.",
  tokenDayLate: (lastDay) => `Elige el ${lastDay} o un día anterior.`,
  tokensFull: (max) => `Tienes ${max} tokens. Finaliza uno que no necesites.`,
  tokenMadeTitle: "Guarda tu token",
  tokenMadeNext:
    "Solo se muestra ahora. Quien lo tenga puede usar tu cuenta con él, así que guárdalo tan bien como una contraseña.",
  tokenKept: "Lo he guardado",
  tokenEnds: (date) => `Caduca el ${date}`,
  endToken: "Finalizar",
  endingToken: "Finalizando…",
  endTokenNamed: (name) => `Finalizar ${name}`,
  endTokensToo: "Finalizar también mis tokens de acceso personales",

  // Personal data.
  data: "Tus datos",
  downloadLink: "Descargar tus datos",
  downloadTitle: "Descargar tus datos",
  downloadNext: (app) =>
    `Un archivo con tu perfil, tus formas de iniciar sesión y tus sesiones abiertas en ${app}. No contiene contraseñas ni llaves.`,
  download: "Descargar",
  deleteLink: "Eliminar tu cuenta",
  deleteTitle: (app) => `¿Eliminar tu cuenta de ${app}?`,
  deleteNow: "Esto ocurre al momento y no se puede deshacer:",
  deleteProfile: "Se eliminan tu perfil y todas tus formas de iniciar sesión.",
  deleteLogins: (app) => `Se cierran todas tus sesiones en ${app}.`,
  deleteElsewhere: (app) => `Lo que ${app} guarda sobre ti por su cuenta lo tiene que eliminar ${app}. Pídelo allí.`,
  deleteForGood: "Eliminar mi cuenta para siempre",
  deleting: "Eliminando…",

  // Notices on the account page, after an action.
  noticeProfile: "Tu perfil se ha guardado.",
  noticePicture: "Tu imagen se ha guardado.",
  noticePictureRemoved: "Tu imagen se ha eliminado.",
  noticePictureUndone: "El cambio de tu imagen se ha deshecho.",
  noticeVerified: "Tu dirección de correo está confirmada.",
  noticeEmail: "Tu dirección de correo ha cambiado.",
  noticeRenamed: "El nombre nuevo se ha guardado.",
  noticeRemoved: "Método eliminado. Ya nadie puede iniciar sesión con él.",
  noticeAdded: (name) => `A partir de ahora puedes iniciar sesión con «${name}».`,
  noticePassword: "Tu contraseña se ha guardado.",
  noticeLoginEnded: "Se ha cerrado la sesión en ese dispositivo.",
  noticeOthersEnded: "Se han cerrado las demás sesiones.",
  noticeTokenEnded: "El token ha finalizado. Ya nadie puede usarlo.",
  noticeAccessRemoved: "Ese programa ya no tiene acceso a tu cuenta.",

  // Shown instead of the account page.
  noAccountTitle: "Abre esta página desde tu aplicación",
  noAccountNext:
    "Cada aplicación tiene su propia página de cuenta. Ve a la aplicación que usas y abre tu cuenta desde ahí.",
  signedOutTitle: "Has cerrado sesión",
  signedOutHere: "Nadie tiene la sesión iniciada en este navegador.",
  signedOutNext: (app) => `Para ver o cambiar tu cuenta de ${app}, vuelve a iniciar sesión.`,
  notSignedInTitle: "No has iniciado sesión",
  notSignedInNext: (app) => `Para ver o cambiar tu cuenta de ${app}, inicia sesión.`,
  readyTitle: "Tu cuenta está lista",
  readyNext: (app) => `A partir de ahora, inicia sesión en ${app} de la forma que acabas de elegir.`,
  deletedTitle: "Tu cuenta se ha eliminado",
  deletedNext: (app) => `Ya no puedes iniciar sesión en ${app} con ella. Puedes cerrar esta página.`,
  notFoundTitle: "Eso ya no está aquí",
  notFoundNext: "Puede que se haya eliminado hace un momento. La página de tu cuenta muestra lo que hay ahora.",

  // Second factors: signing in.
  factorTitle: "Introduce tu código",
  factorNext: (app) => `Abre tu aplicación de autenticación e introduce el código que muestra para ${app}.`,
  factorHint: "Seis cifras.",
  useRecoveryCode: "Usar un código de recuperación",
  useAppCode: "Usar tu aplicación de autenticación",
  recoveryTitle: "Introduce un código de recuperación",
  recoveryNext:
    "Usa uno de los códigos que guardaste al configurar tu aplicación de autenticación. Cada uno sirve una sola vez.",
  recoveryCode: "Código de recuperación",
  recoveryHint: "24 letras y cifras, con o sin los guiones.",
  trustBrowser: (days) => `No preguntar en este navegador durante ${days} ${days === 1 ? "día" : "días"}`,
  factorLost: (app) =>
    `¿Has perdido tu aplicación de autenticación y tus códigos de recuperación? Pide ayuda a ${app}.`,
  factorMalformed: "Introduce las seis cifras que muestra tu aplicación.",
  recoveryMalformed: "Introduce las 24 letras y cifras de un solo código.",
  factorWrong: "Ese código no es correcto o ya se ha usado. Espera al siguiente.",
  recoveryWrong: "Ese código no es correcto o ya se ha usado.",
  factorBlockedTitle: "Los códigos no sirven ahora",
  factorBlocked: "Se han introducido demasiados códigos incorrectos para esta cuenta.",
  factorBlockedPasskey: "Usa tu llave de acceso. Después, los códigos volverán a servir.",

  // The operator's link for people who lost their app.
  recoverTitle: "Iniciar sesión sin tu código",
  recoverNext: (app) => `Este enlace es para tu cuenta de ${app}:`,
  recoverRemoves:
    "Inicia sesión una vez más. Después se eliminan tu aplicación de autenticación y tus códigos de recuperación, y puedes configurar una aplicación nueva.",

  // Setting an authenticator app up.
  setUpTitle: "Configurar una aplicación de autenticación",
  setUpWhy: (app) => `${app} pide un código de una aplicación así cuando inicias sesión sin llave de acceso.`,
  setUpNext: "Cuando inicies sesión sin llave de acceso, se te pedirá también un código de esta aplicación.",
  setUpScan: "Escanea esto con una aplicación de autenticación en tu teléfono:",
  setUpQrCode: "Código QR con la clave de abajo",
  setUpHere: "Abrir en una aplicación de este teléfono",
  setUpTyped: "O introduce esta clave en la aplicación:",
  setUpCode: "Código que muestra la aplicación",
  setUpCodeHint: "Seis cifras. Demuestran que la aplicación tiene la clave.",
  turnOn: "Activar",
  turningOn: "Activando…",
  setUpOver: "Esta página ha estado abierta demasiado tiempo o tu cuenta ha cambiado. Escanea el código nuevo.",

  // Recovery codes.
  codesTitle: "Guarda tus códigos de recuperación",
  codesNext:
    "Cuando no tengas tu aplicación de autenticación, introduce uno de estos códigos en su lugar. Cada uno sirve una sola vez. Solo se muestran ahora, así que guárdalos en un lugar seguro.",
  codesDownload: "Descargar",
  codesPrint: "Imprimir",
  codesKept: "Los he guardado",
  codesAway: "Tus códigos de recuperación se mostraron una vez. Puedes obtener otros en la página de tu cuenta.",
  codeUsedTitle: "Has usado un código de recuperación",
  codesLeft: (count) =>
    count === 0 ? "No te queda ninguno." : count === 1 ? "Te queda 1 código." : `Te quedan ${count} códigos.`,
  codesFew: "Obtén otros en la página de tu cuenta. Si tu aplicación ya no funciona, sustitúyela allí.",
  appNotUsed: "Has entrado sin tu aplicación de autenticación. Si ya no funciona, sustitúyela ahora.",
  continue: "Continuar",

  // Second factors on the account page.
  secondStep: "Segundo paso",
  secondStepNext: "Con una aplicación de autenticación, nadie entra solo con tu contraseña.",
  authenticatorApp: "Aplicación de autenticación",
  codesBlocked:
    "Los códigos no sirven ahora, porque se han introducido demasiados incorrectos. Para volver a usarlos, sustituye la aplicación.",
  setUp: "Configurar",
  replace: "Sustituir",
  replaceTitle: "Sustituir tu aplicación de autenticación",
  replaceNext:
    "La aplicación que tienes ahora sirve hasta que se active la nueva. También recibes códigos de recuperación nuevos.",
  recoveryCodes: "Códigos de recuperación",
  recoveryCodesLeft: (count) => (count === 1 ? `Queda ${count}` : `Quedan ${count}`),
  codesRunOut: "Obtén otros antes de quedarte sin ninguno.",
  newCodes: "Obtener códigos nuevos",
  newCodesTitle: "¿Obtener códigos de recuperación nuevos?",
  newCodesNext: "Los códigos que tienes ahora dejan de servir.",
  removeFactorTitle: "¿Eliminar tu aplicación de autenticación?",
  removeFactorNext:
    "Ya no se te pedirá ningún código al iniciar sesión. Tus códigos de recuperación también dejan de servir.",
  factorRequired: (app) =>
    `${app} exige un segundo paso, así que la aplicación no se puede eliminar. Puedes sustituirla.`,
  trustedUntil: (date) => `Sin pedir código hasta el ${date}`,
  askAgain: "Volver a pedir",
  askAgainNamed: (browser) => `Volver a pedir: ${browser}`,
  noticeFactorAdded: "Tu aplicación de autenticación está configurada.",
  noticeFactorRemoved: "Tu aplicación de autenticación se ha eliminado.",
  noticeTrustEnded: "En ese navegador se volverá a pedir un código.",

  // Signing in on a device that has no browser.
  deviceTitle: "Inicia sesión en tu dispositivo",
  deviceLead: "Introduce el código que muestra tu dispositivo.",
  deviceLeadFilled: "Comprueba que tu dispositivo muestra este código.",
  deviceCodeHint: "Ocho letras, por ejemplo WDJB-MJHT.",
  deviceInFront:
    "Continúa solo si el código está en un dispositivo delante de ti. Si alguien te ha enviado el código, detente aquí: esa persona entraría en tu cuenta.",
  deviceEnterCode: "Introducir un código",
  deviceCodeMalformed: "Introduce las ocho letras.",
  deviceCodeWrong: "Este código no sirve o ya no sirve.",
  deviceAskTitle: (client) => `¿Iniciar sesión en ${client}?`,
  deviceAccount: (app) => `El dispositivo usará entonces tu cuenta de ${app}:`,
  deviceAskedAt: (when) => `El dispositivo lo pidió el ${when}, desde esta dirección:`,
  deviceAllowedTitle: "Puedes volver a tu dispositivo",
  deviceAllowedNext: "Continúa por sí solo en unos segundos. Puedes cerrar esta página.",
  deviceDeniedTitle: "No se ha permitido nada",
  deviceDeniedNext: "No se ha iniciado sesión en el dispositivo. Puedes cerrar esta página.",
  deviceOverTitle: "Este código ya no sirve",
  deviceOverNext: "Se ha usado o es demasiado antiguo. Pide otro en tu dispositivo.",
  deviceNotAdmittedTitle: "Esta cuenta no se puede usar aquí",
  deviceNotAdmittedNext: (app) =>
    `Quienes gestionan ${app} solo permiten este programa a algunas cuentas. Introduce el código otra vez y elige otra cuenta.`,

  // The organization of a sign-in.
  organizationTitle: "Elige una organización",
  organizationLead: (app) => `¿Para qué organización quieres usar ${app}?`,
  organizationLost: "Ya no puedes usar la última organización que usaste.",
  organizationFilter: "Buscar una organización",
  organizationFind: "Buscar",
  organizationNoMatch: "No tienes ninguna organización con ese nombre.",
  organizationOffer: (domain: string) => `Tu dirección es de ${domain}. Puedes unirte a esta organización.`,
  organizationWithout: "Continuar sin organización",
  organizationNeededTitle: "Necesitas una organización",
  organizationNeededNext: (app) =>
    `${app} es para miembros de una organización. Pide una invitación a quienes gestionan la tuya.`,
  organizationNeededOrCreate: (app) =>
    `${app} es para miembros de una organización. Crea una o pide una invitación a quienes gestionan la tuya.`,
  organizationInvitedTitle: "Tienes una invitación",
  organizationInvitedLead: "Únete ahora o decídelo más tarde en la página de tu cuenta.",
  organizationJoinNamed: (name) => `Unirse a ${name}`,
  organizationDeclineNamed: (name) => `Rechazar la invitación de ${name}`,
  organizationName: "Nombre de la organización",
  organizationNameRefused: "Escribe un nombre de 64 caracteres como máximo que no sea una dirección web.",
  organizationTooMany: "Ya has creado el máximo de organizaciones.",
  // An invitation into an organization.
  organizationInviteTitle: (organization) => `¿Quieres unirte a ${organization}?`,
  organizationInviteFor: "Esta invitación es para la persona que tiene esta dirección:",
  organizationInviteOther: "Has iniciado sesión con otra dirección.",
  organizationInviteVerify: "Confirma primero que esta dirección es tuya. Después, abre otra vez el enlace del correo.",
  organizationJoin: "Unirse",
  organizationDecline: "Rechazar",
  organizationInviteFull:
    "Ahora no puedes unirte: la organización ya tiene el máximo de miembros. Pregunta a quien te invitó.",

  // The page of an organization.
  organizations: "Tus organizaciones",
  organizationsNone: "No estás en ninguna organización.",
  organizationInvitations: "Invitaciones",
  organizationCreate: "Crear una organización",
  organizationOwnRoles: "Tus roles:",
  organizationMembers: "Miembros",
  organizationMore: "Más miembros",
  organizationOwner: "Propietario",
  organizationAdmin: "Administrador",
  organizationMember: "Miembro",
  organizationRolesOf: (name) => `Roles de ${name}`,
  organizationRoles: "Roles",
  organizationWithdraw: (email) => `Retirar la invitación a ${email}`,
  organizationAddresses: "Direcciones de correo, una por línea",
  organizationSendInvitations: "Enviar invitaciones",
  organizationDomains: "Dominios",
  organizationDomainsNext:
    "Quien tiene una dirección de un dominio confirmado puede unirse. Puede haber 10 dominios. Quita uno para añadir otro.",
  organizationDomain: "Dominio",
  organizationDomainAdd: "Añadir el dominio",
  organizationDomainPending: "Aún sin confirmar",
  organizationDomainWaiting: "Confirmado, pero lo tiene otra organización",
  organizationDomainProved: "Confirmado",
  organizationDomainLapsed: "Perdido, porque falta su registro",
  organizationDomainRecord: "Para confirmar el dominio, añade este registro TXT a su DNS.",
  organizationDomainFound: (values: string) => `Encontrado allí: ${values}`,
  organizationDomainMissing: "No existe ese registro.",
  organizationDomainUnknown: (reason: string) =>
    `Los servidores de nombres no respondieron (${reason}). Esto no cambia nada.`,
  organizationDomainDoubled: (name: string) => `El registro está en ${name}. Quita el dominio de su nombre.`,
  organizationDomainCheck: (domain: string) => `Comprobar ${domain}`,
  organizationDomainJoin: (domain: string) => `Quién puede unirse con una dirección de ${domain}`,
  organizationJoinOff: "Nadie",
  organizationJoinAsk: "Quien pulsa un botón",
  organizationJoinOn: "Las cuentas nuevas automáticamente, las demás con un botón",
  organizationSettings: "Ajustes",
  organizationSlug: "Nombre corto en direcciones web",
  organizationPolicyOff: "Desactivado",
  organizationPolicyRequired: "Obligatorio",
  organizationLeave: "Salir de la organización",
  organizationDelete: "Eliminar la organización",
  organizationDeleteNext:
    "Después nadie podrá usarla. A los 7 días se elimina para siempre; hasta entonces, cualquier propietario puede conservarla.",
  organizationDeletedNext:
    "A partir de ahora nadie puede usarla. Después de 7 días se elimina para siempre; hasta entonces, cualquier propietario puede conservarla.",
  organizationKeep: "Conservar la organización",
  organizationSaved: "Guardado.",
  organizationRefused: "No fue posible. Revisa lo que escribiste y si tus roles lo permiten.",
  organizationConflict:
    "Ahora no es posible. Una organización necesita un propietario y tiene límites de miembros y cambios.",
  organizationChanged: (value) =>
    `No se guardó nada, porque otra persona lo cambió mientras tanto. Guarda de nuevo para reemplazar lo que hay ahora: ${value}`,
  organizationSlugRefused:
    "Usa de 2 a 48 caracteres (a–z, 0–9 y guion) y un nombre que esté libre. Se puede cambiar 3 veces.",
  organizationDomainRefused: "Escribe un dominio propio, como example.com. Puede haber 10.",
  setupTitle: (organization) => `Configurar el inicio de sesión de ${organization}`,
  setupCodeLead: "Este enlace se abre con un código. Lo enviamos a esta dirección:",
  setupNext: "Nada de lo que añadas aquí funciona hasta que un propietario de la organización lo confirma.",
  setupProvider: "Proveedor de identidad",
  setupAdded: "Añadido. Un propietario de la organización lo prueba y lo confirma:",
  setupOpen: "Abre allí:",
  setupIssuerLike: "El emisor tiene este aspecto:",
  setupRefused:
    "No ha sido posible. Revisa el ID y el secreto de cliente. Quizá otro proveedor ya espera a un propietario.",
  setupAsk: "Pedir a alguien que lo configure",
  setupEnd: (email) => `Finalizar el enlace para ${email}`,
  setupAskNext:
    "Recibe un enlace válido durante 7 días y añade un dominio y un proveedor de identidad. Tú confirmas lo que añade.",
  setupSend: "Enviar el enlace",
  setupConfirmDomain: (domain) => `Confirmar ${domain}, añadido con un enlace de configuración`,
  organizationNotInvited: (addresses) => `No se invitó a: ${addresses}`,
  organizationOwnerless:
    "Solo tú eres propietario de estas organizaciones. Sin propietario, nadie podrá gestionarlas. Antes, nombra propietario a otro miembro.",
  organizationHandOver: (name) => `Elegir otro propietario de ${name}`,
  organizationActivity: "Actividad",
  organizationBy: (name) => `Por ${name}`,
  organizationDidCreate: "Organización creada",
  organizationDidUpdate: "Ajustes cambiados",
  organizationDidDisable: "Organización desactivada",
  organizationDidEnable: "Organización activada de nuevo",
  organizationDidLoseOwner: "Sin propietario",
  organizationDidInvite: "Invitación enviada",
  organizationDidWithdraw: "Invitación retirada",
  organizationDidAccept: "Invitación aceptada",
  organizationDidDecline: "Invitación rechazada",
  organizationDidAdd: "Miembro añadido",
  organizationDidSetRoles: "Roles cambiados",
  organizationDidLeave: "Un miembro se fue",
  organizationDidRemove: "Miembro eliminado",
  organizationDidAddDomain: "Dominio añadido",
  organizationDidUpdateDomain: "Acceso por un dominio cambiado",
  organizationDidRemoveDomain: "Dominio eliminado",
  organizationDidProveDomain: "Dominio confirmado",
  organizationDidLoseDomain: "Dominio perdido",

  // The organization's own provider, on its page.
  ownProvider: "Inicio de sesión de empresa",
  ownProviderLead:
    "Las personas inician sesión en esta organización con su cuenta del trabajo. Abre esta organización y nada más.",
  ownProviderDomainFirst: "Confirma primero un dominio: el proveedor solo responde por las direcciones de ese dominio.",
  ownProviderCallback: "Introduce este URI de redirección en el proveedor:",
  ownProviderIssuer: "Emisor (issuer)",
  ownProviderClientId: "ID de cliente",
  ownProviderSecret: "Secreto de cliente",
  ownProviderSecretKept: "Déjalo vacío para conservar el guardado.",
  ownProviderFixed: "En el proveedor nadie puede elegir su dirección de correo",
  ownProviderSave: "Guardar el proveedor",
  ownProviderWorks: "Activo",
  ownProviderFails: (since, reason) => `Falla desde ${since}: ${reason}`,
  ownProviderWaits: "Espera a que un propietario lo pruebe y lo confirme",
  ownProviderWorksFrom: (time) => `Vale desde ${time}. Otro propietario puede aceptarlo antes.`,
  ownProviderByLink: "Puesto con un enlace de configuración",
  ownProviderTry: "Probar",
  ownProviderRequire: "Los miembros deben iniciar sesión con él",
  ownProviderRequireNext:
    "Sin esto, quienes tienen una clave de acceso o contraseña entran hasta que se les quite aquí. Con esto, un propietario sigue entrando con su propio inicio de sesión y un segundo paso.",
  ownProviderUseFirst: "Inicia sesión primero con tu propia cuenta en el proveedor: debe ser hace menos de una hora.",
  ownProviderConfirm: "Activar",
  ownProviderAgree: "Aceptar: vale ya",
  ownProviderRemove: "Quitar el proveedor",
  ownProviderRemoveNext: (count) =>
    `Las sesiones con él terminan de inmediato. Personas sin otra forma de entrar: ${count}. Un código por correo les deja elegir una.`,
  ownProviderRelinks: "Identidades nuevas",
  ownProviderRelinksNext:
    "Si el proveedor conoce a las personas con identidades nuevas, los miembros indicados aquí pueden vincular la suya durante 14 días. Una dirección de correo por línea.",
  ownProviderRelinkOpen: "Permitir una identidad nueva",
  ownProviderRelinkAsks: "Un propietario debe aceptar",
  ownProviderRelinkAgree: (name) => `Permitir una identidad nueva a ${name}`,
  ownProviderRefused: (reason) => `No se puede usar este proveedor. Se necesita: ${reason}.`,
  ownProviderSaid: (host) => `Lo que dijo ${host}`,
  ownProviderTrialFailed: (reason) => `No nombró a nadie: ${reason}`,
  ownProviderTrialYou: "Funciona: un inicio de sesión con esta cuenta abre la organización como tú.",
  ownProviderTrialOpens: (person) => `Un inicio de sesión con esta cuenta abre la organización como ${person}.`,
  ownProviderTrialLinks: (person) =>
    `Un inicio de sesión con esta cuenta pide primero a ${person} que demuestre su cuenta aquí y luego la vincula.`,
  ownProviderTrialNew: "Un inicio de sesión con esta cuenta crea un miembro nuevo.",
  ownProviderTrialStranger:
    "Un inicio de sesión con esta cuenta se rechaza: nadie invitó a esta dirección y nadie se une por el dominio.",
  ownProviderTrialSubject:
    "Un inicio de sesión con esta cuenta se rechaza: la persona está vinculada a otra cuenta en el proveedor.",
  ownProviderTrialRefused:
    "Un inicio de sesión con esta cuenta se rechaza: la cuenta con esta dirección está desactivada o su dirección no está confirmada.",
  ownProviderTrialDomain: (host) =>
    `Un inicio de sesión con esta cuenta se rechaza: ${host} solo responde por direcciones de dominios confirmados de esta organización.`,
  ownProviderTrialHosted:
    "Un inicio de sesión con esta cuenta se rechaza: no es una cuenta de la empresa en Google (hd).",
  ownProviderExempt: "Puede prescindir del inicio de sesión de empresa",
  ownProviderDid: "Inicio de sesión de empresa cambiado",

  // Por el proveedor de una organización.
  companySignIn: "Iniciar sesión con tu empresa",
  companyAddressNext:
    "Escribe tu dirección de correo del trabajo. La parte después de la @ lleva al inicio de sesión de tu empresa.",
  companyOwnWays: "Iniciar sesión de otra forma",
  companyNone: "Ninguna empresa inicia sesión aquí con una dirección así. Revísala o inicia sesión de otra forma.",
  companyBeforeTitle: (organization) => `Iniciar sesión en ${organization}`,
  companyBeforeNext: (host) => `Vas a ${host} para iniciar sesión. Continúa solo si conoces este nombre.`,
  companyRequired: (organization) =>
    `${organization} pide a sus miembros que también inicien sesión con su propio proveedor.`,
  companyAfterTitle: (organization) => `¿Continuar a ${organization}?`,
  companyProveTitle: "Primero, demuestra que eres tú",
  companySays: (host) => `Según ${host}, eres:`,
  companyMailbox: "No dice que esta dirección sea tuya. Un código por correo lo demuestra una vez.",
  companyLink: (app, organization) =>
    `Ya hay una cuenta de ${app} con esta dirección. Inicia sesión en ella una vez, y el inicio de sesión de ${organization} quedará conectado.`,
  companyRelink: (organization) =>
    `${organization} tiene un nuevo inicio de sesión. Demuestra una vez que la cuenta es tuya para conectarlo.`,
  companyJoins: (organization) => `Pasas a ser miembro de ${organization}.`,
  companyLinks: (organization) => `Desde ahora, el inicio de sesión de ${organization} lleva a esta cuenta.`,
  companyOpens: (organization) =>
    `Esto abre solo ${organization}. Quien administra ese inicio de sesión puede entrar allí como tú, y en ningún otro lugar.`,
  companyRefusedTitle: (organization) => `Ahora no puedes entrar en ${organization}`,
  companyStranger: (organization) =>
    `Aquí no eres miembro de ${organization}. Pide a la persona que la administra que te invite con esta dirección.`,
  companyOtherSubject: (organization) =>
    `La cuenta con esta dirección pertenece a otro inicio de sesión de ${organization}. Pide a la persona que la administra que te deje conectar el nuevo.`,
  companyAsksOwner: (organization) =>
    `Un propietario de ${organization} tiene que aceptar antes de conectar el nuevo inicio de sesión. Pídeselo.`,
  companyUnproven: (app) =>
    `Hay una cuenta de ${app} con esta dirección, pero nadie ha confirmado la dirección. Inicia sesión de otra forma y confírmala primero.`,
  companyOtherAccount: (host) => `En ${host} eres otra persona que aquí. Elige la misma persona en ambos.`,
  companyChanged: (organization) => `El inicio de sesión de ${organization} acaba de cambiar. Empieza de nuevo.`,
  companyOtherDomain: (host, organization) =>
    `La cuenta de ${host} no tiene una dirección de ${organization}. Elige allí tu cuenta del trabajo.`,
  firstMethod: "¿Aún sin contraseña ni llave de acceso?",
  firstMethodTitle: "Elige cómo inicias sesión",
  firstMethodNext: (app) =>
    `Para quienes llegan a ${app} solo por su empresa. Con un código por correo, y tu segundo paso si tienes uno, eliges una primera contraseña o llave de acceso.`,
  firstMethodOver:
    "Esta cuenta ya tiene una forma de iniciar sesión, o necesita otro código. Inicia sesión o empieza de nuevo.",
  companyOrganizations:
    "Quien administra tu correo puede restablecer tu contraseña. Un segundo paso en la página de tu cuenta lo impide.",

  // At a host that a proxy protects.
  hostSignInTo: (host) => `Iniciar sesión en ${host}`,
  hostFormTitle: "Inicia sesión y envíalo de nuevo",
  hostFormNext: (host) =>
    `No se ha enviado nada, porque no has iniciado sesión en ${host}. Inicia sesión en otra pestaña, vuelve aquí y recarga esta página.`,
  hostFrameNext: "Esta parte de la página se puede usar después de iniciar sesión.",
  hostAgainTitle: "Inicia sesión de nuevo",
  hostAgainNext: (host) => `Este inicio de sesión en ${host} ya se usó o empezó en otro navegador.`,
  hostRepeatedTitle: (host) => `Tu navegador no mantiene la sesión en ${host}`,
  hostRepeatedNext: "No ha devuelto la cookie que recibió. Las causas habituales:",
  hostRepeatedCookies: (host) => `Las cookies de ${host} están bloqueadas. Permítelas en los ajustes de tu navegador.`,
  hostRepeatedHttp: (host) => `${host} se abrió con http. Ábrelo con https.`,
  hostRepeatedClock: "El reloj de este dispositivo está mal. Ajústalo.",
  hostTryAgain: "Intentarlo de nuevo",
  hostRefusedTitle: (host) => `Esta cuenta no puede usar ${host}`,
  hostRefusedNext: (host) => `Pide acceso a quien administra ${host} o usa otra cuenta.`,
  hostFactorNext: (host) =>
    `${host} pide un segundo factor. Inicia sesión de nuevo para usar el tuyo o configurar uno.`,
  hostIncompleteNext: (host) =>
    `${host} necesita un dato que esta cuenta no tiene. Pide a quien lo administra que añada:`,
  hostSignedOutNext: (host) => `Para volver a usar ${host}, inicia sesión.`,
  hostProviderNext: (provider) =>
    `${provider} puede volver a iniciar tu sesión sin preguntar. Para evitarlo, cierra también la sesión en ${provider}.`,
  hostTooLongNext: "La dirección que abriste es demasiado larga para volver a ella.",

  // What is asked before a sign-in continues: terms and profile.
  termsTitle: (app) => `Condiciones de ${app}`,
  termsNext: (app) => `Para continuar, acepta las condiciones de ${app}.`,
  termsOptional: (app) => `${app} tiene nuevas condiciones. También puedes continuar sin aceptarlas.`,
  termsRead: (version) => `Leer las condiciones (${version})`,
  termsAccept: "Aceptar y continuar",
  termsDecline: "Rechazar",
  termsDeclineNext: "Si las rechazas, no se iniciará la sesión.",
  profileTitle: "Completa tu perfil",
  profileNext: (app) => `${app} pide algunos datos.`,
  profileNothing: "No queda nada por responder.",
  chooseOption: "Elegir…",
  fieldMissing: "Rellena este campo.",
  fieldUnticked: "Marca esta casilla para continuar.",
  fieldText: (length) => `Usa una sola línea de texto de ${length} caracteres como máximo.`,
  fieldNumber: "Introduce un número, como 12.5.",
  fieldDate: "Introduce una fecha que exista.",
  fieldChoice: "Elige una de las opciones.",
  fieldPhone: "Introduce un número de teléfono, como +34 912 34 56 78.",
  fieldsTooLong: "Tus respuestas son demasiado largas en conjunto. Acórtalas.",
  ticked: "Sí",
  unticked: "No",
};
