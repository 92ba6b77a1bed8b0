import { device } from "./ar-device.ts";
import { factors } from "./ar-factors.ts";
import { account } from "./ar-account.ts";
import { characters, isolated } from "./arabic.ts";
import type { Texts } from "./en.ts";

// Waiting times are in the nominative, so they stand alone: after a preposition the dual would be
// wrong.
export const ar: Texts = {
  // The frame.
  youAreOn: "أنت في",
  openMailbox: "وضع التطوير: فتح صندوق البريد",
  errorTitle: (title) => `خطأ: ${title}`,
  or: "أو",
  cancel: "إلغاء",
  backTo: (app) => `الرجوع إلى ${isolated(app)}`,
  terms: "الشروط",
  privacy: "الخصوصية",
  support: "الدعم",

  // Fields.
  email: "البريد الإلكتروني",
  password: "كلمة المرور",
  name: "الاسم",
  optional: "اختياري",
  showCharacters: "إظهار الأحرف",
  hideCharacters: "إخفاء الأحرف",
  show: "إظهار",
  hide: "إخفاء",

  // Signing in.
  signInTo: (app) => `تسجيل الدخول إلى ${isolated(app)}`,
  signIn: "تسجيل الدخول",
  signingIn: "جارٍ تسجيل الدخول…",
  signInWithPasskey: "تسجيل الدخول بمفتاح مرور",
  usingPasskey: "في انتظار مفتاح المرور…",
  passkeyInOneLine: "سجّل الدخول ببصمتك أو وجهك أو قفل الشاشة. لا شيء عليك تذكّره.",
  continueWith: (provider) => `المتابعة باستخدام ${isolated(provider)}`,
  opening: (provider) => `جارٍ فتح ${isolated(provider)}…`,
  emailMeCode: "إرسال رمز إلى بريدي",
  emailCodeInOneLine: "سنرسل إليك رسالة فيها رمز. لا شيء عليك تذكّره.",
  signInAs: "ستسجّل الدخول بعنوان البريد الإلكتروني هذا:",
  forgotPassword: "نسيت كلمة المرور؟",
  newTo: (app) => `ليس لديك حساب في ${isolated(app)}؟`,
  usedLast: "آخر استخدام",

  // Creating an account.
  createAccountAt: (app) => `إنشاء حسابك في ${isolated(app)}`,
  createAccount: "إنشاء حساب",
  creatingAccount: "جارٍ إنشاء الحساب…",
  createPasskey: "إنشاء مفتاح مرور",
  creatingPasskey: "جارٍ إنشاء مفتاح المرور…",
  orChoosePassword: "أو اختر كلمة مرور",
  passwordRule: (length) => `الحد الأدنى: ${characters(length)}. بضع كلمات متتالية هي الأسهل.`,
  strongEnough: "قوية بما يكفي",
  haveAccount: "لديك حساب بالفعل؟",

  // Signing in to the account page, and confirming before adding a method.
  signInToAccount: (app) => `تسجيل الدخول إلى حسابك في ${isolated(app)}`,
  confirmItsYou: "تأكيد هويتك",
  confirmBefore: (app) => `سجّل الدخول مجددًا قبل تغيير حسابك في ${isolated(app)}:`,
  otherAccount: "هذا حساب آخر. سجّل الدخول إلى الحساب المذكور هنا.",
  proveAnewWhy: (provider, app) =>
    `لا يؤكد ${isolated(provider)} أنك سجّلت الدخول فيه الآن. يحتاج ${isolated(app)} إلى إثبات آخر لهويتك.`,
  proveAnewNoWay: (provider, app) =>
    `لا يؤكد ${isolated(provider)} أنك سجّلت الدخول فيه الآن، ولا يوجد في هذا الحساب ما يثبت هويتك غير ذلك: فلا مفتاح مرور ولا كلمة مرور ولا بريد إلكتروني يمكننا إرسال رمز إليه. تواصل مع ${isolated(app)}.`,

  // The passkey step after signing in.
  usePasskeyTitle: "استخدم الآن مفتاح المرور",
  usePasskeyWhy: (app) => `يُطلب في ${isolated(app)} مفتاح مرور عند كل تسجيل دخول.`,
  usePasskey: "استخدام مفتاح المرور",
  createPasskeyTitle: "أنشئ مفتاح مرور للمتابعة",
  createPasskeyWhy: (app) => `يُطلب في ${isolated(app)} مفتاح مرور عند كل تسجيل دخول، وليس لديك مفتاح بعد.`,
  offerPasskeyTitle: "سجّل الدخول أسرع في المرة القادمة",
  notNow: "ليس الآن",
  continuing: "جارٍ المتابعة…",

  // Signed in to this browser already, and what a client of OpenID Connect asks for.
  continueAs: (name) => `المتابعة باسم ${isolated(name)}`,
  useAnotherAccount: "استخدام حساب آخر",
  consentTitle: (client) => `${isolated(client)} يطلب الوصول`,
  consentQuestion: (client, app) => `هل تسمح لـ ${isolated(client)} باستخدام حسابك في ${isolated(app)}؟`,
  consentGets: "يحصل على:",
  consentAt: (resource) => `يتصرف نيابة عنك لدى ${isolated(resource)}:`,
  consentReturnsTo: "ستعود إلى",
  consentStaysHere:
    "اسمح فقط إذا كنت قد شغّلت هذا البرنامج بنفسك للتو: يمكن لأي برنامج على هذا الجهاز أن يطلب بهذا الاسم.",
  callsItself: (name) => `يسمّي نفسه «${isolated(name)}».`,
  nobodyChecked: "لم يتحقق أحد من هذا الاسم.",
  scopeOpenid: "من أنت: معرّف لا يتغير",
  scopeProfile: "اسمك وصورتك",
  scopeEmail: "عنوان بريدك الإلكتروني",
  scopeGroups: "أسماء مجموعاتك",
  scopeOfflineAccess: "الوصول أيضًا في غيابك إلى أن تنهيه",
  consentAgree: "السماح",
  consentDeny: "رفض",

  // The first proof of an address, and what it removes.
  takeOverTitle: "قبل المتابعة",
  takeOverFor: (app) => `حسابك في ${isolated(app)} بعنوان البريد الإلكتروني هذا:`,
  takeOverWhy:
    "لم يؤكّد أحد عنوان البريد الإلكتروني هذا من قبل، وربما أعدّ شخص آخر هذا الحساب. حتى لا يستخدمه أحد سواك، سيُحذف ما يلي عند المتابعة:",
  takeOverStays: "يبقى الاسم وكل ما عدا ذلك في الحساب كما هو.",
  takeOverAgree: "الحذف والمتابعة",
  unprovenPassword: "كلمة المرور التي عُيّنت قبل تأكيد العنوان",
  unprovenPasskeys: (count) => `مفاتيح المرور: ${count}`,
  unprovenProvider: (provider) => `الربط مع ${isolated(provider)}`,
  unprovenApp: "تطبيق المصادقة مع رموز الاسترداد الخاصة به",
  unprovenPrograms: (count) => `البرامج التي لها حق الوصول: ${count}`,
  unprovenLogins: (count) => `جلسات تسجيل الدخول النشطة: ${count}`,
  enterPasswordToAgree: "الرمز صحيح. أدخل كلمة المرور الجديدة مرة أخرى للموافقة.",

  // Adding a sign-in method. The account is named below the heading.
  addTo: (app) => `إلى حسابك في ${isolated(app)}:`,
  addPasskeyTitle: "إضافة مفتاح مرور",
  addPasswordTitle: "إضافة كلمة مرور",
  changePasswordTitle: "تغيير كلمة المرور",
  newPassword: "كلمة المرور الجديدة",
  savePassword: "حفظ كلمة المرور",
  saving: "جارٍ الحفظ…",
  addProviderTitle: (provider) => `إضافة ${isolated(provider)}`,
  addProviderNext: (provider) =>
    `تنتقل مرة واحدة إلى ${isolated(provider)} لتختار حسابك هناك. بعد ذلك يمكنك تسجيل الدخول به.`,
  identityTaken: (provider) =>
    `حساب ${isolated(provider)} هذا مرتبط بحساب آخر هنا. اختر حسابًا آخر في ${isolated(provider)}.`,
  identityThere: (provider) => `يمكنك بالفعل تسجيل الدخول بحساب ${isolated(provider)} هذا.`,

  // A code in a mail.
  checkMail: "تحقق من بريدك",
  code: "الرمز",
  codeHint: "ثمانية أرقام من أحدث رسالة.",
  mailedTo: "أرسلنا رسالة إلى هذا العنوان:",
  mailedNext: "أدخل الرمز الوارد فيها هنا، أو افتح رابطها في هذا المتصفح.",
  confirmCode: "تأكيد",
  confirming: "جارٍ التأكيد…",
  noMail:
    "لم تصل الرسالة بعد دقيقة؟ ابحث عنها في مجلد الرسائل غير المرغوب فيها أو اطلب إرسالها مجددًا. لا تعمل إلا أحدث رسالة.",
  sendAgain: "إعادة الإرسال",
  sending: "جارٍ الإرسال…",
  sentAgain: "رسالة جديدة في طريقها إليك، ما لم تكن عدة رسائل قد أُرسلت خلال الساعة الماضية.",
  wrongAddress: "ليس هذا عنوانك؟",
  otherAddress: "استخدام عنوان آخر",
  confirmAddress: "تأكيد عنوان بريدك الإلكتروني",
  confirmAddressOf: (app) => `سيُنشأ حسابك في ${isolated(app)} بهذا العنوان:`,
  confirmAddressFor: (app) => `سيصبح هذا هو العنوان المؤكَّد لحسابك في ${isolated(app)}:`,
  confirmAndContinue: (app) => `تأكيد ومتابعة إلى ${isolated(app)}`,

  // Forgotten password.
  forgotLead: (app) =>
    `أدخل عنوان البريد الإلكتروني لحسابك في ${isolated(app)}. سنرسل إليك رابطًا ورمزًا لاختيار كلمة مرور جديدة.`,
  sendMail: "إرسال الرسالة",
  resetMailedTo: (app) => `إذا كان لهذا العنوان حساب في ${isolated(app)}، فهناك رسالة في طريقها إليه:`,
  resetMailedNext: "افتح رابطها على أي جهاز، أو أدخل الرمز الوارد فيها هنا مع كلمة مرور جديدة.",
  chooseNewPassword: "اختيار كلمة مرور جديدة",
  newPasswordFor: (app) => `لحسابك في ${isolated(app)}:`,
  endsLogins: "عند الحفظ سيُسجَّل خروجك من كل مكان.",
  resetPassword: "إعادة تعيين كلمة المرور",
  resetNotSetUp: (app) => `إعادة تعيين كلمة المرور بالبريد غير متاحة بعد في ${isolated(app)}.`,
  resetOrPasskey: (app) =>
    `إذا كان لديك مفتاح مرور لهذا الحساب، فسجّل الدخول به. وإلا فاطلب المساعدة من فريق دعم ${isolated(app)}.`,
  resetAskSupport: (app) => `اطلب المساعدة من فريق دعم ${isolated(app)} لاستعادة الدخول إلى حسابك.`,
  backToSignIn: "الرجوع إلى تسجيل الدخول",

  // Passkeys: where the browser can't, and what the browser code says.
  passkeysNeedScript:
    "تحتاج مفاتيح المرور إلى \u2068JavaScript\u2069، وهي متوقفة في هذا المتصفح. شغّلها لهذه الصفحة ثم أعد تحميلها.",
  passkeyNoSupport:
    "لا يدعم هذا المتصفح مفاتيح المرور. افتح هذه الصفحة في إصدار حديث من \u2068Chrome\u2069 أو \u2068Edge\u2069 أو \u2068Firefox\u2069 أو \u2068Safari\u2069، أو على هاتفك.",
  passkeyNotUsed: "لم يُستخدم أي مفتاح مرور. أعد المحاولة متى شئت.",
  passkeyNotUsedOr: "لم يُستخدم أي مفتاح مرور. أعد المحاولة متى شئت، أو سجّل الدخول بطريقة أخرى.",
  passkeyNotCreated: "لم يُنشأ أي مفتاح مرور. أعد المحاولة متى شئت.",
  passkeyNeedsLock:
    "لا يستطيع هذا الجهاز التحقق من هويتك. اضبط عليه قفلًا للشاشة أو بصمة أو رقم \u2068PIN\u2069، ثم أعد المحاولة.",
  offline: "لا يوجد اتصال الآن. تحقق من الشبكة ثم أعد المحاولة.",
  timedOut: (app) => `انتهت مهلة تسجيل الدخول هذا. ارجع إلى ${isolated(app)} وابدأ من جديد.`,

  // What went wrong and what to do next: the summary above the form.
  wrongCredentials:
    "البريد الإلكتروني وكلمة المرور غير متطابقين. أعد المحاولة، أو أعد تعيين كلمة المرور، أو انتظر بضع دقائق.",
  tooManyTries: (wait) => `محاولات كثيرة جدًا. الوقت المتبقي قبل المحاولة مجددًا: ${wait}.`,
  tooManyTriesOrPasskey: (wait) =>
    `محاولات كثيرة جدًا. الوقت المتبقي قبل المحاولة مجددًا: ${wait}. يمكنك أيضًا تسجيل الدخول بمفتاح مرور.`,
  busy: "يسجّل الدخول الآن عدد كبير من الأشخاص. انتظر بضع ثوانٍ ثم أعد المحاولة.",
  passkeyUnknown: (app) =>
    `مفتاح المرور هذا غير مرتبط بأي حساب في ${isolated(app)}. جرّب مفتاحًا آخر أو سجّل الدخول بطريقة أخرى.`,
  passkeyFailed: "تعذّر التحقق من مفتاح المرور هذا. أعد المحاولة أو سجّل الدخول بطريقة أخرى.",
  passkeyChanged: "تغيّر مفتاح المرور هذا منذ إضافته هنا. سجّل الدخول بطريقة أخرى، ثم احذفه وأضفه من جديد.",
  passkeyNotSaved: "تعذّر حفظ مفتاح المرور هذا. أعد المحاولة.",
  passkeyExists: "يوجد على هذا الجهاز مفتاح مرور لهذا الحساب بالفعل. سجّل الدخول به.",
  passkeysFull: "بلغ حسابك أقصى عدد من مفاتيح المرور. احذف أولًا مفتاحًا لم تعد تستخدمه.",
  providerCancelled: (provider) =>
    `رجعت من ${isolated(provider)} دون تسجيل الدخول. أعد المحاولة أو سجّل الدخول بطريقة أخرى.`,
  providerNoEmail: (provider) =>
    `لم يصلنا عنوان بريد إلكتروني من ${isolated(provider)}. اسمح بمشاركته هناك ثم أعد المحاولة، أو سجّل الدخول بطريقة أخرى.`,
  providerUnsupportedEmail: (provider) =>
    `لا يمكن هنا استخدام عنوان بريدك الإلكتروني في ${isolated(provider)}. استخدم عنوانًا آخر هناك أو سجّل الدخول بطريقة أخرى.`,
  providerUnverifiedEmail: (provider) =>
    `عنوان بريدك الإلكتروني غير مؤكَّد في ${isolated(provider)}. أكّده هناك ثم أعد المحاولة.`,
  providerExistingAccount: (provider, app) =>
    `يوجد بالفعل حساب في ${isolated(app)} بعنوان البريد الإلكتروني هذا. سجّل الدخول إليه بطريقتك المعتادة، ثم يمكنك إضافة ${isolated(provider)}.`,
  providerLinksAfter: (provider, app) =>
    `يوجد بالفعل حساب في ${isolated(app)} بعنوان البريد الإلكتروني هذا. سجّل الدخول إليه بطريقة أخرى، وسيُربط به حسابك في ${isolated(provider)}.`,
  providerNoAccount: (provider, app) =>
    `لا يوجد حساب في ${isolated(app)} مرتبط بحساب ${isolated(provider)} هذا، ولا يمكن إنشاء حسابات جديدة هنا.`,
  providerRefused: (provider, app) =>
    `لا يمكن تسجيل دخولك إلى ${isolated(app)} بحساب ${isolated(provider)} هذا. سجّل الدخول بطريقة أخرى أو تواصل مع ${isolated(app)}.`,
  providerFailed: (provider) =>
    `لم يصلنا الرد المتوقع من ${isolated(provider)}. أعد المحاولة أو سجّل الدخول بطريقة أخرى.`,
  cannotCreate: "تعذّر إنشاء حساب بهذه البيانات. إذا كان لديك حساب بالفعل، فسجّل الدخول إليه.",
  checkEmail: "تحقق من عنوان البريد الإلكتروني ثم أعد المحاولة.",
  checkPassword: "اختر كلمة مرور أخرى ثم أعد المحاولة.",
  checkName: "تحقق من الاسم ثم أعد المحاولة.",
  enterEmail: "أدخل عنوان بريدك الإلكتروني للمتابعة.",
  enterPassword: "أدخل كلمة المرور للمتابعة.",
  choosePassword: "اختر كلمة مرور للمتابعة.",

  enterCode: "أدخل الرمز الوارد في الرسالة للمتابعة.",
  checkCode: "هذا الرمز غير صحيح. تحقق منه أو اطلب رسالة جديدة.",
  codeOver: "لم يعد هذا الرمز صالحًا: استُخدم، أو جُرّب مرات كثيرة، أو مضى عليه وقت طويل. اطلب رسالة جديدة.",

  // The same in a few words, beside the field.
  codeMissing: "أدخل الأرقام الثمانية.",
  codeWrong: "ليس هذا رمز أحدث رسالة.",
  emailMissing: "أدخل عنوان بريدك الإلكتروني.",
  emailInvalid: "أدخل عنوانًا مثل \u2068name@example.com\u2069.",
  emailUnsupported:
    "لا يمكن هنا استخدام حروف مثل \u2068ü\u2069 أو علامات مثل \u2068%\u2069 قبل \u2068@\u2069. استخدم عنوانًا آخر.",
  passwordMissing: "أدخل كلمة المرور.",
  newPasswordMissing: "أدخل كلمة مرور.",
  passwordTooShort: (length) => `قصيرة جدًا. الحد الأدنى: ${characters(length)}.`,
  passwordTooLong: (length) => `طويلة جدًا. الحد الأقصى: ${characters(length)}.`,
  passwordCommon: "يسهل تخمينها، فهي في قوائم كلمات المرور الشائعة.",
  passwordBreached: "ظهرت كلمة المرور هذه في تسريب بيانات. اختر واحدة لا تستخدمها في أي مكان آخر.",
  passwordOfCommonOnes: "تتكون من كلمات مرور شائعة. اختر شيئًا يصعب توقعه.",
  passwordOnKeyboard: "هذا نمط من أزرار لوحة المفاتيح المتجاورة. اختر شيئًا يصعب توقعه.",
  passwordRepeats: "تتكرر فيها الأحرف أو الكلمات نفسها. اختر شيئًا يصعب توقعه.",
  passwordIsSequence: "هذا تسلسل مثل abcd أو 1234. اختر شيئًا يصعب توقعه.",
  passwordIsDate: "معظمها تاريخ. اختر شيئًا يصعب توقعه.",
  passwordIsPersonal: "معظمها اسمك أو بريدك الإلكتروني أو اسم التطبيق. اختر شيئًا يصعب توقعه.",
  passwordPredictable: "يسهل تخمينها كثيرًا. اختر شيئًا يصعب توقعه.",
  passwordContext: (app) => `استخدم شيئًا آخر غير بريدك الإلكتروني أو الاسم ${isolated(app)}.`,
  nameTooLong: (length) => `طويل جدًا. الحد الأقصى: ${characters(length)}.`,

  // Whole-page messages: a heading and what to do next.
  expiredTitle: "انتهت مهلة تسجيل الدخول هذا",
  expiredNext: (app) => `ارجع إلى ${isolated(app)} وابدأ من جديد.`,
  unknownNext: "ارجع إلى التطبيق الذي جئت منه وابدأ من جديد.",
  finishedTitle: "سُجّل دخولك",
  finishedNext: (app) => `يمكنك إغلاق هذه الصفحة أو المتابعة إلى ${isolated(app)}.`,
  continueTo: (app) => `المتابعة إلى ${isolated(app)}`,
  linkOverTitle: "لم يعد هذا الرابط يعمل",
  linkOverNext: "استُخدم، أو مضى عليه وقت طويل، أو حلّت محله رسالة أحدث. افتح أحدث رسالة أو ابدأ من جديد من التطبيق.",
  sendNewLink: "إرسال رابط جديد",
  linkElsewhereTitle: "افتح هذا الرابط حيث طلبته",
  linkElsewhereNext:
    "لم يُؤكَّد أي شيء. حتى لا يستخدم أحد عنوانك في حساب له، لا يعمل الرابط إلا في المتصفح الذي طلبه. افتحه هناك، أو أدخل الرمز الوارد في الرسالة في الصفحة المفتوحة هناك.",
  signInLinkElsewhereNext:
    "لم يُسجَّل دخول أحد. لا يعمل الرابط إلا في المتصفح الذي طلبه. افتحه هناك، أو أدخل الرمز الوارد في الرسالة في الصفحة المفتوحة هناك. إذا لم تكن قد طلبته، فأغلق هذه الصفحة.",
  inviteTitle: (app) => `مرحبًا بك في ${isolated(app)}`,
  inviteNext: "يوجد حساب جاهز لك بعنوان البريد الإلكتروني هذا:",
  inviteChoose: "اختر طريقة تسجيل الدخول.",
  invitePassword: "اختيار كلمة مرور",
  addressTakenTitle: "لا يمكن استخدام هذا العنوان",
  addressTakenNext: (app) => `يستخدمه حساب آخر في ${isolated(app)}. لم يتغير شيء.`,
  addressRestoredTitle: "استُعيد عنوان بريدك الإلكتروني",
  addressRestoredReset:
    "سُجّل خروج الجميع. اختر الآن كلمة مرور جديدة. بعد ذلك افتح صفحة حسابك واحذف طرق تسجيل الدخول التي لا تخصك.",
  addressRestoredNext: "سُجّل خروج الجميع. سجّل الدخول في صفحة حسابك واحذف طرق تسجيل الدخول التي لا تخصك.",
  addressRestoredChoose: "سُجّل خروج الجميع، ولم تبقَ أي طريقة لتسجيل الدخول. اختر الآن طريقة جديدة.",
  chooseMethod: "اختيار طريقة تسجيل الدخول",
  continueToAccount: "فتح صفحة حسابك",
  accountCreatedTitle: "أُنشئ حسابك",
  accountCreatedNext: (app) => `عنوان بريدك الإلكتروني مؤكَّد. تابع إلى ${isolated(app)} وسجّل الدخول.`,
  passwordChangedTitle: "تغيّرت كلمة مرورك",
  passwordChangedNext: "سُجّل خروجك من كل مكان. سجّل الدخول بكلمة مرورك الجديدة.",
  otherBrowserTitle: "بدأ تسجيل الدخول هذا في متصفح آخر",
  otherBrowserNext: (app) => `أكمله هناك، أو ارجع إلى ${isolated(app)} في هذا المتصفح وابدأ من جديد.`,
  otherBrowserNextUnknown: "أكمله هناك، أو ابدأ من جديد من التطبيق في هذا المتصفح.",
  badRedirectTitle: "رابط تسجيل الدخول هذا لا يعمل",
  badRedirectNext: "عنوان الرجوع غير مسجَّل لدى هذا التطبيق، لذلك لم ننقلك إليه. أبلغ القائمين على التطبيق.",
  badLinkTitle: "هذا الرابط لا يعمل",
  badLinkNext: "ارجع إلى التطبيق الذي جئت منه وأعد المحاولة. إن لم يعمل بعد ذلك، فأبلغ القائمين على التطبيق.",
  badLinkDetails: "ما يحتاجون إلى معرفته:",
  noPageTitle: "لا توجد صفحة هنا",
  noPageNext: "تحقق من العنوان، أو ارجع إلى التطبيق الذي جئت منه.",
  homeTitle: "هنا يُسجَّل الدخول",
  homeNext: "تنقلك التطبيقات إلى هنا لتسجيل الدخول. ابدأ من التطبيق الذي تريد استخدامه.",
  noMethodsTitle: "لا توجد طريقة لتسجيل الدخول بعد",
  noMethodsNext: (app) => `لم تُفعَّل بعد أي طريقة لتسجيل الدخول إلى ${isolated(app)}. أبلغ القائمين عليه.`,
  noMethodsCommand: "أنت في وضع التطوير. فعّل طريقة بهذا الأمر ثم أعد تحميل الصفحة:",
  crossSiteTitle: "لم يأتِ هذا من هذه الصفحة",
  crossSiteNext: "لم يتغير شيء. ارجع إلى التطبيق الذي جئت منه وابدأ من جديد.",
  cookiesTitle: "ملفات تعريف الارتباط متوقفة",
  cookiesNext:
    "يحتاج تسجيل الدخول إلى ملف تعريف ارتباط واحد على هذا الموقع. اسمح به في إعدادات المتصفح ثم أعد تحميل هذه الصفحة.",
  serverErrorTitle: "حدث خطأ ما",
  serverErrorNext: "انتظر لحظة، ثم ارجع وأعد المحاولة.",
  tooManyTitle: "محاولات كثيرة جدًا",
  tooManyNext: (wait) => `الوقت المتبقي قبل المحاولة مجددًا: ${wait}.`,
  busyTitle: "الضغط كبير الآن",
  busyNext: "يسجّل الدخول عدد كبير من الأشخاص. انتظر بضع ثوانٍ ثم أعد المحاولة.",

  ...account,
  ...factors,
  ...device,
};
