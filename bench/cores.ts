import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** Below this part of a second, something else uses a core. */
const freeFrom = 0.9;

/** The idle and the whole time of each core until now, in hundredths of a second, by its number. */
export type CoreTimes = Map<number, { idle: number; all: number }>;

export function coreTimes(stat: string): CoreTimes {
  return new Map(
    [...stat.matchAll(/^cpu(\d+) (.*)$/gmu)].map(([, core = "", fields = ""]) => {
      const times = fields.split(" ").map(Number);
      // user nice system idle iowait irq softirq steal; guests are counted in user.
      const all = times.slice(0, 8).reduce((sum, time) => sum + time, 0);
      return [Number(core), { idle: (times[3] ?? 0) + (times[4] ?? 0), all }];
    }),
  );
}

/** The cores of this process (`allowed`) that were free between two looks. */
export function freeBetween(before: CoreTimes, after: CoreTimes, allowed: readonly number[]): number[] {
  return allowed.filter((core) => {
    const [earlier, later] = [before.get(core), after.get(core)];
    return earlier && later && (later.idle - earlier.idle) / Math.max(1, later.all - earlier.all) >= freeFrom;
  });
}

/** `0-2,5`, as Linux lists them. */
export function coresOf(list: string): number[] {
  return list.split(",").flatMap((range) => {
    const [first = 0, last = first] = range.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

/** The free cores of this machine; a sentence if they cannot be known or used. */
export async function freeCores(): Promise<number[] | string> {
  if (process.platform !== "linux") return "only Linux pins programs to cores";
  if (spawnSync("taskset", ["--version"]).error !== undefined) return "there is no taskset here (util-linux)";
  const look = (): CoreTimes => coreTimes(readFileSync("/proc/stat", "utf8"));
  const before = look();
  await pause(1000);
  return freeBetween(before, look(), allowedCores());
}

/** The cores that this process may use. */
export function allowedCores(): number[] {
  const [, list = ""] = /^Cpus_allowed_list:\s+(\S+)$/mu.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return coresOf(list);
}

/** Pins all threads of a process. */
export function pin(pid: number, cores: readonly number[]): void {
  const { status, stderr } = spawnSync("taskset", ["-a", "-c", "-p", cores.join(","), String(pid)], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`taskset: ${stderr.trim()}`);
}
