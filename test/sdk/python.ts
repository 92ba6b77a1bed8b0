import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Writable } from "node:stream";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { root } from "../docs/pages.ts";
import { noProgram } from "../support/left-out.ts";

const noPython = noProgram("python3");

/**
 * A Python program with `packages/python` that answers each line of JSON with one. Without Python,
 * the tests of the file are skipped.
 */
export function usePython(
  program: string,
  folder = join(root, "packages/python"),
): <Answer>(given: unknown) => Promise<Answer> {
  let calls: Writable;
  let answers: AsyncIterator<string>;
  beforeEach(({ skip }) => skip(noPython !== undefined, noPython));
  beforeAll(() => {
    if (noPython !== undefined) return;
    const env = { ...process.env, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: "1" };
    const python = spawn("python3", ["-c", program], { env, stdio: ["pipe", "pipe", "inherit"] });
    calls = python.stdin;
    answers = createInterface(python.stdout)[Symbol.asyncIterator]();
  });
  afterAll(() => void calls?.end());

  return async <Answer>(given: unknown): Promise<Answer> => {
    calls.write(`${JSON.stringify(given)}\n`);
    return JSON.parse(String((await answers.next()).value)) as Answer;
  };
}
