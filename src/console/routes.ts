import type { ConsoleRoute } from "./route.ts";
import * as agents from "./agents/agent-pages.ts";
import * as applicationTexts from "./applications/text-pages.ts";
import * as applicationBranding from "./applications/branding-pages.ts";
import * as applicationClients from "./applications/client-pages.ts";
import * as applicationGroups from "./applications/group-pages.ts";
import * as applicationKeys from "./applications/key-pages.ts";
import * as applicationList from "./applications/list-pages.ts";
import * as applicationPrograms from "./applications/program-pages.ts";
import * as applicationProviders from "./applications/provider-pages.ts";
import * as applicationSettings from "./applications/settings-pages.ts";
import * as applicationTry from "./applications/try-pages.ts";
import * as audit from "./audit/audit-page.ts";
import * as capacity from "./capacity/capacity-page.ts";
import * as keys from "./keys/key-pages.ts";
import * as mail from "./mail/mail-pages.ts";
import * as operators from "./operators/operator-pages.ts";
import * as organizationList from "./organizations/list-pages.ts";
import * as organization from "./organizations/organization-pages.ts";
import * as overview from "./overview/overview-page.ts";
import * as bulk from "./people/bulk-pages.ts";
import * as people from "./people/people-pages.ts";
import * as person from "./people/person-pages.ts";
import { searchPage } from "./search/search-page.ts";
import * as service from "./service/service-page.ts";
import { signOut } from "./sign-out.ts";
import * as webhookDeliveries from "./webhooks/delivery-pages.ts";
import * as webhooks from "./webhooks/webhook-pages.ts";

/** Found by the search. Each file says what its page is for. */
const named: ConsoleRoute[] = [
  overview.page,
  people.page,
  people.invite,
  people.create,
  people.exportAll,
  bulk.page,
  ...Object.values(bulk.acts),
  person.page,
  ...Object.values(person.acts),
  applicationList.page,
  applicationList.create,
  applicationSettings.page,
  applicationSettings.save,
  applicationSettings.remove,
  applicationBranding.page,
  applicationBranding.save,
  applicationBranding.preview,
  applicationTexts.page,
  applicationTexts.save,
  applicationTexts.preview,
  ...Object.values(applicationBranding.logoActs),
  applicationKeys.page,
  applicationKeys.create,
  applicationKeys.rotate,
  applicationKeys.revoke,
  applicationProviders.page,
  applicationProviders.own,
  applicationProviders.one,
  applicationProviders.set,
  applicationProviders.update,
  applicationProviders.remove,
  applicationClients.listPage,
  applicationClients.create,
  applicationClients.page,
  applicationClients.update,
  ...Object.values(applicationClients.logoActs),
  applicationClients.disable,
  applicationClients.enable,
  applicationClients.remove,
  applicationClients.createSecret,
  applicationClients.rotateSecret,
  applicationClients.revokeSecret,
  applicationPrograms.page,
  applicationPrograms.create,
  applicationGroups.page,
  applicationGroups.create,
  applicationGroups.update,
  applicationGroups.remove,
  organizationList.page,
  organizationList.create,
  organization.page,
  ...Object.values(organization.acts),
  applicationTry.page,
  applicationTry.back,
  applicationTry.addAddress,
  applicationTry.removeAddress,
  applicationTry.start,
  applicationTry.validate,
  applicationTry.refresh,
  applicationTry.logOut,
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
  webhookDeliveries.delivery,
  webhookDeliveries.sendAgain,
  webhookDeliveries.ofEvent,
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
  agents.page,
  agents.block,
  agents.unblock,
  audit.page,
  audit.exportAll,
  service.page,
  service.backUp,
  service.check,
  operators.all,
  operators.invite,
  operators.setNetworks,
  operators.one,
  operators.inviteAgain,
  operators.withdraw,
  operators.update,
  operators.remove,
  signOut,
];

/** Every page and act of the console. */
export const consoleRoutes: ConsoleRoute[] = [...named, searchPage(named)];
