import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { createPageTurns } from "../../src/http/page-turns.ts";

it("a turn of the event loop begins eight pages, and the next ones the others, in the order in which they came", async () => {
  const pageTurn = createPageTurns();
  const begun: number[] = [];
  const ask = (page: number): void => {
    const others = pageTurn();
    if (others === undefined) begun.push(page);
    else void others.then(() => begun.push(page));
  };
  for (let page = 1; page <= 20; page += 1) ask(page);
  expect(begun).toHaveLength(8);
  await turn();
  expect(begun).toHaveLength(16);
  // Whoever comes now stands behind those who wait.
  for (let page = 21; page <= 22; page += 1) ask(page);
  await turn();
  expect(begun).toEqual(Array.from({ length: 22 }, (_, page) => page + 1));
});

it("a crowd that asks without end takes no memory without end: beyond 512 who wait, asking costs the time of the answer", async () => {
  const pageTurn = createPageTurns();
  const waiting = Array.from({ length: 8 + 600 }, () => pageTurn()).filter((others) => others !== undefined);
  expect(waiting).toHaveLength(512);
  await Promise.all(waiting);
});

it("nobody waits who comes alone, turn after turn", async () => {
  const pageTurn = createPageTurns();
  for (let page = 0; page < 20; page += 1) {
    expect(pageTurn()).toBeUndefined();
    await turn();
  }
});
