import type { FactorTexts } from "./en-factors.ts";

export const factors: FactorTexts = {
  // Signing in.
  factorTitle: "Digite seu código",
  factorNext: (app) => `Abra seu app autenticador e digite o código que ele mostra para ${app}.`,
  factorHint: "Seis dígitos.",
  useRecoveryCode: "Usar um código de recuperação",
  useAppCode: "Usar seu app autenticador",
  recoveryTitle: "Digite um código de recuperação",
  recoveryNext:
    "Use um dos códigos que você guardou ao configurar seu app autenticador. Cada um funciona uma única vez.",
  recoveryCode: "Código de recuperação",
  recoveryHint: "24 letras e dígitos, com ou sem os hifens.",
  trustBrowser: (days) => `Não perguntar neste navegador por ${days} ${days === 1 ? "dia" : "dias"}`,
  factorLost: (app) => `Perdeu seu app autenticador e seus códigos de recuperação? Peça ajuda a ${app}.`,
  enterFactorCode: "Digite seu código.",
  enterRecoveryCode: "Digite um código de recuperação.",
  factorMalformed: "Digite os seis dígitos que seu app mostra.",
  recoveryMalformed: "Digite todas as 24 letras e dígitos de um código.",
  checkFactorCode: "Verifique seu código e tente de novo.",
  factorWrong: "Esse código não está certo ou já foi usado. Espere o próximo.",
  recoveryWrong: "Esse código não está certo ou já foi usado.",
  factorBlocked: (app) =>
    `Os códigos não funcionam agora para esta conta, porque códigos errados demais foram digitados. Use uma chave de acesso ou peça ajuda a ${app}.`,

  // The operator's link for people who lost their app.
  recoverTitle: "Entrar sem seu código",
  recoverNext: (app) => `Este link é para a sua conta em ${app}:`,
  recoverRemoves:
    "Entre mais uma vez. Depois disso, seu app autenticador e seus códigos de recuperação são removidos, e você pode configurar um novo app.",

  // Setting an authenticator app up.
  setUpTitle: "Configurar um app autenticador",
  setUpWhy: (app) => `${app} pede um código de um app assim quando você entra sem chave de acesso.`,
  setUpNext: "Quando você entrar sem chave de acesso, também será pedido um código deste app.",
  setUpScan: "Escaneie isto com um app autenticador no seu telefone:",
  setUpQrCode: "Código QR com a chave abaixo",
  setUpHere: "Abrir em um app deste telefone",
  setUpTyped: "Ou digite esta chave no app:",
  setUpCode: "Código que o app mostra",
  setUpCodeHint: "Seis dígitos. Eles mostram que o app tem a chave.",
  turnOn: "Ativar",
  turningOn: "Ativando…",
  setUpOver: "Esta página ficou aberta por tempo demais ou sua conta mudou. Escaneie o novo código.",

  // Recovery codes.
  codesTitle: "Guarde seus códigos de recuperação",
  codesNext:
    "Quando você não estiver com seu app autenticador, digite um destes códigos no lugar dele. Cada um funciona uma única vez. Eles só são mostrados agora, por isso guarde-os em um lugar seguro.",
  codesDownload: "Baixar",
  codesPrint: "Imprimir",
  codesKept: "Já guardei",
  codesAway: "Seus códigos de recuperação foram mostrados uma vez. Você pode obter outros na página da sua conta.",
  codeUsedTitle: "Você usou um código de recuperação",
  codesLeft: (count) =>
    count === 0 ? "Não resta nenhum código." : count === 1 ? "Resta 1 código." : `Restam ${count} códigos.`,
  codesFew: "Obtenha outros na página da sua conta. Se seu app não funciona mais, troque-o lá.",
  appNotUsed: "Você entrou sem usar seu app autenticador. Se ele não funciona mais, troque-o agora.",
  continue: "Continuar",

  // The account page.
  secondStep: "Segunda etapa",
  secondStepNext: "Com um app autenticador, ninguém entra só com a sua senha.",
  authenticatorApp: "App autenticador",
  codesBlocked:
    "Os códigos não funcionam agora, porque códigos errados demais foram digitados. Para voltar a usá-los, troque o app.",
  setUp: "Configurar",
  replace: "Trocar",
  replaceTitle: "Trocar seu app autenticador",
  replaceNext:
    "O app que você tem agora funciona até o novo ser ativado. Você também recebe novos códigos de recuperação.",
  recoveryCodes: "Códigos de recuperação",
  recoveryCodesLeft: (count) => (count === 1 ? `Resta ${count}` : `Restam ${count}`),
  codesRunOut: "Obtenha outros antes que acabem.",
  newCodes: "Obter novos códigos",
  newCodesTitle: "Obter novos códigos de recuperação?",
  newCodesNext: "Os códigos que você tem agora deixam de funcionar.",
  removeFactorTitle: "Remover seu app autenticador?",
  removeFactorNext:
    "Nenhum código será mais pedido quando você entrar. Seus códigos de recuperação também deixam de funcionar.",
  factorRequired: (app) => `${app} exige uma segunda etapa, por isso o app não pode ser removido. Você pode trocá-lo.`,
  trustedUntil: (date) => `Sem pedir código até ${date}`,
  askAgain: "Voltar a pedir",
  askAgainNamed: (browser) => `Voltar a pedir: ${browser}`,
  noticeFactorAdded: "Seu app autenticador está configurado.",
  noticeFactorRemoved: "Seu app autenticador foi removido.",
  noticeTrustEnded: "Nesse navegador, um código será pedido de novo.",
};
