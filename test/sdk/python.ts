import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Writable } from "node:stream";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { root } from "../docs/pages.ts";
import { noProgram } from "../support/left-out.ts";

const noPython = noProgram("python3");

/** A call of a new `WebSignIn` for each line, at the time of the service. */
export const webSignInCalls = `
import json, sys, time
time.time = lambda: given["now"]
import authsvc
for line in sys.stdin:
    given = json.loads(line)
    web = authsvc.WebSignIn(authsvc.Authsvc(*given["client"]), given["redirectUri"], given["secret"])
    try:
        answer = getattr(web, given["call"])(*given["arguments"], **given["named"])
    except authsvc.ConfigurationError as error:
        answer = str(error)
    print(json.dumps(answer, default=vars), flush=True)
`;

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
