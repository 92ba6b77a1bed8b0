import { becomeNextVersion, migrationsVariable } from "./next-version.ts";

const migrations = process.env[migrationsVariable];
becomeNextVersion(migrations === undefined ? undefined : (JSON.parse(migrations) as Record<string, string>));
