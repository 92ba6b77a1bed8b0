import type { DeviceTexts } from "./en-device.ts";

export const device: DeviceTexts = {
  deviceTitle: "Inicia sesión en tu dispositivo",
  deviceLead: "Introduce el código que muestra tu dispositivo.",
  deviceLeadFilled: "Comprueba que tu dispositivo muestra este código.",
  deviceCodeHint: "Ocho letras, por ejemplo WDJB-MJHT.",
  deviceInFront:
    "Continúa solo si el código está en un dispositivo delante de ti. Si alguien te ha enviado el código, detente aquí: esa persona entraría en tu cuenta.",
  deviceEnterCode: "Introducir un código",
  enterDeviceCode: "Introduce el código de tu dispositivo.",
  deviceCodeMalformed: "Introduce las ocho letras.",
  checkDeviceCode: "Revisa el código o pide otro en tu dispositivo.",
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
};
