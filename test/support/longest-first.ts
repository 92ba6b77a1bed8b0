import { readFileSync } from "node:fs";
import path from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const recorded = readFileSync(path.join(import.meta.dirname, "../times.md"), "utf8");

/** By project and file, as in a row of test/times.md. */
const seconds = new Map(
  [...recorded.matchAll(/^\| (\S+) \| (\S+) \| (\d+) \|/gmu)].map(([, project, file, wall]) => [
    `${project} ${file}`,
    Number(wall),
  ]),
);

/**
 * Begins each project with its slowest files, so that it does not end with one of them alone. A
 * fresh clone has none of the times that Vitest keeps.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- Vitest's, which returns a new array.
    const sorted = await super.sort(files);
    const known = ({ project, moduleId }: TestSpecification): number =>
      seconds.get(`${project.name} ${path.relative(project.config.root, moduleId)}`) ?? 0;
    return [...Map.groupBy(sorted, ({ project }) => project).values()].flatMap((ofProject) =>
      ofProject.toSorted((a, b) => known(b) - known(a)),
    );
  }
}
