import type { Actor, Audit, Origin } from "../audit/audit.ts";
import { isoTime, type Clock } from "../lib/clock.ts";
import { userNotFound } from "../lib/errors.ts";
import type { Methods } from "../methods/service.ts";
import type { Storage } from "../storage/storage.ts";
import type { LoginAdministration } from "../tokens/login-administration.ts";
import type { Profiles } from "../users/profile.ts";
import type { Users } from "../users/service.ts";
import type { User } from "../users/user.ts";

const allScopes = ["profile", "email"];

export type AccountExport = ReturnType<typeof createAccountExport>;

/** What the service knows about somebody, for themselves: in the field names of the HTTP API, without a secret. */
export function createAccountExport(deps: {
  storage: Storage;
  users: Users;
  profiles: Profiles;
  methods: Methods;
  logins: LoginAdministration;
  audit: Audit;
  clock: Clock;
}) {
  const { storage, users, profiles, methods, logins, audit, clock } = deps;

  return {
    /** Written down, because whoever has the file knows all of it. `exportedAt`: epoch milliseconds. Throws USER_NOT_FOUND. */
    async of({ id: userId, appId, updatedAt, locale }: User, by: { actor: Actor; origin: Origin }) {
      const now = clock();
      const content = {
        profile: { ...(await profiles.get(userId, allScopes)), updatedAt: isoTime(updatedAt), locale },
        methods: await methods.answersFor(userId, allScopes),
        logins: await logins.list(userId, { all: true }),
      };
      await storage.write(async (tx) => {
        // Held: a deletion at the same moment must find this event, to take the address out of it.
        if (!(await users.hold(tx, userId))) throw userNotFound();
        await audit.record(tx, { ...by, action: "user.download", result: "success", appId, userId }, now);
      });
      return { exportedAt: now, ...content };
    },
  };
}
