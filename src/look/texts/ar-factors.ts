import { days as daysOf, isolated } from "./arabic.ts";
import type { FactorTexts } from "./en-factors.ts";

export const factors: FactorTexts = {
  // Signing in.
  factorTitle: "أدخل رمزك",
  factorNext: (app) => `افتح تطبيق المصادقة وأدخل الرمز الذي يعرضه من أجل ${isolated(app)}.`,
  factorHint: "ستة أرقام.",
  useRecoveryCode: "استخدام رمز استرداد",
  useAppCode: "استخدام تطبيق المصادقة",
  recoveryTitle: "أدخل رمز استرداد",
  recoveryNext: "استخدم أحد الرموز التي احتفظت بها عند إعداد تطبيق المصادقة. يعمل كل رمز مرة واحدة.",
  recoveryCode: "رمز الاسترداد",
  recoveryHint: "24 حرفًا ورقمًا، مع الشرطات أو بدونها.",
  trustBrowser: (days) => `عدم طلب الرمز في هذا المتصفح، المدة: ${daysOf(days)}`,
  factorLost: (app) => `هل فقدت تطبيق المصادقة ورموز الاسترداد؟ اطلب المساعدة من ${isolated(app)}.`,
  enterFactorCode: "أدخل رمزك.",
  enterRecoveryCode: "أدخل رمز استرداد.",
  factorMalformed: "أدخل الأرقام الستة التي يعرضها تطبيقك.",
  recoveryMalformed: "أدخل كل الأحرف والأرقام الأربعة والعشرين لرمز واحد.",
  checkFactorCode: "تحقق من رمزك ثم أعد المحاولة.",
  factorWrong: "هذا الرمز غير صحيح أو سبق استخدامه. انتظر الرمز التالي.",
  recoveryWrong: "هذا الرمز غير صحيح أو سبق استخدامه.",
  factorBlocked: (app) =>
    `لا تعمل الرموز لهذا الحساب حاليًا، لأن رموزًا خاطئة كثيرة أُدخلت. استخدم مفتاح مرور أو اطلب المساعدة من ${isolated(app)}.`,

  // The operator's link for people who lost their app.
  recoverTitle: "تسجيل الدخول بدون رمزك",
  recoverNext: (app) => `هذا الرابط لحسابك في ${isolated(app)}:`,
  recoverRemoves: "سجّل الدخول مرة أخرى. بعد ذلك يُحذف تطبيق المصادقة ورموز الاسترداد، ويمكنك إعداد تطبيق جديد.",

  // Setting an authenticator app up.
  setUpTitle: "إعداد تطبيق مصادقة",
  setUpWhy: (app) => `يُطلب في ${isolated(app)} رمز من تطبيق مصادقة عند تسجيل الدخول بدون مفتاح مرور.`,
  setUpNext: "بعد ذلك، سيُطلب منك أيضًا رمز من هذا التطبيق عند تسجيل الدخول بدون مفتاح مرور.",
  setUpScan: "امسح هذا ضوئيًا بتطبيق مصادقة على هاتفك:",
  setUpQrCode: "رمز QR فيه المفتاح المكتوب أدناه",
  setUpHere: "الفتح في تطبيق على هذا الهاتف",
  setUpTyped: "أو أدخل هذا المفتاح في التطبيق:",
  setUpCode: "الرمز الذي يعرضه التطبيق",
  setUpCodeHint: "ستة أرقام تُظهر أن المفتاح موجود في التطبيق.",
  turnOn: "تفعيل",
  turningOn: "جارٍ التفعيل…",
  setUpOver: "بقيت هذه الصفحة مفتوحة مدة طويلة، أو تغيّر حسابك. امسح الرمز الجديد ضوئيًا.",

  // Recovery codes.
  codesTitle: "احتفظ برموز الاسترداد",
  codesNext:
    "إن لم يكن تطبيق المصادقة معك، فأدخل أحد هذه الرموز بدلًا منه. يعمل كل رمز مرة واحدة. لن تُعرض إلا الآن، فاحتفظ بها في مكان آمن.",
  codesDownload: "تنزيل",
  codesPrint: "طباعة",
  codesKept: "احتفظت بها",
  codesAway: "عُرضت رموز الاسترداد مرة واحدة. يمكنك الحصول على رموز جديدة في صفحة حسابك.",
  codeUsedTitle: "استخدمت رمز استرداد",
  codesLeft: (count) => (count === 0 ? "لم يبقَ لديك أي رمز." : `عدد الرموز المتبقية: ${count}.`),
  codesFew: "احصل على رموز جديدة في صفحة حسابك. وإن لم يعد تطبيقك يعمل، فاستبدله هناك.",
  appNotUsed: "سجّلت الدخول من دون تطبيق المصادقة. إذا لم يعد يعمل، فاستبدله الآن.",
  continue: "متابعة",

  // The account page.
  secondStep: "الخطوة الثانية",
  secondStepNext: "مع تطبيق مصادقة، لا يدخل أحد بكلمة مرورك وحدها.",
  authenticatorApp: "تطبيق المصادقة",
  codesBlocked: "لا تعمل الرموز حاليًا، لأن رموزًا خاطئة كثيرة أُدخلت. لتعمل من جديد، استبدل التطبيق.",
  setUp: "إعداد",
  replace: "استبدال",
  replaceTitle: "استبدال تطبيق المصادقة",
  replaceNext: "يعمل تطبيقك الحالي حتى تفعيل الجديد. وستحصل أيضًا على رموز استرداد جديدة.",
  recoveryCodes: "رموز الاسترداد",
  recoveryCodesLeft: (count) => `المتبقي: ${count}`,
  codesRunOut: "احصل على رموز جديدة قبل أن تنفد.",
  newCodes: "الحصول على رموز جديدة",
  newCodesTitle: "هل تريد الحصول على رموز استرداد جديدة؟",
  newCodesNext: "لن تعمل الرموز التي لديك الآن.",
  removeFactorTitle: "هل تريد حذف تطبيق المصادقة؟",
  removeFactorNext: "لن يُطلب منك رمز عند تسجيل الدخول. ولن تعمل رموز الاسترداد أيضًا.",
  factorRequired: (app) => `الخطوة الثانية إلزامية في ${isolated(app)}، لذلك لا يمكن حذف التطبيق. يمكنك استبداله.`,
  trustedUntil: (date) => `بدون طلب رمز حتى ${isolated(date)}`,
  askAgain: "طلب الرمز مجددًا",
  askAgainNamed: (browser) => `طلب الرمز مجددًا: ${isolated(browser)}`,
  noticeFactorAdded: "أُعدّ تطبيق المصادقة.",
  noticeFactorRemoved: "حُذف تطبيق المصادقة.",
  noticeTrustEnded: "سيُطلب رمز في ذلك المتصفح مجددًا.",
};
