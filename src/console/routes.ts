import type { ConsoleRoute } from "./route.ts";
import * as audit from "./audit/audit-page.ts";
import * as capacity from "./capacity/capacity-page.ts";
import * as keys from "./keys/key-pages.ts";
import * as mail from "./mail/mail-pages.ts";
import * as operators from "./operators/operator-pages.ts";
import * as overview from "./overview/overview-page.ts";
import { signOut } from "./sign-out.ts";
import * as webhooks from "./webhooks/webhook-pages.ts";

/** Every page and act of the console. What each one is for: its file. */
export const consoleRoutes: ConsoleRoute[] = [
  overview.page,
  signOut,
  webhooks.all,
  webhooks.blank,
  webhooks.create,
  webhooks.one,
  webhooks.change,
  webhooks.enable,
  webhooks.rotateSecret,
  webhooks.remove,
  webhooks.test,
  webhooks.sendFailedAgain,
  webhooks.delivery,
  webhooks.sendAgain,
  mail.queue,
  mail.sendSample,
  mail.texts,
  mail.framed,
  keys.all,
  keys.rotate,
  keys.one,
  keys.revoke,
  capacity.page,
  capacity.measureHere,
  audit.page,
  operators.all,
  operators.invite,
  operators.setNetworks,
  operators.one,
  operators.update,
  operators.remove,
];
