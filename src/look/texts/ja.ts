import type { Texts } from "./en.ts";

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
  scopeOrganization: "所属する組織と、そこでの役割",
  scopeOfOrganization: (name) => `所属する組織「${name}」と、そこでの役割`,
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

  // The account page.
  accountTitle: (app) => `${app}のアカウント`,
  backToAccount: "アカウントに戻る",
  onThisPage: "このページの内容",
  toSignIn: "サインイン",
  toDevices: "デバイス",
  toPrograms: "プログラム",
  toData: "データ",

  // Profile.
  profile: "プロフィール",
  edit: "編集",
  picture: "画像",
  linkToPicture: "画像へのリンク",
  pictureHint: "https://で始まるアドレスです。アプリで名前の横に画像が表示されます。",
  openPicture: "画像を開く",
  initialsInstead: "画像のあるサイトにここへの訪問が知られないように、このページではイニシャルを表示します。",
  notSet: "未設定",
  verified: "確認済み",
  notVerified: "未確認",
  verifyEmail: "確認する",
  changeEmail: "メールアドレスを変更",
  changeEmailNext:
    "コードを記載したメールを新しいアドレスに送ります。現在のアドレスにもメールを送ります。そのリンクで、7日間は変更を取り消せます。",
  newEmail: "新しいメールアドレス",
  emailSame: "すでに登録されているアドレスです。",
  emailTaken: (app) => `${app}の別のアカウントがこのアドレスを使っています。`,
  restoreTitle: "メールアドレスを元に戻す",
  restoreNext: (app) => `${app}のアカウントのメールアドレスが変更されました。次のアドレスに戻します：`,
  restoreEnds: "すべてのブラウザーで、アカウントからサインアウトします。",
  restoreRemoves: "次のものも削除します。ほかの人が知っているか、追加した可能性があるためです：",
  restoreAlso: "ご自身のものでなければ、次の方法も削除してください：",
  restore: "アドレスを元に戻す",
  restoring: "元に戻しています…",
  editProfile: "プロフィールを編集",
  save: "保存",
  nameMissing: "名前を入力してください。",
  pictureNotHttps: "https://example.com/me.pngのような形式で入力してください。",
  changePicture: "画像の変更",
  pictureFile: "画像ファイル",
  pictureFileHint: "PNG、JPEG、WebPのいずれか。アプリで名前の横に表示されます。",
  savePicture: "画像を保存",
  removePicture: "画像を削除",
  undo: "元に戻す",
  undoPictureNext: "1時間以内であれば、前の状態に戻せます。",
  pictureNone: "ファイルを選択してください。",
  pictureLarge: "ファイルが256 KBを超えています。画像を小さくしてください。512 × 512ピクセルで十分です。",
  pictureWide: "画像の幅または高さが4096ピクセルを超えています。小さくしてください。",
  pictureMoving: "動く画像です。1コマをPNGまたはJPEGで保存してください。",
  picturePrint: "印刷用の色（CMYK）です。RGBで保存してください。",
  pictureBroken: "ファイルが壊れているか不完全です。もう一度保存またはダウンロードしてください。",
  pictureOther: "この種類のファイルは表示できない場合があります。JPEGまたはPNGで保存してください。",
  pictureTooLate: "もう元に戻せません。",

  // Sign-in methods.
  methods: "サインイン方法",
  addedOn: (date) => `追加：${date}`,
  changedOn: (date) => `変更：${date}`,
  lastUsed: (date) => `最終使用：${date}`,
  neverUsed: "まだ使用していません",
  notInUse: (app) => `現在、${app}ではこの方法でサインインできません`,
  passkey: "パスキー",
  addPasskey: "パスキーを追加",
  addPassword: "パスワードを追加",
  connect: (provider) => `${provider}と連携`,
  connectMenu: "連携…",
  change: "変更",
  changePassword: "パスワードを変更",
  rename: "名前を変更",
  renameNamed: (name) => `「${name}」の名前を変更`,
  renameTitle: "パスキーの名前を変更",
  renameHint: "このパスキーがどこにあるかわかる名前です。",
  labelMissing: "名前を入力してください。",
  remove: "削除",
  removeNamed: (name) => `「${name}」を削除`,
  removePasswordTitle: "パスワードを削除しますか？",
  removeTitle: (name) => `「${name}」を削除しますか？`,
  removing: "削除しています…",
  removePasskeyNext: (app) =>
    `${app}へのサインインに使えなくなります。デバイスのパスキー一覧には、そこで削除するまで残ることがあります。`,
  removePasswordNext: (app) => `${app}へのサインインに使えなくなります。`,
  removeProviderNext: (provider) =>
    `この${provider}アカウントではサインインできなくなります。${provider}のアカウントはそのまま残ります。`,
  removeStaysSignedIn: "現在サインインしているところでは、サインインしたままになります。",
  lastMethod: "この方法がないとサインインできなくなります。先に別のサインイン方法を追加してください。",
  lastPasskey: (app) =>
    `${app}ではサインインのたびにパスキーが必要で、パスキーはこれしかありません。先に別のパスキーを追加してください。`,

  // Logins.
  logins: "サインイン中のデバイス",
  noLogins: (app) => `現在、このページのほかに${app}にサインインしているところはありません。`,
  browserOn: (browser, device) => `${device}の${browser}`,
  unknownDevice: "不明なデバイス",
  byOperator: (app) => `${app}の運営者によるアクセス`,
  byActor: (name, app) => `${app}の運営者側の${name}`,
  actorReason: (reason) => `理由：${reason}`,
  here: "このブラウザー",
  signedInOn: (date) => `サインイン：${date}`,
  lastSeen: (date) => `最終アクセス：${date}`,
  signOut: "サインアウト",
  signOutNamed: (name) => `${name}からサインアウト`,
  signOutOthers: "ほかのすべてのデバイスからサインアウト",
  signOutAll: "すべてのデバイスからサインアウト",
  signingOut: "サインアウトしています…",
  signOutHere: "このブラウザーからサインアウト",
  signOutHereNext: "このブラウザーでこれらのアカウントを使って開いたすべてのものからサインアウトします。",
  signOutOf: (app) => `${app}からサインアウトしますか？`,
  signOutOfNext: (app) => `このブラウザーで${app}のアカウントを使って開いたすべてのものからサインアウトします。`,
  staySignedIn: "サインインしたままにする",

  // Programs with access.
  programs: "アクセスできるプログラム",
  allowedOn: (date) => `許可：${date}`,
  removeAccess: "アクセスを取り消す",
  removeAccessNamed: (name) => `${name}のアクセスを取り消す`,

  // Personal data.
  data: "データ",
  downloadLink: "データをダウンロード",
  downloadTitle: "データをダウンロード",
  downloadNext: (app) =>
    `プロフィール、サインイン方法、${app}にサインインしているデバイスの情報が入ったファイルです。パスワードや鍵は含まれません。`,
  download: "ダウンロード",
  deleteLink: "アカウントを削除",
  deleteTitle: (app) => `${app}のアカウントを削除しますか？`,
  deleteNow: "すぐに実行され、元に戻せません：",
  deleteProfile: "プロフィールとすべてのサインイン方法が削除されます。",
  deleteLogins: (app) => `すべてのデバイスで${app}からサインアウトします。`,
  deleteElsewhere: (app) => `${app}自体が保存している情報の削除は、${app}が行います。${app}にお問い合わせください。`,
  deleteForGood: "アカウントを完全に削除",
  deleting: "削除しています…",

  // Notices on the account page, after an action.
  noticeProfile: "プロフィールを保存しました。",
  noticePicture: "画像を保存しました。",
  noticePictureRemoved: "画像を削除しました。",
  noticePictureUndone: "画像の変更を元に戻しました。",
  noticeVerified: "メールアドレスを確認しました。",
  noticeEmail: "メールアドレスを変更しました。",
  noticeRenamed: "新しい名前を保存しました。",
  noticeRemoved: "削除しました。この方法では誰もサインインできません。",
  noticeAdded: (name) => `「${name}」でサインインできるようになりました。`,
  noticePassword: "パスワードを保存しました。",
  noticeLoginEnded: "そのデバイスからサインアウトしました。",
  noticeOthersEnded: "ほかのすべてのデバイスからサインアウトしました。",
  noticeAccessRemoved: "このプログラムはアカウントにアクセスできなくなりました。",

  // Shown instead of the account page.
  noAccountTitle: "アプリから開いてください",
  noAccountNext:
    "アカウントページはアプリごとにあります。お使いのアプリに移動して、そこからアカウントを開いてください。",
  signedOutTitle: "サインアウトしました",
  signedOutHere: "このブラウザーでは誰もサインインしていません。",
  signedOutNext: (app) => `${app}のアカウントを表示または変更するには、もう一度サインインしてください。`,
  notSignedInTitle: "サインインしていません",
  notSignedInNext: (app) => `${app}のアカウントを表示または変更するには、サインインしてください。`,
  readyTitle: "アカウントの準備ができました",
  readyNext: (app) => `今後は、今選んだ方法で${app}にサインインしてください。`,
  deletedTitle: "アカウントを削除しました",
  deletedNext: (app) => `このアカウントでは${app}にサインインできなくなりました。このページを閉じてかまいません。`,
  notFoundTitle: "見つかりませんでした",
  notFoundNext: "少し前に削除された可能性があります。現在の内容はアカウントページで確認できます。",

  // Second factors: signing in.
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
  factorMalformed: "アプリに表示されている6桁の数字を入力してください。",
  recoveryMalformed: "1つのコードの24文字をすべて入力してください。",
  factorWrong: "コードが違うか、すでに使われています。次のコードをお待ちください。",
  recoveryWrong: "コードが違うか、すでに使われています。",
  factorBlockedTitle: "現在、コードを使えません",
  factorBlocked: "このアカウントで間違ったコードが何度も入力されました。",
  factorBlockedPasskey: "代わりにパスキーを使ってください。そのあと、コードをまた使えます。",

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

  // Second factors on the account page.
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

  // Signing in on a device that has no browser.
  deviceTitle: "デバイスでサインイン",
  deviceLead: "デバイスに表示されているコードを入力してください。",
  deviceLeadFilled: "デバイスにこのコードが表示されていることを確認してください。",
  deviceCodeHint: "8文字の英字です（例：WDJB-MJHT）。",
  deviceInFront:
    "目の前のデバイスにコードが表示されている場合だけ、続けてください。誰かから送られてきたコードの場合は、ここで中止してください。その人があなたのアカウントに入れるようになります。",
  deviceEnterCode: "コードを入力",
  deviceCodeMalformed: "8文字すべてを入力してください。",
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

  // The organization of a sign-in.
  organizationTitle: "組織を選択",
  organizationLead: (app) => `どの組織として${app}を使いますか？`,
  organizationLost: "前回使った組織は、もう使えません。",
  organizationFilter: "組織を検索",
  organizationFind: "検索",
  organizationNoMatch: "その名前の組織はありません。",
  organizationOffer: (domain: string) => `${domain} のアドレスをお持ちなので、この組織に参加できます。`,
  organizationWithout: "組織を選ばずに続ける",
  organizationNeededTitle: "組織が必要です",
  organizationNeededNext: (app) => `${app}は組織のメンバー向けです。組織の管理者に招待を依頼してください。`,
};
