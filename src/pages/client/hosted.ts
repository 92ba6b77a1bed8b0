// The browser code of the hosted pages. Everything but passkeys works without it.
import { passOn } from "./hosted/continue.ts";
import { checkPasswords } from "./hosted/check-password.ts";
import { focusFirstField } from "./hosted/first-field.ts";
import { sendFullCode } from "./hosted/full-code.ts";
import { keepEmail } from "./hosted/keep-email.ts";
import { replaceBrokenLogo } from "./hosted/logo.ts";
import { offerPasskeys } from "./hosted/passkeys.ts";
import { offerPrint } from "./hosted/print.ts";
import { focusProblem } from "./hosted/problems.ts";
import { sendFormsOnce } from "./hosted/send-once.ts";
import { tellCurrentPasskeys } from "./hosted/signal.ts";
import { tellTimeZone } from "./hosted/time-zone.ts";
import { showCharacters } from "./hosted/show-characters.ts";

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
