/** The DNS of the simulated world: TXT records by name. */
import { Resolver } from "node:dns/promises";
import { time } from "./time.ts";

const zones = new Map<string, string[]>();

/** Names about which no server gives an answer. */
const failing = new Set<string>();

export function forgetZones(): void {
  zones.clear();
  failing.clear();
}

export function setFailing(name: string, isFailing: boolean): void {
  if (isFailing) failing.add(name);
  else failing.delete(name);
}

export function setRecord(name: string, value: string): void {
  zones.set(name, [value]);
}

export function removeRecord(name: string): void {
  zones.delete(name);
}

/** `src` makes one for each question. */
Object.assign(Resolver.prototype, {
  setServers(): void {},
  async resolveTxt(name: string): Promise<string[][]> {
    await time.pause(30);
    if (failing.has(name)) throw Object.assign(new Error("no answer"), { code: "ESERVFAIL" });
    const values = zones.get(name);
    if (!values) throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
    return values.map((value) => [value]);
  },
});
