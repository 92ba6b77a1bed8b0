import { AppError } from "../lib/errors.ts";
import type { Application } from "./application.ts";
import { applicationFrom } from "./new-application.ts";

/** The application that operators sign in to (docs/decisions/0056). No other may have its id. */
export const consoleAppId = "app_console";
export const consoleCallbackPath = "/console/signed-in";

/** With passkeys only and without sign-up. `origin`: the console's, without a trailing slash. */
export function consoleApplication(origin: string, now: number): Application {
  return applicationFrom(
    {
      id: consoleAppId,
      name: "authsvc console",
      redirectUris: [`${origin}${consoleCallbackPath}`],
      authMethods: { passkey: { enabled: true, required: true }, password: { enabled: false } },
      settings: { signUp: "closed" },
    },
    consoleAppId,
    () => false,
    now,
  );
}

/** Commands must not open another way into the console. Throws CONFLICT. */
export function refuseConsoleApp(id: string): void {
  if (id === consoleAppId)
    throw new AppError("CONFLICT", "This application belongs to the console. Use authsvc operator instead.");
}
