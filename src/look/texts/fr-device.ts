import type { DeviceTexts } from "./en-device.ts";

export const device: DeviceTexts = {
  deviceTitle: "Se connecter sur votre appareil",
  deviceLead: "Saisissez le code affiché sur votre appareil.",
  deviceLeadFilled: "Vérifiez que votre appareil affiche ce code.",
  deviceCodeHint: "Huit lettres, par exemple WDJB-MJHT.",
  deviceInFront:
    "Continuez seulement si le code est affiché sur un appareil devant vous. Si quelqu’un vous a envoyé ce code, arrêtez-vous ici\u202f: cette personne entrerait dans votre compte.",
  deviceEnterCode: "Saisir un code",
  enterDeviceCode: "Saisissez le code de votre appareil.",
  deviceCodeMalformed: "Saisissez les huit lettres.",
  checkDeviceCode: "Vérifiez le code, ou demandez-en un nouveau sur votre appareil.",
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
};
