import { masterKeyOf } from "../../src/config/config.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { MasterKey } from "../../src/secrets/key.ts";
import { createKeyring, type Keyring } from "../../src/secrets/keyring.ts";
import { openKeyring } from "../../src/secrets/open-keyring.ts";
import type { TestService } from "./service.ts";

/** A keyring without a database, whose master key is this byte 32 times. */
export function keyringOf(byte: number): Keyring {
  const key = new MasterKey(Buffer.alloc(32, byte), systemRandom);
  return createKeyring({ keys: [key], reread: () => [], macKeys: key.macKeys() });
}

/** The keyring of a running service. */
export async function keyringOfService({ server, config, clock }: TestService): Promise<Keyring> {
  const { storage } = server.app.ctx;
  return await openKeyring(storage, masterKeyOf(config), { random: systemRandom, now: clock.now });
}
