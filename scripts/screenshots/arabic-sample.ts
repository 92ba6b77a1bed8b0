import type { Frame } from "../../src/pages/frame.ts";
import { en } from "../../src/pages/texts/en.ts";

/** Just enough Arabic to see a page from right to left. Not a translation that ships. */
export const arabicSample: Pick<Frame, "texts" | "lang" | "dir"> = {
  lang: "ar",
  dir: "rtl",
  texts: {
    ...en,
    youAreOn: "أنت على",
    or: "أو",
    cancel: "إلغاء",
    email: "البريد الإلكتروني",
    password: "كلمة المرور",
    name: "الاسم",
    optional: "اختياري",
    show: "إظهار",
    showCharacters: "إظهار الأحرف",
    hide: "إخفاء",
    hideCharacters: "إخفاء الأحرف",
    signInTo: (app) => `تسجيل الدخول إلى ${app}`,
    signIn: "تسجيل الدخول",
    signInWithPasskey: "الدخول بمفتاح المرور",
    passkeyInOneLine: "سجّل الدخول ببصمتك أو وجهك أو قفل الشاشة. لا شيء لتتذكره.",
    continueWith: (provider) => `المتابعة باستخدام ${provider}`,
    forgotPassword: "نسيت كلمة المرور؟",
    newTo: (app) => `جديد على ${app}؟`,
    createAccountAt: (app) => `أنشئ حسابك في ${app}`,
    createAccount: "إنشاء حساب",
    createPasskey: "إنشاء مفتاح مرور",
    orChoosePassword: "أو اختر كلمة مرور",
    passwordRule: (length) => `${length} حرفًا على الأقل. بضع كلمات متتالية هي الأسهل.`,
    haveAccount: "لديك حساب؟",
  },
};
