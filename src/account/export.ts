import type { Actor, Audit } from "../audit/audit.ts";
import type { Consents } from "../clients/consents.ts";
import type { ClientInfo } from "../lib/client-info.ts";
import { isoTime, type Clock } from "../lib/clock.ts";
import { userNotFound } from "../lib/errors.ts";
import type { Methods } from "../methods/service.ts";
import type { Storage } from "../storage/storage.ts";
import type { ClaimSourcesService } from "../tokens/claim-sources.ts";
import type { LoginAdministration } from "../tokens/login-administration.ts";
import type { Profiles } from "../users/profile.ts";
import type { Users } from "../users/service.ts";
import type { User } from "../users/user.ts";

const allScopes = ["profile", "email"];

export type AccountExport = ReturnType<typeof createAccountExport>;

/** A user's own data, with the field names of the HTTP API and without secrets. */
export function createAccountExport(deps: {
  storage: Storage;
  users: Users;
  profiles: Profiles;
  methods: Methods;
  logins: LoginAdministration;
  consents: Consents;
  claimSources: ClaimSourcesService;
  audit: Audit;
  clock: Clock;
}) {
  const { storage, users, profiles, methods, logins, consents, claimSources, audit, clock } = deps;

  return {
    /**
     * Audited, because the file contains everything. `exportedAt`: epoch milliseconds. Throws
     * USER_NOT_FOUND.
     */
    async of({ id: userId, appId, updatedAt, locale }: User, by: { actor: Actor; clientInfo: ClientInfo }) {
      const now = clock();
      const content = {
        profile: { ...(await profiles.get(userId, allScopes)), updatedAt: isoTime(updatedAt), locale },
        methods: await methods.answersFor(userId, allScopes),
        logins: await logins.list(userId, { all: true }),
        consents: await consents.list(userId),
        groups: (await claimSources.read(userId)).groups,
      };
      await storage.write(async (tx) => {
        // Locked: a concurrent deletion must see this event, to remove the address from it.
        if (!(await users.lock(tx, userId))) throw userNotFound();
        await audit.record(tx, { ...by, action: "user.download", result: "success", appId, userId }, now);
      });
      return { exportedAt: now, ...content };
    },
  };
}
