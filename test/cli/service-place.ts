import type { TestService } from "../support/service.ts";
import type { Place } from "./databases.ts";

/** Where commands find the data of a test service. */
export function placeOf({
  config,
}: {
  config: Pick<TestService["config"], "database" | "dataDir" | "masterKey">;
}): Place {
  const { database, dataDir, masterKey } = config;
  return {
    cwd: dataDir,
    env: {
      AUTHSVC_DATA: dataDir,
      ...(database.url === undefined ? {} : { AUTHSVC_DATABASE__URL: database.url }),
      ...(masterKey === undefined ? {} : { AUTHSVC_MASTER_KEY: masterKey }),
    },
  };
}
