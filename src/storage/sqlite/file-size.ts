import { statSync } from "node:fs";

/** 0 if there is no such file. */
export function bytesOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
