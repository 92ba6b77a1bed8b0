import { masterKeyOf, type Config } from "../config/config.ts";
import { openCore, type Surroundings, type Use } from "./core.ts";
import { createStrength } from "../credentials/passwords/strength.ts";
import { newContext, type Context } from "../runtime/context.ts";
import { openKeyring } from "../secrets/open-keyring.ts";
import { findMetadata, replaceMetadata } from "../secrets/store.ts";
import type { Handle } from "../storage/storage.ts";

const baseUrlMetadata = "base-url";
const modeMetadata = "mode";

/**
 * The whole context of a process: with the keyring and the base URL, by default the one of the last
 * service run. Throws UNUSABLE_STORAGE, INVALID_CONFIG.
 */
export async function openContext(
  config: Config,
  {
    baseUrl: given,
    fetch = globalThis.fetch,
    strengthOf = createStrength(),
    serves = false,
    ...surroundings
  }: Surroundings & Use & { baseUrl?: string | undefined },
): Promise<Context> {
  const core = await openCore(config, { ...surroundings, serves });
  const { storage, clock, random } = core;
  try {
    const keyring = await openKeyring(storage, masterKeyOf(config), { random, now: clock() });
    const last = await lastService(storage.reader);
    const baseUrl = given ?? last.baseUrl ?? `http://localhost:${config.listen.port}`;
    const isDevelopment = serves ? config.dev : last.isDevelopment;
    return newContext<Context>({ ...core, keyring, baseUrl, isDevelopment, fetch, strengthOf });
  } catch (error) {
    await storage.close();
    throw error;
  }
}

async function lastService(handle: Handle): Promise<{ baseUrl: string | undefined; isDevelopment: boolean }> {
  const isDevelopment = (await findMetadata(handle, modeMetadata)) === "development";
  return { baseUrl: await findMetadata(handle, baseUrlMetadata), isDevelopment };
}

/** For commands, which may not know the service's port and mode. */
export async function rememberService({ storage, baseUrl, isDevelopment }: Context): Promise<void> {
  const last = await lastService(storage.reader);
  // Starting on a temporarily read-only database must not write.
  if (baseUrl === last.baseUrl && isDevelopment === last.isDevelopment) return;
  await storage.write(async (tx) => {
    await replaceMetadata(tx, baseUrlMetadata, baseUrl);
    await replaceMetadata(tx, modeMetadata, isDevelopment ? "development" : "production");
  });
}
