import type { AccountTexts } from "./en-account.ts";

export const account: AccountTexts = {
  accountTitle: (app) => `Tu cuenta de ${app}`,
  backToAccount: "Volver a tu cuenta",

  // Profile.
  profile: "Perfil",
  edit: "Editar",
  picture: "Dirección de la imagen",
  pictureHint: "Una dirección que empieza por https://. Las aplicaciones muestran la imagen junto a tu nombre.",
  notSet: "Sin indicar",
  verified: "Confirmada",
  notVerified: "Sin confirmar",
  verifyEmail: "Confirmar",
  editProfile: "Editar tu perfil",
  save: "Guardar",
  nameMissing: "Introduce tu nombre.",
  checkPicture: "Revisa la dirección de la imagen e inténtalo de nuevo.",
  pictureNotHttps: "Introduce una dirección como https://example.com/yo.png.",

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
  change: "Cambiar",
  changePassword: "Cambiar la contraseña",
  rename: "Cambiar nombre",
  renameNamed: (name) => `Cambiar nombre de «${name}»`,
  renameTitle: "Cambiar el nombre de esta llave de acceso",
  renameHint: "Un nombre que te diga dónde está esta llave de acceso.",
  labelMissing: "Introduce un nombre.",
  remove: "Eliminar",
  removeNamed: (name) => `Eliminar «${name}»`,
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
  here: "Este navegador",
  signedInOn: (date) => `Se inició el ${date}`,
  lastSeen: (date) => `Última actividad: ${date}`,
  signOut: "Cerrar sesión",
  signOutNamed: (name) => `Cerrar sesión: ${name}`,
  signOutOthers: "Cerrar las demás sesiones",
  signOutAll: "Cerrar todas las sesiones",
  signingOut: "Cerrando sesión…",
  signOutHere: "Cerrar sesión en este navegador",
  signOutOf: (app) => `¿Cerrar sesión en ${app}?`,
  signOutOfNext: (app) =>
    `Se cerrará la sesión en todo lo que hayas abierto en este navegador con tu cuenta de ${app}.`,
  staySignedIn: "Mantener la sesión",

  // Programs with access.
  programs: "Programas con acceso",
  allowedOn: (date) => `Permitido el ${date}`,
  removeAccess: "Retirar acceso",
  removeAccessNamed: (name) => `Retirar acceso a ${name}`,

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

  // Notices after an action.
  noticeProfile: "Tu perfil se ha guardado.",
  noticeVerified: "Tu dirección de correo está confirmada.",
  noticeRenamed: "El nombre nuevo se ha guardado.",
  noticeRemoved: "Método eliminado. Ya nadie puede iniciar sesión con él.",
  noticeAdded: (name) => `A partir de ahora puedes iniciar sesión con «${name}».`,
  noticePassword: "Tu contraseña se ha guardado.",
  noticeLoginEnded: "Se ha cerrado la sesión en ese dispositivo.",
  noticeOthersEnded: "Se han cerrado las demás sesiones.",
  noticeAccessRemoved: "Ese programa ya no tiene acceso a tu cuenta.",

  // Shown instead of the page.
  noAccountTitle: "Abre esta página desde tu aplicación",
  noAccountNext:
    "Cada aplicación tiene su propia página de cuenta. Ve a la aplicación que usas y abre tu cuenta desde ahí.",
  signedOutTitle: "Has cerrado sesión",
  signedOutNext: (app) => `Para ver o cambiar tu cuenta de ${app}, vuelve a iniciar sesión.`,
  notSignedInTitle: "No has iniciado sesión",
  notSignedInNext: (app) => `Para ver o cambiar tu cuenta de ${app}, inicia sesión.`,
  deletedTitle: "Tu cuenta se ha eliminado",
  deletedNext: (app) => `Ya no puedes iniciar sesión en ${app} con ella. Puedes cerrar esta página.`,
  notFoundTitle: "Eso ya no está aquí",
  notFoundNext: "Puede que se haya eliminado hace un momento. La página de tu cuenta muestra lo que hay ahora.",
};
