import type { ConsoleRoute } from "./route.ts";
import * as applicationBranding from "./applications/branding-pages.ts";
import * as applicationClients from "./applications/client-pages.ts";
import * as applicationGroups from "./applications/group-pages.ts";
import * as applicationKeys from "./applications/key-pages.ts";
import * as applicationList from "./applications/list-pages.ts";
import * as applicationProviders from "./applications/provider-pages.ts";
import * as applicationSettings from "./applications/settings-pages.ts";
import * as applicationTry from "./applications/try-pages.ts";
import * as overview from "./overview/overview-page.ts";
import * as people from "./people/people-pages.ts";
import * as person from "./people/person-pages.ts";
import { signOut } from "./sign-out.ts";

/** Every page and act of the console. What each one is for: its file. */
export const consoleRoutes: ConsoleRoute[] = [
  overview.page,
  people.page,
  people.invite,
  people.create,
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
  applicationKeys.page,
  applicationKeys.create,
  applicationKeys.rotate,
  applicationKeys.revoke,
  applicationProviders.page,
  applicationProviders.set,
  applicationProviders.remove,
  applicationClients.listPage,
  applicationClients.create,
  applicationClients.page,
  applicationClients.update,
  applicationClients.disable,
  applicationClients.enable,
  applicationClients.remove,
  applicationClients.createSecret,
  applicationClients.rotateSecret,
  applicationClients.revokeSecret,
  applicationGroups.page,
  applicationGroups.create,
  applicationGroups.update,
  applicationGroups.remove,
  applicationTry.page,
  applicationTry.back,
  applicationTry.addAddress,
  applicationTry.removeAddress,
  applicationTry.start,
  applicationTry.validate,
  applicationTry.refresh,
  applicationTry.logOut,
  signOut,
];
