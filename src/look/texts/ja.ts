import { device } from "./ja-device.ts";
import { factors } from "./ja-factors.ts";
import type { Texts } from "./en.ts";
import { account } from "./ja-account.ts";

// Polite, without naming the reader. Full-width punctuation.
export const ja: Texts = {
  // The frame.
  youAreOn: "現在のサイト：",
  openMailbox: "開発モード：メールボックスを開く",
  errorTitle: (title) => `エラー：${title}`,
  or: "または",
  cancel: "キャンセル",
  backTo: (app) => `${app}に戻る`,
  terms: "利用規約",
  privacy: "プライバシー",
  support: "サポート",

  // Fields.
  email: "メールアドレス",
  password: "パスワード",
  name: "名前",
  optional: "任意",
  showCharacters: "入力した文字を表示",
  hideCharacters: "入力した文字を隠す",
  show: "表示",
  hide: "隠す",

  // Signing in.
  signInTo: (app) => `${app}にサインイン`,
  signIn: "サインイン",
  signingIn: "サインインしています…",
  signInWithPasskey: "パスキーでサインイン",
  usingPasskey: "パスキーを待っています…",
  passkeyInOneLine: "指紋、顔、または画面ロックでサインインできます。覚えておくものはありません。",
  continueWith: (provider) => `${provider}で続行`,
  opening: (provider) => `${provider}を開いています…`,
  emailMeCode: "コードをメールで受け取る",
  emailCodeInOneLine: "コードをメールで送信します。覚えておくものはありません。",
  signInAs: "次のメールアドレスでサインインします：",
  forgotPassword: "パスワードをお忘れですか？",
  newTo: (app) => `${app}は初めてですか？`,
  usedLast: "前回使用",

  // Creating an account.
  createAccountAt: (app) => `${app}のアカウントを作成`,
  createAccount: "アカウントを作成",
  creatingAccount: "アカウントを作成しています…",
  createPasskey: "パスキーを作成",
  creatingPasskey: "パスキーを作成しています…",
  orChoosePassword: "またはパスワードを設定",
  passwordRule: (length) => `${length}文字以上。いくつかの単語を続けて並べると簡単です。`,
  strongEnough: "十分な強度です",
  haveAccount: "アカウントをお持ちですか？",

  // Signing in to the account page, and confirming before adding a method.
  signInToAccount: (app) => `${app}のアカウントにサインイン`,
  confirmItsYou: "ご本人の確認",
  confirmBefore: (app) => `${app}のアカウントを変更する前に、もう一度サインインしてください：`,
  otherAccount: "別のアカウントです。ここに表示されているアカウントでサインインしてください。",
  proveAnewWhy: (provider, app) =>
    `${provider}からは、たった今サインインしたことを確認できません。${app}では、ご本人であることをもう一度確認する必要があります。`,
  proveAnewNoWay: (provider, app) =>
    `${provider}からは、たった今サインインしたことを確認できません。また、このアカウントには、ご本人であることを確認できるほかの方法（パスキー、パスワード、コードを送れるメールアドレス）がありません。${app}にお問い合わせください。`,

  // The passkey step after signing in.
  usePasskeyTitle: "次にパスキーを使用",
  usePasskeyWhy: (app) => `${app}では、サインインのたびにパスキーが必要です。`,
  usePasskey: "パスキーを使用",
  createPasskeyTitle: "続行するにはパスキーを作成",
  createPasskeyWhy: (app) => `${app}では、サインインのたびにパスキーが必要です。パスキーがまだありません。`,
  offerPasskeyTitle: "次回からすばやくサインイン",
  notNow: "後で",
  continuing: "続行しています…",

  // Signed in to this browser already, and what a client of OpenID Connect asks for.
  continueAs: (name) => `${name} として続ける`,
  useAnotherAccount: "別のアカウントを使う",
  consentTitle: (client) => `${client} がアクセスを求めています`,
  consentQuestion: (client, app) => `${client} に ${app} アカウントの使用を許可しますか？`,
  consentGets: "許可する内容：",
  consentAt: (resource) => `${resource} であなたの代わりに操作します：`,
  consentReturnsTo: "戻り先",
  consentStaysHere:
    "ご自身でこのプログラムを起動した直後の場合にのみ許可してください。この端末のどのプログラムも、この名前で求めることができます。",
  callsItself: (name) => `「${name}」と名乗っています。`,
  nobodyChecked: "この名前は確認されていません。",
  scopeOpenid: "あなたが誰か（変わらないID）",
  scopeProfile: "名前と写真",
  scopeEmail: "メールアドレス",
  scopeGroups: "所属グループの名前",
  scopeOfflineAccess: "終了するまで、不在時も含むアクセス",
  consentAgree: "許可する",
  consentDeny: "拒否",

  // The first proof of an address, and what it removes.
  takeOverTitle: "続ける前にご確認ください",
  takeOverFor: (app) => `このメールアドレスの${app}のアカウント：`,
  takeOverWhy:
    "このメールアドレスはこれまで確認されていなかったため、別の人がアカウントを設定した可能性があります。あなただけが使えるように、続行すると次のものが削除されます。",
  takeOverStays: "名前など、アカウントのその他の情報はそのまま残ります。",
  takeOverAgree: "削除して続行",
  unprovenPassword: "アドレスの確認前に設定されたパスワード",
  unprovenPasskeys: (count) => `パスキー：${count}件`,
  unprovenProvider: (provider) => `${provider}との連携`,
  unprovenApp: "認証アプリとそのリカバリーコード",
  unprovenPrograms: (count) => `アクセスできるプログラム：${count}件`,
  unprovenLogins: (count) => `サインイン中のセッション：${count}件`,
  enterPasswordToAgree: "コードは正しいです。同意する場合は、新しいパスワードをもう一度入力してください。",

  // Adding a sign-in method. The account is named below the heading.
  addTo: (app) => `追加先の${app}のアカウント：`,
  addPasskeyTitle: "パスキーを追加",
  addPasswordTitle: "パスワードを追加",
  changePasswordTitle: "パスワードを変更",
  newPassword: "新しいパスワード",
  savePassword: "パスワードを保存",
  saving: "保存しています…",
  addProviderTitle: (provider) => `${provider}を追加`,
  addProviderNext: (provider) =>
    `一度${provider}に移動して、ご自身のアカウントを選びます。以後はそのアカウントでサインインできます。`,
  identityTaken: (provider) =>
    `その${provider}アカウントは、すでにここの別のアカウントで使われています。${provider}で別のアカウントを選んでください。`,
  identityThere: (provider) => `その${provider}アカウントでは、すでにサインインできます。`,

  // A code in a mail.
  checkMail: "メールをご確認ください",
  code: "コード",
  codeHint: "最新のメールにある8桁の数字です。",
  mailedTo: "次のアドレスにメールを送信しました：",
  mailedNext: "メールのコードをここに入力するか、メールのリンクをこのブラウザーで開いてください。",
  confirmCode: "確認",
  confirming: "確認しています…",
  noMail:
    "1分たっても届かない場合は、迷惑メールフォルダーを確認するか、もう一度送信してください。使えるのは最新のメールだけです。",
  sendAgain: "もう一度送信",
  sending: "送信しています…",
  sentAgain: "新しいメールを送信しました。1時間以内に何通も送信している場合は届きません。",
  wrongAddress: "アドレスが違いますか？",
  otherAddress: "別のアドレスを使う",
  confirmAddress: "メールアドレスの確認",
  confirmAddressOf: (app) => `次のアドレスで${app}のアカウントを作成します：`,
  confirmAddressFor: (app) => `次のアドレスが、${app}のアカウントの確認済みアドレスになります：`,
  confirmAndContinue: (app) => `確認して${app}に進む`,

  // Forgotten password.
  forgotLead: (app) =>
    `${app}のアカウントのメールアドレスを入力してください。新しいパスワードを設定するためのリンクとコードを送信します。`,
  sendMail: "メールを送信",
  resetMailedTo: (app) => `次のアドレスで${app}のアカウントが登録されている場合は、メールが届きます：`,
  resetMailedNext:
    "メールのリンクをお使いのいずれかのデバイスで開くか、メールのコードと新しいパスワードをここに入力してください。",
  chooseNewPassword: "新しいパスワードを設定",
  newPasswordFor: (app) => `${app}のアカウント：`,
  endsLogins: "保存すると、すべてのデバイスでサインアウトされます。",
  resetPassword: "パスワードの再設定",
  resetNotSetUp: (app) => `${app}では、メールによるパスワードの再設定をまだ利用できません。`,
  resetOrPasskey: (app) =>
    `このアカウントのパスキーをお持ちの場合は、パスキーでサインインしてください。お持ちでない場合は、${app}のサポートにお問い合わせください。`,
  resetAskSupport: (app) => `${app}のサポートにお問い合わせください。`,
  backToSignIn: "サインインに戻る",

  // Passkeys: where the browser can't, and what the browser code says.
  passkeysNeedScript:
    "パスキーにはJavaScriptが必要ですが、このブラウザーでは無効になっています。このページで有効にしてから、再読み込みしてください。",
  passkeyNoSupport:
    "このブラウザーではパスキーを使用できません。最新のChrome、Edge、Firefox、Safari、またはスマートフォンでこのページを開いてください。",
  passkeyNotUsed: "パスキーは使用されませんでした。準備ができたら、もう一度お試しください。",
  passkeyNotUsedOr:
    "パスキーは使用されませんでした。準備ができたらもう一度お試しになるか、別の方法でサインインしてください。",
  passkeyNotCreated: "パスキーは作成されませんでした。準備ができたら、もう一度お試しください。",
  passkeyNeedsLock:
    "このデバイスではご本人であることを確認できません。画面ロック、指紋、またはPINを設定してから、もう一度お試しください。",
  offline: "現在、接続がありません。ネットワークを確認して、もう一度お試しください。",
  timedOut: (app) => `このサインインは時間切れになりました。${app}に戻って、最初からやり直してください。`,

  // What went wrong and what to do next: the summary above the form.
  wrongCredentials:
    "メールアドレスとパスワードが一致しません。もう一度お試しになるか、パスワードを再設定するか、数分お待ちください。",
  tooManyTries: (wait) => `試行回数が多すぎます。${wait}後にもう一度お試しください。`,
  tooManyTriesOrPasskey: (wait) =>
    `試行回数が多すぎます。${wait}後にもう一度お試しになるか、パスキーでサインインしてください。`,
  busy: "現在、サインインが混み合っています。数秒待ってから、もう一度お試しください。",
  passkeyUnknown: (app) =>
    `そのパスキーは、${app}のどのアカウントにも登録されていません。別のパスキーを試すか、別の方法でサインインしてください。`,
  passkeyFailed: "そのパスキーを確認できませんでした。もう一度お試しになるか、別の方法でサインインしてください。",
  passkeyChanged:
    "そのパスキーは、ここに追加された後に変更されています。別の方法でサインインし、パスキーを削除してから追加し直してください。",
  passkeyNotSaved: "そのパスキーを保存できませんでした。もう一度お試しください。",
  passkeyExists: "このデバイスには、このアカウントのパスキーがすでにあります。そのパスキーでサインインしてください。",
  passkeysFull: "このアカウントのパスキーは上限に達しています。使っていないパスキーを先に削除してください。",
  providerCancelled: (provider) =>
    `${provider}でのサインインが完了しませんでした。もう一度お試しになるか、別の方法でサインインしてください。`,
  providerNoEmail: (provider) =>
    `${provider}からメールアドレスが共有されませんでした。${provider}で共有を許可してもう一度お試しになるか、別の方法でサインインしてください。`,
  providerUnsupportedEmail: (provider) =>
    `${provider}のメールアドレスはここでは使用できません。${provider}で別のアドレスを使うか、別の方法でサインインしてください。`,
  providerUnverifiedEmail: (provider) =>
    `${provider}でメールアドレスが確認されていません。${provider}で確認してから、もう一度お試しください。`,
  providerExistingAccount: (provider, app) =>
    `このメールアドレスの${app}のアカウントがすでにあります。いつもの方法でサインインしてください。${provider}は後から追加できます。`,
  providerLinksAfter: (provider, app) =>
    `このメールアドレスには、すでに${app}のアカウントがあります。別の方法でサインインすると、${provider}アカウントがそのアカウントに連携されます。`,
  providerNoAccount: (provider, app) =>
    `この${provider}アカウントに対応する${app}のアカウントがありません。ここで新しいアカウントを作成することはできません。`,
  providerRefused: (provider, app) =>
    `${app}では、この${provider}のアカウントでサインインできません。別の方法でサインインするか、${app}にお問い合わせください。`,
  providerFailed: (provider) =>
    `${provider}から正しい応答がありませんでした。もう一度お試しになるか、別の方法でサインインしてください。`,
  cannotCreate:
    "この内容ではアカウントを作成できませんでした。すでにアカウントをお持ちの場合は、サインインしてください。",
  checkEmail: "メールアドレスを確認して、もう一度お試しください。",
  checkPassword: "別のパスワードを設定して、もう一度お試しください。",
  checkName: "名前を確認して、もう一度お試しください。",
  enterEmail: "続行するには、メールアドレスを入力してください。",
  enterPassword: "続行するには、パスワードを入力してください。",
  choosePassword: "続行するには、パスワードを設定してください。",

  enterCode: "続行するには、メールのコードを入力してください。",
  checkCode: "コードが違います。確認するか、新しいメールを送信してください。",
  codeOver:
    "このコードはもう使えません。使用済みか、試行回数が多すぎるか、有効期限が切れています。新しいメールを送信してください。",

  // The same in a few words, beside the field.
  codeMissing: "8桁の数字を入力してください。",
  codeWrong: "最新のメールのコードではありません。",
  emailMissing: "メールアドレスを入力してください。",
  emailInvalid: "name@example.comのような形式で入力してください。",
  emailUnsupported: "@の前にüのような文字や%のような記号は使用できません。別のアドレスを入力してください。",
  passwordMissing: "パスワードを入力してください。",
  newPasswordMissing: "パスワードを入力してください。",
  passwordTooShort: (length) => `短すぎます。${length}文字以上にしてください。`,
  passwordTooLong: (length) => `長すぎます。${length}文字以内にしてください。`,
  passwordCommon: "推測されやすいパスワードです。よく使われるパスワードの一覧に載っています。",
  passwordBreached: "過去に流出したパスワードです。ほかで使っていないものにしてください。",
  passwordOfCommonOnes: "よく使われるパスワードを組み合わせたものです。もっと推測されにくいものにしてください。",
  passwordOnKeyboard: "キーボードの並びになっています。もっと推測されにくいものにしてください。",
  passwordRepeats: "同じ文字や単語の繰り返しです。もっと推測されにくいものにしてください。",
  passwordIsSequence: "abcd や 1234 のような連続した文字です。もっと推測されにくいものにしてください。",
  passwordIsDate: "ほとんどが日付です。もっと推測されにくいものにしてください。",
  passwordIsPersonal:
    "ほとんどがお名前、メールアドレス、またはアプリの名前です。もっと推測されにくいものにしてください。",
  passwordPredictable: "推測されやすすぎます。もっと推測されにくいものにしてください。",
  passwordContext: (app) => `メールアドレスや「${app}」という名前とは別のものにしてください。`,
  nameTooLong: (length) => `長すぎます。${length}文字以内にしてください。`,

  // Whole-page messages: a heading and what to do next.
  expiredTitle: "このサインインは時間切れになりました",
  expiredNext: (app) => `${app}に戻って、最初からやり直してください。`,
  unknownNext: "元のアプリに戻って、最初からやり直してください。",
  finishedTitle: "サインインしました",
  finishedNext: (app) => `このページを閉じるか、${app}に進んでください。`,
  continueTo: (app) => `${app}に進む`,
  linkOverTitle: "このリンクはもう使えません",
  linkOverNext:
    "使用済みか、有効期限が切れているか、新しいメールに置き換えられています。最新のメールを開くか、アプリから改めてやり直してください。",
  sendNewLink: "新しいリンクを送る",
  linkElsewhereTitle: "申し込んだブラウザーでこのリンクを開いてください",
  linkElsewhereNext:
    "まだ何も確認されていません。他人が自分のアカウントにこのアドレスを使えないように、リンクは申し込んだブラウザーでのみ使えます。そのブラウザーで開くか、そこで待っているページにメールのコードを入力してください。",
  signInLinkElsewhereNext:
    "まだ誰もサインインしていません。リンクは申し込んだブラウザーでのみ使えます。そのブラウザーで開くか、そこで待っているページにメールのコードを入力してください。お心当たりがない場合は、このページを閉じてください。",
  inviteTitle: (app) => `${app}へようこそ`,
  inviteNext: "次のメールアドレスでアカウントが用意されています：",
  inviteChoose: "サインインの方法を選んでください。",
  invitePassword: "パスワードを設定",
  addressTakenTitle: "このアドレスは使えません",
  addressTakenNext: (app) => `${app}の別のアカウントが使っています。何も変更されていません。`,
  addressRestoredTitle: "メールアドレスを元に戻しました",
  addressRestoredReset:
    "すべてのデバイスでサインアウトしました。今すぐ新しいパスワードを設定してください。その後アカウントページを開き、ご自身のものではないサインイン方法を削除してください。",
  addressRestoredNext:
    "すべてのデバイスでサインアウトしました。アカウントページでサインインし、ご自身のものではないサインイン方法を削除してください。",
  addressRestoredChoose:
    "すべてのデバイスでサインアウトしました。サインイン方法が残っていません。今すぐ新しい方法を選んでください。",
  chooseMethod: "サインイン方法を選ぶ",
  continueToAccount: "アカウントページを開く",
  accountCreatedTitle: "アカウントを作成しました",
  accountCreatedNext: (app) => `メールアドレスを確認しました。${app}に進んで、サインインしてください。`,
  passwordChangedTitle: "パスワードを変更しました",
  passwordChangedNext: "すべてのデバイスでサインアウトしました。新しいパスワードでサインインしてください。",
  otherBrowserTitle: "このサインインは別のブラウザーで始められました",
  otherBrowserNext: (app) => `そのブラウザーで完了するか、このブラウザーで${app}に戻って最初からやり直してください。`,
  otherBrowserNextUnknown: "そのブラウザーで完了するか、このブラウザーでアプリから改めてやり直してください。",
  badRedirectTitle: "このサインイン用リンクは使えません",
  badRedirectNext:
    "戻り先のアドレスがこのアプリに登録されていないため、移動しませんでした。アプリの運営者にお知らせください。",
  badLinkTitle: "このリンクは使えません",
  badLinkNext: "元のアプリに戻って、もう一度お試しください。それでも使えない場合は、アプリの運営者にお知らせください。",
  badLinkDetails: "運営者に伝える内容：",
  noPageTitle: "ページがありません",
  noPageNext: "アドレスを確認するか、元のアプリに戻ってください。",
  homeTitle: "サインイン用のサイトです",
  homeNext: "アプリにサインインするときに、このサイトが開きます。使いたいアプリから始めてください。",
  noMethodsTitle: "サインインする方法がまだありません",
  noMethodsNext: (app) => `${app}では、サインイン方法がまだ有効になっていません。運営者にお知らせください。`,
  noMethodsCommand: "開発モードです。次のコマンドで方法を有効にしてから、再読み込みしてください：",
  crossSiteTitle: "このページから送信されたものではありません",
  crossSiteNext: "何も変更されていません。元のアプリに戻って、最初からやり直してください。",
  cookiesTitle: "Cookieが無効になっています",
  cookiesNext:
    "サインインには、このサイトのCookieが1つ必要です。ブラウザーの設定で許可してから、このページを再読み込みしてください。",
  serverErrorTitle: "問題が発生しました",
  serverErrorNext: "しばらく待ってから、前のページに戻ってもう一度お試しください。",
  tooManyTitle: "試行回数が多すぎます",
  tooManyNext: (wait) => `${wait}後にもう一度お試しください。`,
  busyTitle: "現在、混み合っています",
  busyNext: "サインインが混み合っています。数秒待ってから、もう一度お試しください。",

  ...account,
  ...factors,
  ...device,
};
