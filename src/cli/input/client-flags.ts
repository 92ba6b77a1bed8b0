import { objectOf } from "../../applications/setting.ts";
import { organizationScope } from "../../applications/clients/client.ts";
import { headerFrom } from "../../applications/clients/proxy.ts";
import { clientRows, type ClientChange } from "../../applications/clients/settings.ts";
import { standardScopes } from "../../applications/resources/resource.ts";
import { AppError } from "../../lib/errors.ts";
import { namingFlags } from "../cli.ts";
import type { Io } from "../io.ts";
import { readKeyFile } from "./ask.ts";
import { flagsOfFields, valuesFrom } from "./setting-flags.ts";

export type ClientFlags = { name?: string; scope?: string[]; jwksFile?: string; header?: string[] };

/** The flag of a refused field. */
export const clientFlagOfField = { id: "--id", ...flagsOfFields(clientRows) };

/** A new client is enabled. */
export const newClientRows = clientRows.filter(([field]) => field !== "enabled");

/** Only the given options. An empty value removes an optional one. */
export async function clientChangeFrom(io: Io, flags: ClientFlags): Promise<ClientChange> {
  const { scope, jwksFile, header } = flags;
  const jwks = jwksFile === "" ? null : jwksFile && (await readJwks(io, jwksFile));
  const headers = await namingFlags(clientFlagOfField, () => header?.filter((line) => line !== "").map(headerFrom));
  const given: [string, unknown][] = [...valuesFrom(clientRows, flags), ...Object.entries(scopesFrom(scope))];
  return objectOf([...given, ["jwks", jwks], ["headers", headers]]);
}

/** Scopes of OpenID Connect leave those of resources unchanged, and vice versa. */
function scopesFrom(flag: string[] = []): Pick<ClientChange, "scopes" | "resourceScopes"> {
  const names = flag.flatMap((list) => list.split(/[\s,]+/u)).filter((one) => one !== "");
  const isOpenId = (name: string) => standardScopes.includes(name) || name === organizationScope;
  const scopes = names.filter(isOpenId);
  const resourceScopes = names.filter((name) => !isOpenId(name));
  return {
    ...(scopes.length === 0 ? {} : { scopes }),
    ...(resourceScopes.length === 0 && !flag.includes("") ? {} : { resourceScopes }),
  };
}

async function readJwks(io: Io, file: string): Promise<unknown> {
  const text = await readKeyFile(io, file, "--jwks-file");
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError("INVALID_REQUEST", "--jwks-file: the file is not JSON", { cause });
  }
}
