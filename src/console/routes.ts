import type { ConsoleRoute } from "./route.ts";
import * as overview from "./overview/overview-page.ts";
import { signOut } from "./sign-out.ts";

/** Every page and act of the console. What each one is for: its file. */
export const consoleRoutes: ConsoleRoute[] = [overview.page, signOut];
