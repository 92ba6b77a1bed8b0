import type { MasterKey } from "./key.ts";

export const checkMetadata = "master-key-check";
/**
 * Present during a rotation, until nothing is left under the old key. Its value is the start in
 * epoch milliseconds.
 */
export const rotationMetadata = "master-key-rotation";
const checkText = "authsvc";

/** The encrypted value by which a database recognises its master key. */
export function checkOf(key: MasterKey): string {
  return key.encrypt(checkText, checkMetadata);
}

export function isCheckOf(key: Pick<MasterKey, "decrypt">, check: string): boolean {
  try {
    return key.decrypt(check, checkMetadata) === checkText;
  } catch {
    return false;
  }
}
