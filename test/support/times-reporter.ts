import { mkdirSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import path from "node:path";
import type { Reporter, TestModule } from "vitest/node";
import { asTable, slowest, type Times } from "./times.ts";

const build = path.resolve(import.meta.dirname, "../../build");
/** What each run adds to, by project and file. */
const kept = path.join(build, "test-times.json");

/**
 * Keeps how long each file took in `build/test-times.json`, the slowest of them as a table beside
 * it, and shows those of a run of CI at its end.
 */
export default class TimesReporter implements Reporter {
  readonly #times: Times = {};
  readonly #started = new Map<string, number>();

  onInit(): void {
    // Before the closing line, whose reporter is the next in vitest.config.ts.
    if (process.env["CI"]) process.once("exit", () => writeSync(1, `${asTable(slowest(this.#times, 20))}\n`));
  }

  onTestModuleQueued(module: TestModule): void {
    this.#started.set(module.id, performance.now());
  }

  onTestModuleEnd(module: TestModule): void {
    const started = this.#started.get(module.id);
    if (started === undefined) return;
    const files = (this.#times[module.project.name] ??= {});
    files[module.relativeModuleId] = {
      wall: Math.round(performance.now() - started) / 1000,
      processor: module.meta().processorSeconds,
    };
  }

  onTestRunEnd(): void {
    const all = earlier();
    for (const [project, files] of Object.entries(this.#times)) all[project] = { ...all[project], ...files };
    mkdirSync(build, { recursive: true });
    writeFileSync(kept, `${JSON.stringify(all, undefined, 1)}\n`);
    writeFileSync(path.join(build, "test-times.md"), asTable(slowest(all, 20)));
  }
}

function earlier(): Times {
  try {
    return JSON.parse(readFileSync(kept, "utf8")) as Times;
  } catch {
    return {};
  }
}
