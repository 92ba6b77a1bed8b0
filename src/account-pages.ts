import { createAddressPages } from "./account/address-pages.ts";
import { createDataPages } from "./account/data-pages.ts";
import { createLoginPages } from "./account/login-pages.ts";
import { createMethodPages } from "./account/method-pages.ts";
import { createOverviewPages } from "./account/overview-pages.ts";
import { createProfilePages } from "./account/profile-pages.ts";
import { createRestorePages } from "./account/restore-pages.ts";
import { createVerifyPages } from "./account/verify-pages.ts";
import { createAccountVisits } from "./account/visits.ts";
import type { App } from "./app.ts";
import type { Browsers } from "./hosted/browser.ts";
import type { Hosted } from "./hosted/hosted.ts";

/** The pages on which users manage their own account; `hosted-pages.ts` creates them. */
export function createAccountPages(
  { services, baseUrl, clock }: App,
  shared: { hosted: Hosted; browsers: Browsers; countStart(ipAddress: string): Promise<void> },
) {
  const deps = { ...services, ...shared, providerClients: services.providers };
  const visits = createAccountVisits(deps);
  const overview = createOverviewPages({ ...deps, visits, clock });
  return {
    overview,
    profile: createProfilePages({ ...deps, visits }),
    verify: createVerifyPages({ ...deps, visits }),
    address: createAddressPages({ ...deps, visits }),
    restore: createRestorePages({ ...deps, overview, baseUrl }),
    methods: createMethodPages({ ...deps, visits, overview }),
    logins: createLoginPages({ ...deps, visits }),
    data: createDataPages({ ...deps, visits }),
  };
}
