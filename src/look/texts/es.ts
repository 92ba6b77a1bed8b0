import { device } from "./es-device.ts";
import { factors } from "./es-factors.ts";
import type { Texts } from "./en.ts";
import { account } from "./es-account.ts";

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
  consentQuestion: (client, app) => `¿Permitir que ${client} use su cuenta de ${app}?`,
  consentGets: "Obtiene:",
  consentAt: (resource) => `Actúa en su nombre en ${resource}:`,
  consentReturnsTo: "Volverá a",
  consentStaysHere:
    "Permítelo solo si acabas de iniciar este programa: cualquier programa de este dispositivo podría preguntar con este nombre.",
  callsItself: (name) => `Se presenta como «${name}».`,
  nobodyChecked: "Nadie ha comprobado este nombre.",
  scopeOpenid: "Quién es usted: un identificador que no cambia",
  scopeProfile: "Su nombre y su foto",
  scopeEmail: "Su dirección de correo",
  scopeGroups: "Los nombres de sus grupos",
  scopeOfflineAccess: "Acceso también en su ausencia, hasta que usted lo termine",
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
  providerNoAccount: (provider, app) =>
    `Ninguna cuenta de ${app} corresponde a esta cuenta de ${provider}, y ${app} no admite cuentas nuevas aquí.`,
  providerRefused: (provider, app) =>
    `${app} no puede iniciar tu sesión con esta cuenta de ${provider}. Inicia sesión de otra forma o contacta con ${app}.`,
  providerFailed: (provider) =>
    `${provider} no ha respondido como se esperaba. Inténtalo de nuevo o inicia sesión de otra forma.`,
  cannotCreate: "No hemos podido crear una cuenta con estos datos. Si ya tienes una, inicia sesión.",
  checkEmail: "Revisa la dirección de correo e inténtalo de nuevo.",
  checkPassword: "Elige otra contraseña e inténtalo de nuevo.",
  checkName: "Revisa el nombre e inténtalo de nuevo.",
  enterEmail: "Introduce tu dirección de correo para continuar.",
  enterPassword: "Introduce tu contraseña para continuar.",
  choosePassword: "Elige una contraseña para continuar.",

  enterCode: "Introduce el código del correo para continuar.",
  checkCode: "Ese código no es correcto. Revísalo o pide otro correo.",
  codeOver: "Ese código ya no sirve: se ha usado, se ha probado demasiadas veces o es muy antiguo. Pide otro correo.",

  // The same in a few words, beside the field.
  codeMissing: "Introduce las ocho cifras.",
  codeWrong: "No es el código del correo más reciente.",
  emailMissing: "Introduce tu dirección de correo.",
  emailInvalid: "Introduce una dirección como nombre@example.com.",
  emailUnsupported: "Aquí no se admiten letras como ü ni signos como % antes de la @. Usa otra dirección.",
  passwordMissing: "Introduce tu contraseña.",
  newPasswordMissing: "Introduce una contraseña.",
  passwordTooShort: (length) => `Es muy corta. Usa al menos ${length} caracteres.`,
  passwordTooLong: (length) => `Es muy larga. Usa como máximo ${length} caracteres.`,
  passwordCommon: "Es fácil de adivinar: está en las listas de contraseñas más usadas.",
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

  ...account,
  ...factors,
  ...device,
};
