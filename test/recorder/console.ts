import type { Filled } from "./fill.ts";
import type { Recording } from "./recording.ts";

export async function recordConsole(_recording: Recording, _filled: Filled): Promise<string[]> {
  return [];
}
