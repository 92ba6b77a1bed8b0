import type { DeviceTexts } from "./en-device.ts";

export const device: DeviceTexts = {
  deviceTitle: "デバイスでサインイン",
  deviceLead: "デバイスに表示されているコードを入力してください。",
  deviceLeadFilled: "デバイスにこのコードが表示されていることを確認してください。",
  deviceCodeHint: "8文字の英字です（例：WDJB-MJHT）。",
  deviceInFront:
    "目の前のデバイスにコードが表示されている場合だけ、続けてください。誰かから送られてきたコードの場合は、ここで中止してください。その人があなたのアカウントに入れるようになります。",
  deviceEnterCode: "コードを入力",
  enterDeviceCode: "デバイスのコードを入力してください。",
  deviceCodeMalformed: "8文字すべてを入力してください。",
  checkDeviceCode: "コードを確認するか、デバイスで新しいコードを取得してください。",
  deviceCodeWrong: "このコードは使えないか、もう使えません。",
  deviceAskTitle: (client) => `${client} のサインインを許可しますか？`,
  deviceAccount: (app) => `デバイスは次の${app}のアカウントを使います：`,
  deviceAskedAt: (when) => `デバイスからの要求：${when}、次のアドレスから：`,
  deviceAllowedTitle: "デバイスに戻ってください",
  deviceAllowedNext: "数秒で自動的に続きます。このページは閉じてかまいません。",
  deviceDeniedTitle: "何も許可されませんでした",
  deviceDeniedNext: "デバイスはサインインしていません。このページは閉じてかまいません。",
  deviceOverTitle: "このコードはもう使えません",
  deviceOverNext: "すでに使われたか、古くなっています。デバイスで新しいコードを取得してください。",
  deviceNotAdmittedTitle: "このアカウントはここでは使えません",
  deviceNotAdmittedNext: (app) =>
    `${app}の運営者は、このプログラムを一部のアカウントだけに許可しています。コードをもう一度入力して、別のアカウントを選んでください。`,
};
