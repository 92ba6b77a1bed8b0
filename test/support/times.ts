import { readFileSync } from "node:fs";

/** Of one file in one project, in seconds. */
interface Time {
  wall: number;
  /** Of the worker and of processes that it waited for; undefined where the system has no /proc. */
  processor: number | undefined;
}

/** By project and file. */
export type Times = Record<string, Record<string, Time>>;

type FileTime = Time & { project: string; file: string };

declare module "vitest" {
  interface TaskMeta {
    processorSeconds?: number;
  }
}

export function slowest(times: Times, count: number): FileTime[] {
  return Object.entries(times)
    .flatMap(([project, files]) => Object.entries(files).map(([file, time]) => ({ project, file, ...time })))
    .toSorted((a, b) => b.wall - a.wall)
    .slice(0, count);
}

export function asTable(files: readonly FileTime[]): string {
  const rows = files.map(
    ({ project, file, wall, processor }) =>
      `| ${project} | ${file} | ${wall.toFixed(0)} | ${processor?.toFixed(0) ?? ""} |`,
  );
  return ["| project | file | s | processor s |", "|---|---|---|---|", ...rows, ""].join("\n");
}

/** Processor seconds of this process and of those that it has waited for. */
export function processorSeconds(): number | undefined {
  try {
    const stat = readFileSync("/proc/self/stat", "latin1");
    // Behind the name, which may have spaces: utime, stime, cutime, cstime, in ticks of 10 ms.
    const ticks = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .slice(11, 15);
    return ticks.reduce((sum, tick) => sum + Number(tick), 0) / 100;
  } catch {
    return undefined;
  }
}
