import type { FactorTexts } from "./en-factors.ts";

export const factors: FactorTexts = {
  // Signing in.
  factorTitle: "コードを入力",
  factorNext: (app) => `認証アプリを開き、${app}のコードを入力してください。`,
  factorHint: "6桁の数字です。",
  useRecoveryCode: "リカバリーコードを使う",
  useAppCode: "認証アプリを使う",
  recoveryTitle: "リカバリーコードを入力",
  recoveryNext: "認証アプリを設定したときに保管したコードのいずれかを使ってください。それぞれ1回だけ使えます。",
  recoveryCode: "リカバリーコード",
  recoveryHint: "24文字の英数字です。ハイフンは省略できます。",
  trustBrowser: (days) => `このブラウザーでは${days}日間コードを求めない`,
  factorLost: (app) => `認証アプリもリカバリーコードもない場合は、${app}にお問い合わせください。`,
  enterFactorCode: "コードを入力してください。",
  enterRecoveryCode: "リカバリーコードを入力してください。",
  factorMalformed: "アプリに表示されている6桁の数字を入力してください。",
  recoveryMalformed: "1つのコードの24文字をすべて入力してください。",
  checkFactorCode: "コードを確認して、もう一度お試しください。",
  factorWrong: "コードが違うか、すでに使われています。次のコードをお待ちください。",
  recoveryWrong: "コードが違うか、すでに使われています。",
  factorBlocked: (app) =>
    `間違ったコードが何度も入力されたため、現在このアカウントではコードを使えません。パスキーを使うか、${app}にお問い合わせください。`,

  // The operator's link for people who lost their app.
  recoverTitle: "コードなしでサインイン",
  recoverNext: (app) => `このリンクは、次の${app}のアカウント用です：`,
  recoverRemoves:
    "もう一度サインインしてください。その後、認証アプリとリカバリーコードが削除され、新しいアプリを設定できます。",

  // Setting an authenticator app up.
  setUpTitle: "認証アプリを設定",
  setUpWhy: (app) => `${app}では、パスキーを使わずにサインインするときに、認証アプリのコードが必要です。`,
  setUpNext: "設定すると、パスキーを使わずにサインインするときに、このアプリのコードも必要になります。",
  setUpScan: "スマートフォンの認証アプリで読み取ってください：",
  setUpQrCode: "下のキーのQRコード",
  setUpHere: "このスマートフォンのアプリで開く",
  setUpTyped: "または、次のキーをアプリに入力してください：",
  setUpCode: "アプリに表示されたコード",
  setUpCodeHint: "6桁の数字です。アプリにキーがあることを確認します。",
  turnOn: "オンにする",
  turningOn: "オンにしています…",
  setUpOver:
    "このページを開いてから時間がたちすぎたか、アカウントが変更されました。新しいQRコードを読み取ってください。",

  // Recovery codes.
  codesTitle: "リカバリーコードを保管してください",
  codesNext:
    "認証アプリが手元にないときは、代わりにこのコードのいずれかを入力します。それぞれ1回だけ使えます。表示されるのは今回だけですので、安全な場所に保管してください。",
  codesDownload: "ダウンロード",
  codesPrint: "印刷",
  codesKept: "保管しました",
  codesAway: "リカバリーコードはすでに一度表示されました。新しいコードはアカウントページで作成できます。",
  codeUsedTitle: "リカバリーコードを使いました",
  codesLeft: (count) => (count === 0 ? "コードは残っていません。" : `残りのコードは${count}個です。`),
  codesFew: "アカウントページで新しいコードを作成してください。アプリが使えなくなった場合は、そこで交換できます。",
  appNotUsed: "認証アプリを使わずにサインインしました。使えなくなっている場合は、今すぐ交換してください。",
  continue: "続ける",

  // The account page.
  secondStep: "2段階目の確認",
  secondStepNext: "認証アプリを設定すると、パスワードだけでは誰もサインインできません。",
  authenticatorApp: "認証アプリ",
  codesBlocked:
    "間違ったコードが何度も入力されたため、現在コードを使えません。もう一度使うには、アプリを交換してください。",
  setUp: "設定",
  replace: "交換",
  replaceTitle: "認証アプリを交換",
  replaceNext: "新しいアプリがオンになるまで、現在のアプリを使えます。リカバリーコードも新しくなります。",
  recoveryCodes: "リカバリーコード",
  recoveryCodesLeft: (count) => `残り${count}個`,
  codesRunOut: "なくなる前に新しいコードを作成してください。",
  newCodes: "新しいコードを作成",
  newCodesTitle: "新しいリカバリーコードを作成しますか？",
  newCodesNext: "現在のコードは使えなくなります。",
  removeFactorTitle: "認証アプリを削除しますか？",
  removeFactorNext: "サインインするときにコードを求められなくなります。リカバリーコードも使えなくなります。",
  factorRequired: (app) => `${app}では2段階目の確認が必要なため、アプリを削除できません。交換はできます。`,
  trustedUntil: (date) => `コードなし：${date}まで`,
  askAgain: "もう一度求める",
  askAgainNamed: (browser) => `コードをもう一度求める：${browser}`,
  noticeFactorAdded: "認証アプリを設定しました。",
  noticeFactorRemoved: "認証アプリを削除しました。",
  noticeTrustEnded: "そのブラウザーでは、もう一度コードを求めます。",
};
