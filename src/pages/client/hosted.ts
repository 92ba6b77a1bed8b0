// The browser code of the hosted pages. Everything but passkeys works without it.
import { timeZoneCookie } from "../../lib/time-zone.ts";
import { checkPasswords } from "./hosted/check-password.ts";
import { first, all } from "./hosted/page.ts";
import { offerPasskeys, tellCurrentPasskeys } from "./hosted/passkeys.ts";
import { focusProblem } from "./hosted/problems.ts";
import { sendFormsOnce } from "./hosted/send-once.ts";
import { focusFirstField, sendFullCode, keepEmail, showCharacters } from "./hosted/fields.ts";

offerPasskeys();
sendFormsOnce();
showCharacters();
checkPasswords();
sendFullCode();
keepEmail();
focusProblem();
focusFirstField();
replaceBrokenLogo();
tellCurrentPasskeys();
tellTimeZone();
offerPrint();
passOn();

/** Submits a page that only passes on a provider's answer. */
function passOn(): void {
  first<HTMLFormElement>("form[data-continue]")?.requestSubmit();
}

/** Replaces a logo that fails to load by the app's initial and name. */
function replaceBrokenLogo(): void {
  const initial = first("[data-no-logo]");
  const logo = first<HTMLImageElement>(".brand img");
  if (!initial || !logo) return;
  logo.decode().catch(() => {
    logo.parentElement?.remove();
    initial.hidden = false;
  });
}

/** Shows the buttons that print the page, which need scripts. */
function offerPrint(): void {
  for (const button of all<HTMLButtonElement>("[data-print]")) {
    button.hidden = false;
    button.addEventListener("click", () => print());
  }
}

/** Tells the service the browser's time zone, for the times on pages and in mails. */
function tellTimeZone(): void {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  document.cookie = `${timeZoneCookie}=${timeZone}; Path=/; Max-Age=31536000; SameSite=Lax`;
}
