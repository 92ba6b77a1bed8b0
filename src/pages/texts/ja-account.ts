import type { AccountTexts } from "./en-account.ts";

export const account: AccountTexts = {
  accountTitle: (app) => `${app}のアカウント`,
  backToAccount: "アカウントに戻る",

  // Profile.
  profile: "プロフィール",
  edit: "編集",
  picture: "画像のアドレス",
  pictureHint: "https://で始まるアドレスです。アプリで名前の横に画像が表示されます。",
  notSet: "未設定",
  verified: "確認済み",
  notVerified: "未確認",
  verifyEmail: "確認する",
  editProfile: "プロフィールを編集",
  save: "保存",
  nameMissing: "名前を入力してください。",
  checkPicture: "画像のアドレスを確認して、もう一度お試しください。",
  pictureNotHttps: "https://example.com/me.pngのような形式で入力してください。",

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
  change: "変更",
  changePassword: "パスワードを変更",
  rename: "名前を変更",
  renameNamed: (name) => `「${name}」の名前を変更`,
  renameTitle: "パスキーの名前を変更",
  renameHint: "このパスキーがどこにあるかわかる名前です。",
  labelMissing: "名前を入力してください。",
  remove: "削除",
  removeNamed: (name) => `「${name}」を削除`,
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
  here: "このブラウザー",
  signedInOn: (date) => `サインイン：${date}`,
  lastSeen: (date) => `最終アクセス：${date}`,
  signOut: "サインアウト",
  signOutNamed: (name) => `${name}からサインアウト`,
  signOutOthers: "ほかのすべてのデバイスからサインアウト",
  signOutAll: "すべてのデバイスからサインアウト",
  signingOut: "サインアウトしています…",
  signOutHere: "このブラウザーからサインアウト",
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

  // Notices after an action.
  noticeProfile: "プロフィールを保存しました。",
  noticeVerified: "メールアドレスを確認しました。",
  noticeRenamed: "新しい名前を保存しました。",
  noticeRemoved: "削除しました。この方法では誰もサインインできません。",
  noticeAdded: (name) => `「${name}」でサインインできるようになりました。`,
  noticePassword: "パスワードを保存しました。",
  noticeLoginEnded: "そのデバイスからサインアウトしました。",
  noticeOthersEnded: "ほかのすべてのデバイスからサインアウトしました。",
  noticeAccessRemoved: "このプログラムはアカウントにアクセスできなくなりました。",

  // Shown instead of the page.
  noAccountTitle: "アプリから開いてください",
  noAccountNext:
    "アカウントページはアプリごとにあります。お使いのアプリに移動して、そこからアカウントを開いてください。",
  signedOutTitle: "サインアウトしました",
  signedOutNext: (app) => `${app}のアカウントを表示または変更するには、もう一度サインインしてください。`,
  notSignedInTitle: "サインインしていません",
  notSignedInNext: (app) => `${app}のアカウントを表示または変更するには、サインインしてください。`,
  deletedTitle: "アカウントを削除しました",
  deletedNext: (app) => `このアカウントでは${app}にサインインできなくなりました。このページを閉じてかまいません。`,
  notFoundTitle: "見つかりませんでした",
  notFoundNext: "少し前に削除された可能性があります。現在の内容はアカウントページで確認できます。",
};
