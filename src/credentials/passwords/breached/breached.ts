import type { Config } from "../../../config/config.ts";
import { part, type Context } from "../../../runtime/context.ts";
import { openBreachedFile } from "./file.ts";

const setting = "passwords.breachedFile";

/** Opened by the first new password; the service has checked it before. */
const opened = part(
  async ({ config }: Context) => {
    const path = config.passwords.breachedFile;
    return path === undefined ? undefined : await openBreachedFile(path, setting);
  },
  async (file) => await (await file.catch(() => undefined))?.close(),
);

/** Whether a password is among the breached ones; false without a file of them. */
export async function has(ctx: Context, password: string): Promise<boolean> {
  return (await (await opened(ctx))?.has(password)) ?? false;
}

/** Reads the whole file of the configuration. Throws INVALID_CONFIG if it is missing or damaged. */
export async function examine({ passwords }: Config): Promise<{ entries: number; madeAt: number } | undefined> {
  if (passwords.breachedFile === undefined) return undefined;
  const file = await openBreachedFile(passwords.breachedFile, setting);
  try {
    await file.verify();
    return file;
  } finally {
    await file.close();
  }
}
