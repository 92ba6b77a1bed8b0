import type { DeviceTexts } from "./en-device.ts";

export const device: DeviceTexts = {
  deviceTitle: "Entrar no seu dispositivo",
  deviceLead: "Digite o código que o seu dispositivo mostra.",
  deviceLeadFilled: "Verifique se o seu dispositivo mostra este código.",
  deviceCodeHint: "Oito letras, por exemplo WDJB-MJHT.",
  deviceInFront:
    "Continue somente se o código estiver em um dispositivo na sua frente. Se alguém enviou o código para você, pare aqui: essa pessoa entraria na sua conta.",
  deviceEnterCode: "Digitar um código",
  enterDeviceCode: "Digite o código do seu dispositivo.",
  deviceCodeMalformed: "Digite as oito letras.",
  checkDeviceCode: "Verifique o código ou peça um novo no seu dispositivo.",
  deviceCodeWrong: "Este código não vale, ou não vale mais.",
  deviceAskTitle: (client) => `Permitir que ${client} entre?`,
  deviceAccount: (app) => `O dispositivo usará então a sua conta de ${app}:`,
  deviceAskedAt: (when) => `O dispositivo pediu em ${when}, deste endereço:`,
  deviceAllowedTitle: "Você pode voltar ao seu dispositivo",
  deviceAllowedNext: "Ele continua sozinho em alguns segundos. Você pode fechar esta página.",
  deviceDeniedTitle: "Nada foi permitido",
  deviceDeniedNext: "O dispositivo não entrou na conta. Você pode fechar esta página.",
  deviceOverTitle: "Este código não vale mais",
  deviceOverNext: "Ele já foi usado ou é antigo demais. Peça um novo no seu dispositivo.",
  deviceNotAdmittedTitle: "Esta conta não pode ser usada aqui",
  deviceNotAdmittedNext: (app) =>
    `Quem administra ${app} permite este programa só para algumas contas. Digite o código de novo e escolha outra conta.`,
};
