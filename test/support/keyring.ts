import { systemRandom } from "../../src/lib/random.ts";
import { createMasterKeyFrom } from "../../src/secrets/key.ts";
import { createKeyring, type Keyring } from "../../src/secrets/keyring.ts";

/** A keyring without a database, whose master key is this byte 32 times. */
export function keyringOf(byte: number): Keyring {
  const key = createMasterKeyFrom(Buffer.alloc(32, byte), systemRandom);
  return createKeyring({ keys: [key], reread: () => [], macKeys: key.macKeys() });
}
