import { existsSync } from "node:fs";
import type { Config } from "../config/config.ts";
import { recordStart, recordStop } from "./lifecycle.ts";
import { startServer, type RunningServer, type Start } from "./server.ts";
import { lockDataFolder } from "../storage/locks/serve-lock.ts";

/**
 * Starts the service and locks its SQLite data folder until this process ends. Throws what
 * `startServer` throws, and CONFLICT if another process serves the folder.
 */
export async function startServerAlone(config: Config, start: Start): Promise<RunningServer> {
  let unlock: (() => void) | undefined;
  const beforeStorage = (): void => {
    if (config.database.url === undefined) unlock ??= lockDataFolder(config.dataDir);
  };
  // First, because "port in use" would say less. A failed start creates no folder.
  if (existsSync(config.dataDir)) beforeStorage();
  try {
    const server = await startServer(config, { ...start, beforeStorage });
    await recordStart(server.app.ctx);
    return {
      ...server,
      // Referring to `unlock` until then keeps the lock: a connection that nothing refers to is
      // closed.
      async close() {
        // Before the last write, and not waited for by those who ask whether the node is ready.
        await Promise.all([recordStop(server.app.ctx), server.close()]);
        unlock?.();
      },
    };
  } catch (error) {
    unlock?.();
    throw error;
  }
}
