import type { Grants } from "../clients/grants.ts";
import type { Clock } from "../lib/clock.ts";
import type { AddressChange } from "../email-tokens/address-change.ts";
import type { AddressUndo } from "../email-tokens/address-undo.ts";
import type { EmailTokens } from "../email-tokens/service.ts";
import type { MailService } from "../mail/service.ts";
import type { Methods } from "../methods/service.ts";
import type { ProviderClients } from "../oauth/provider-clients.ts";
import type { Passkeys } from "../passkeys/service.ts";
import type { Passwords } from "../passwords/service.ts";
import type { SignIn } from "../sign-in/service.ts";
import type { OwnLogins } from "../tokens/own-logins.ts";
import type { Profiles } from "../users/profile.ts";
import type { BrowserSessions } from "./browser-sessions.ts";
import { createAddressPages } from "./address-pages.ts";
import { createDataPages } from "./data-pages.ts";
import type { AccountExport } from "./export.ts";
import { createLoginPages } from "./login-pages.ts";
import { createMethodPages } from "./method-pages.ts";
import { createOverviewPages } from "./overview-pages.ts";
import { createProfilePages } from "./profile-pages.ts";
import { createRestorePages } from "./restore-pages.ts";
import { createVerifyPages } from "./verify-pages.ts";
import { createAccountVisits } from "./visits.ts";

/** The pages on which users manage their own account, in a browser that is signed in to it. */
export function createAccountPages(
  deps: Parameters<typeof createAccountVisits>[0] & {
    browserSessions: BrowserSessions;
    methods: Methods;
    passkeys: Passkeys;
    passwords: Passwords;
    providerClients: ProviderClients;
    ownLogins: OwnLogins;
    grants: Grants;
    mail: MailService;
    emailTokens: EmailTokens;
    addressChange: AddressChange;
    addressUndo: AddressUndo;
    baseUrl: string;
    profiles: Profiles;
    accountExport: AccountExport;
    signIn: SignIn;
    clock: Clock;
  },
) {
  const visits = createAccountVisits(deps);
  const overview = createOverviewPages({ ...deps, visits });
  return {
    overview,
    profile: createProfilePages({ ...deps, visits }),
    verify: createVerifyPages({ ...deps, visits }),
    address: createAddressPages({ ...deps, visits }),
    restore: createRestorePages({ ...deps, overview }),
    methods: createMethodPages({ ...deps, visits, overview }),
    logins: createLoginPages({ ...deps, visits }),
    data: createDataPages({ ...deps, visits }),
  };
}
