import type { ConsoleRoute } from "./route.ts";
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
  signOut,
];
