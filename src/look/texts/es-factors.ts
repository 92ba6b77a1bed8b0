import type { FactorTexts } from "./en-factors.ts";

export const factors: FactorTexts = {
  // Signing in.
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
  enterFactorCode: "Introduce tu código.",
  enterRecoveryCode: "Introduce un código de recuperación.",
  factorMalformed: "Introduce las seis cifras que muestra tu aplicación.",
  recoveryMalformed: "Introduce las 24 letras y cifras de un solo código.",
  checkFactorCode: "Revisa tu código e inténtalo de nuevo.",
  factorWrong: "Ese código no es correcto o ya se ha usado. Espera al siguiente.",
  recoveryWrong: "Ese código no es correcto o ya se ha usado.",
  factorBlocked: (app) =>
    `Los códigos no sirven ahora para esta cuenta, porque se han introducido demasiados incorrectos. Usa una llave de acceso o pide ayuda a ${app}.`,

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

  // The account page.
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
};
