import { afterAll, beforeAll } from "vitest";
import { processorSeconds } from "./times.ts";

// Around all other hooks of every test file.
let before: number | undefined;
beforeAll(() => {
  before = processorSeconds();
});
// oxlint-disable-next-line no-empty-pattern -- Vitest reads what the first parameter destructures.
afterAll(({}, suite) => {
  const after = processorSeconds();
  if (before !== undefined && after !== undefined) suite.file.meta.processorSeconds = after - before;
});
