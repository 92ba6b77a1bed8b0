import type { Audit } from "../audit/audit.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { Meter } from "../lib/meter.ts";
import type { Random } from "../lib/random.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import { createDeliveries } from "./deliveries.ts";
import { createEvents } from "./events.ts";
import { createLogoutReceivers } from "./logout-receivers.ts";
import type { SignLogoutToken } from "./message.ts";
import { createSender } from "./sender.ts";
import { createWebhooks } from "./service.ts";
import { targetPolicy } from "./target.ts";
import { createWebhookWorker } from "./worker.ts";

/** Creates everything about webhooks. Other domains get `events`. */
export function createOutbound(deps: {
  isDevelopment: boolean;
  settings: { webhooks: { allowPrivateNetworks: boolean; retentionDays: number } };
  storage: Storage;
  keyring: Keyring;
  audit: Audit;
  findApplication(id: string, handle: Handle): Promise<unknown>;
  signLogoutToken: SignLogoutToken;
  clock: Clock;
  random: Random;
  log: Log;
  meter: Meter;
}) {
  const { settings, isDevelopment, clock, log, meter } = deps;
  const { retentionDays, allowPrivateNetworks } = settings.webhooks;
  const policy = targetPolicy({ dev: isDevelopment, allowPrivateNetworks });
  const sender = createSender({ privateNetworks: policy.privateNetworks, clock });
  const events = createEvents(deps);
  const deliveries = createDeliveries({ ...deps, retentionDays });
  return {
    events,
    deliveries,
    webhooks: createWebhooks({ ...deps, sender, policy }),
    /** The webhooks service on another storage. */
    webhooksOver: (storage: Storage) => createWebhooks({ ...deps, storage, sender, policy }),
    logoutReceivers: createLogoutReceivers({ ...deps, policy }),
    worker: createWebhookWorker({
      events,
      deliveries,
      sender,
      signLogoutToken: deps.signLogoutToken,
      clock,
      log,
      meter,
    }),
    /** Closes the connections to receivers. */
    close: sender.close,
  };
}
