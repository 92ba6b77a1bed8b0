// The browser code of the hosted pages. Everything but passkeys works without it.
import { passOn } from "./hosted/continue.ts";
import { keepEmail } from "./hosted/keep-email.ts";
import { offerPasskeys } from "./hosted/passkeys.ts";
import { focusProblem } from "./hosted/problems.ts";
import { sendFormsOnce } from "./hosted/send-once.ts";
import { tellCurrentPasskeys } from "./hosted/signal.ts";
import { showCharacters } from "./hosted/show-characters.ts";

offerPasskeys();
sendFormsOnce();
showCharacters();
keepEmail();
focusProblem();
tellCurrentPasskeys();
passOn();
