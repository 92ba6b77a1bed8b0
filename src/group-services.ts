import { createRecentApplications } from "./applications/recent.ts";
import type { Applications } from "./applications/service.ts";
import type { Foundation } from "./core.ts";
import { createGroups } from "./groups/service.ts";
import type { Storage } from "./storage/storage.ts";
import { createClaimSources } from "./tokens/claim-sources.ts";
import { createUserMetadata } from "./users/metadata-changes.ts";
import type { Users } from "./users/service.ts";

/** Groups, metadata, and the claims made of them; `services.ts` creates them. */
export function createGroupServices(foundation: Foundation, { users }: { users: Users }) {
  const recentApplications = createRecentApplications(foundation);
  const claimSources = createClaimSources({ ...foundation, recentClaims: recentApplications.claims });
  const deps = { ...foundation, users, claimSources };
  const groups = createGroups(deps);
  return {
    recentApplications,
    /** What services need that sign in or make tokens. */
    forTokens: { claimSources, admits: groups.admits },
    claimSources,
    groups,
    /** The same within a transaction. */
    groupsOver: (storage: Storage, applications: Applications) => createGroups({ ...deps, storage, applications }),
    userMetadata: createUserMetadata(deps),
  };
}
