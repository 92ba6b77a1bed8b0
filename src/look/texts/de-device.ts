import type { DeviceTexts } from "./en-device.ts";

export const device: DeviceTexts = {
  deviceTitle: "Auf Ihrem Gerät anmelden",
  deviceLead: "Geben Sie den Code ein, den Ihr Gerät anzeigt.",
  deviceLeadFilled: "Prüfen Sie, ob Ihr Gerät diesen Code anzeigt.",
  deviceCodeHint: "Acht Buchstaben, zum Beispiel WDJB-MJHT.",
  deviceInFront:
    "Machen Sie nur weiter, wenn der Code auf einem Gerät vor Ihnen steht. Wenn Ihnen jemand den Code geschickt hat, brechen Sie hier ab: Sonst kommt diese Person in Ihr Konto.",
  deviceEnterCode: "Code eingeben",
  enterDeviceCode: "Geben Sie den Code von Ihrem Gerät ein.",
  deviceCodeMalformed: "Geben Sie alle acht Buchstaben ein.",
  checkDeviceCode: "Prüfen Sie den Code oder holen Sie auf Ihrem Gerät einen neuen.",
  deviceCodeWrong: "Dieser Code gilt nicht oder nicht mehr.",
  deviceAskTitle: (client) => `${client} anmelden?`,
  deviceAccount: (app) => `Das Gerät nutzt dann Ihr ${app}-Konto:`,
  deviceAskedAt: (when) => `Das Gerät hat am ${when} darum gebeten, von dieser Adresse:`,
  deviceAllowedTitle: "Sie können zu Ihrem Gerät zurück",
  deviceAllowedNext: "Dort geht es in wenigen Sekunden von selbst weiter. Sie können diese Seite schließen.",
  deviceDeniedTitle: "Es wurde nichts erlaubt",
  deviceDeniedNext: "Das Gerät wurde nicht angemeldet. Sie können diese Seite schließen.",
  deviceOverTitle: "Dieser Code gilt nicht mehr",
  deviceOverNext: "Er wurde schon verwendet oder ist zu alt. Holen Sie auf Ihrem Gerät einen neuen.",
  deviceNotAdmittedTitle: "Dieses Konto kann hier nicht verwendet werden",
  deviceNotAdmittedNext: (app) =>
    `Wer ${app} betreibt, lässt nur bestimmte Konten dieses Programm nutzen. Geben Sie den Code noch einmal ein und wählen Sie ein anderes Konto.`,
};
