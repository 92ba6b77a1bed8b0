import { isolated } from "./arabic.ts";
import type { DeviceTexts } from "./en-device.ts";

export const device: DeviceTexts = {
  deviceTitle: "تسجيل الدخول على جهازك",
  deviceLead: "أدخل الرمز الذي يعرضه جهازك.",
  deviceLeadFilled: "تأكد من أن جهازك يعرض هذا الرمز.",
  deviceCodeHint: "ثمانية أحرف لاتينية، مثل \u2068WDJB-MJHT\u2069.",
  deviceInFront:
    "تابع فقط إذا كان الرمز معروضًا على جهاز أمامك. إذا أرسل إليك أحد هذا الرمز فتوقف هنا، وإلا دخل إلى حسابك.",
  deviceEnterCode: "إدخال رمز",
  enterDeviceCode: "أدخل الرمز من جهازك.",
  deviceCodeMalformed: "أدخل الأحرف الثمانية كلها.",
  checkDeviceCode: "تحقق من الرمز، أو احصل على رمز جديد على جهازك.",
  deviceCodeWrong: "هذا الرمز لا يعمل، أو لم يعد يعمل.",
  deviceAskTitle: (client) => `هل تسمح لـ ${isolated(client)} بتسجيل الدخول؟`,
  deviceAccount: (app) => `سيستخدم الجهاز حسابك في ${isolated(app)}:`,
  deviceAskedAt: (when) => `طلب الجهاز ذلك في ${isolated(when)}، من هذا العنوان:`,
  deviceAllowedTitle: "يمكنك العودة إلى جهازك",
  deviceAllowedNext: "سيتابع من تلقاء نفسه خلال ثوانٍ. يمكنك إغلاق هذه الصفحة.",
  deviceDeniedTitle: "لم يُسمح بشيء",
  deviceDeniedNext: "لم يُسجَّل الدخول على الجهاز. يمكنك إغلاق هذه الصفحة.",
  deviceOverTitle: "لم يعد هذا الرمز يعمل",
  deviceOverNext: "استُخدم من قبل أو أصبح قديمًا. احصل على رمز جديد على جهازك.",
  deviceNotAdmittedTitle: "لا يمكن استخدام هذا الحساب هنا",
  deviceNotAdmittedNext: (app) =>
    `القائمون على ${isolated(app)} يسمحون بهذا البرنامج لبعض الحسابات فقط. أدخل الرمز مرة أخرى واختر حسابًا آخر.`,
};
