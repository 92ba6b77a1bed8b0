import type { ProviderAccounts } from "../oauth/accounts.ts";
import type { OfferedProviders } from "./choose-pages.ts";
import type { SignIn } from "./service.ts";

/** The providers that a session may use and that have an account, and the origins that their buttons lead to. */
export function createOfferedProviders(deps: { accounts: ProviderAccounts; signIn: SignIn }): OfferedProviders {
  const { accounts, signIn } = deps;
  return {
    async offered({ session, application }) {
      // Most applications have none, and need not be asked.
      if (!application.authMethods.oauth.enabled) return [];
      return (await accounts.configuredNames(application.id))
        .filter((name) => signIn.allowsProvider(session, application, name))
        .map((name) => ({ name, displayName: accounts.displayName(name) }));
    },

    async formTargets({ application }, offered) {
      const targets = await Promise.all(offered.map(({ name }) => accounts.formTargets(application.id, name)));
      return [...new Set(targets.flat())];
    },
  };
}
