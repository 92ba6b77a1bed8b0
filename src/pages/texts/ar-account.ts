import { isolated } from "./arabic.ts";
import type { AccountTexts } from "./en-account.ts";

export const account: AccountTexts = {
  accountTitle: (app) => `حسابك في ${isolated(app)}`,
  backToAccount: "الرجوع إلى حسابك",

  // Profile.
  profile: "الملف الشخصي",
  edit: "تعديل",
  picture: "عنوان الصورة",
  pictureHint: "عنوان يبدأ بـ \u2068https://\u2069. تعرض التطبيقات الصورة بجانب اسمك.",
  notSet: "غير محدد",
  verified: "مؤكَّد",
  notVerified: "غير مؤكَّد",
  verifyEmail: "تأكيد",
  editProfile: "تعديل الملف الشخصي",
  save: "حفظ",
  nameMissing: "أدخل اسمك.",
  checkPicture: "تحقق من عنوان الصورة ثم أعد المحاولة.",
  pictureNotHttps: "أدخل عنوانًا مثل \u2068https://example.com/me.png\u2069.",

  // Sign-in methods.
  methods: "طرق تسجيل الدخول",
  addedOn: (date) => `تاريخ الإضافة: ${date}`,
  changedOn: (date) => `تاريخ التغيير: ${date}`,
  lastUsed: (date) => `آخر استخدام: ${date}`,
  neverUsed: "لم يُستخدم بعد",
  notInUse: (app) => `لا يمكن حاليًا تسجيل الدخول إلى ${isolated(app)} بهذه الطريقة`,
  passkey: "مفتاح مرور",
  addPasskey: "إضافة مفتاح مرور",
  addPassword: "إضافة كلمة مرور",
  connect: (provider) => `ربط ${isolated(provider)}`,
  change: "تغيير",
  changePassword: "تغيير كلمة المرور",
  rename: "إعادة تسمية",
  renameNamed: (name) => `إعادة تسمية «${isolated(name)}»`,
  renameTitle: "إعادة تسمية مفتاح المرور",
  renameHint: "اسم يدلّك على مكان مفتاح المرور هذا.",
  labelMissing: "أدخل اسمًا.",
  remove: "حذف",
  removeNamed: (name) => `حذف «${isolated(name)}»`,
  removeTitle: (name) => `حذف «${isolated(name)}»؟`,
  removing: "جارٍ الحذف…",
  removePasskeyNext: (app) =>
    `لن يمكن بعد ذلك تسجيل الدخول به إلى ${isolated(app)}. قد يبقى في قائمة مفاتيح المرور على جهازك حتى تحذفه منها.`,
  removePasswordNext: (app) => `لن يمكن بعد ذلك تسجيل الدخول بها إلى ${isolated(app)}.`,
  removeProviderNext: (provider) =>
    `لن يمكنك بعد ذلك تسجيل الدخول بحساب ${isolated(provider)} هذا. يبقى حسابك في ${isolated(provider)} كما هو.`,
  removeStaysSignedIn: "تبقى عمليات تسجيل الدخول الحالية كما هي.",
  lastMethod: "بدون هذه الطريقة لن يمكنك تسجيل الدخول. أضف أولًا طريقة أخرى.",
  lastPasskey: (app) =>
    `يُطلب في ${isolated(app)} مفتاح مرور عند كل تسجيل دخول، وهذا مفتاحك الوحيد. أضف أولًا مفتاحًا آخر.`,

  // Logins.
  logins: "أماكن تسجيل دخولك",
  noLogins: (app) => `لم يُسجَّل دخولك الآن إلى ${isolated(app)} في أي مكان، عدا هذه الصفحة.`,
  browserOn: (browser, device) => `${isolated(browser)} على ${isolated(device)}`,
  unknownDevice: "جهاز غير معروف",
  byOperator: (app) => `دخول من فريق ${isolated(app)}`,
  here: "هذا المتصفح",
  signedInOn: (date) => `تاريخ تسجيل الدخول: ${date}`,
  lastSeen: (date) => `آخر نشاط: ${date}`,
  signOut: "تسجيل الخروج",
  signOutNamed: (name) => `تسجيل الخروج من ${isolated(name)}`,
  signOutOthers: "تسجيل الخروج من كل الأماكن الأخرى",
  signOutAll: "تسجيل الخروج من كل مكان",
  signingOut: "جارٍ تسجيل الخروج…",
  signOutHere: "تسجيل الخروج من هذا المتصفح",
  signOutHereNext: "سيُسجَّل خروجك من كل ما فتحته في هذا المتصفح بهذه الحسابات.",
  signOutOf: (app) => `هل تريد تسجيل الخروج من ${isolated(app)}؟`,
  signOutOfNext: (app) => `سيُسجَّل خروجك من كل ما فتحته في هذا المتصفح بحسابك في ${isolated(app)}.`,
  staySignedIn: "البقاء مسجّلًا",

  // Programs with access.
  programs: "البرامج التي لها حق الوصول",
  allowedOn: (date) => `تاريخ السماح: ${isolated(date)}`,
  removeAccess: "إلغاء الوصول",
  removeAccessNamed: (name) => `إلغاء الوصول: ${isolated(name)}`,

  // Personal data.
  data: "بياناتك",
  downloadLink: "تنزيل بياناتك",
  downloadTitle: "تنزيل بياناتك",
  downloadNext: (app) =>
    `ملف يضم ملفك الشخصي وطرق تسجيل دخولك وأماكن تسجيل دخولك إلى ${isolated(app)}. لا يضم كلمات مرور أو مفاتيح.`,
  download: "تنزيل",
  deleteLink: "حذف حسابك",
  deleteTitle: (app) => `حذف حسابك في ${isolated(app)}؟`,
  deleteNow: "يحدث هذا فورًا ولا يمكن التراجع عنه:",
  deleteProfile: "يُحذف ملفك الشخصي وكل طرق تسجيل دخولك.",
  deleteLogins: (app) => `يُسجَّل خروجك من ${isolated(app)} في كل مكان.`,
  deleteElsewhere: (app) =>
    `البيانات المحفوظة عنك لدى ${isolated(app)} لا تُحذف من هنا. اطلب حذفها من فريق ${isolated(app)}.`,
  deleteForGood: "حذف حسابي نهائيًا",
  deleting: "جارٍ الحذف…",

  // Notices after an action.
  noticeProfile: "حُفظ ملفك الشخصي.",
  noticeVerified: "عنوان بريدك الإلكتروني مؤكَّد الآن.",
  noticeRenamed: "حُفظ الاسم الجديد.",
  noticeRemoved: "حُذفت هذه الطريقة، ولم يعد بإمكان أحد تسجيل الدخول بها.",
  noticeAdded: (name) => `يمكنك من الآن فصاعدًا تسجيل الدخول باستخدام ${isolated(name)}.`,
  noticePassword: "حُفظت كلمة مرورك.",
  noticeLoginEnded: "سُجّل الخروج من ذلك الجهاز.",
  noticeOthersEnded: "سُجّل خروجك من كل الأماكن الأخرى.",
  noticeAccessRemoved: "لم يعد لهذا البرنامج وصول إلى حسابك.",

  // Shown instead of the page.
  noAccountTitle: "افتح هذه الصفحة من تطبيقك",
  noAccountNext: "لكل تطبيق صفحة حساب خاصة به. انتقل إلى التطبيق الذي تستخدمه وافتح حسابك من هناك.",
  signedOutTitle: "سُجّل خروجك",
  signedOutHere: "لا أحد سجّل الدخول في هذا المتصفح.",
  signedOutNext: (app) => `لعرض حسابك في ${isolated(app)} أو تغييره، سجّل الدخول مجددًا.`,
  notSignedInTitle: "لم تسجّل الدخول",
  notSignedInNext: (app) => `لعرض حسابك في ${isolated(app)} أو تغييره، سجّل الدخول.`,
  deletedTitle: "حُذف حسابك",
  deletedNext: (app) => `لم يعد بإمكانك تسجيل الدخول به إلى ${isolated(app)}. يمكنك إغلاق هذه الصفحة.`,
  notFoundTitle: "لم يعد هذا موجودًا هنا",
  notFoundNext: "ربما حُذف قبل لحظات. تعرض صفحة حسابك ما هو موجود الآن.",
};
