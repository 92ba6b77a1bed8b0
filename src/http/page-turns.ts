/** About two milliseconds of work. */
const maxPagesInATurn = 8;
/**
 * About a tenth of a second of work. Waiting requests take memory, and one connection can pipeline
 * without limit, so beyond this a page is rendered at once.
 */
const maxWaiting = 512;

/**
 * Returns undefined to render now, or a promise, so that at most 8 pages are rendered per
 * event-loop turn. Otherwise a crowd's pages would delay token calls, the most frequent ones.
 */
export function createPageTurns(): () => Promise<void> | undefined {
  const waiting: (() => void)[] = [];
  let begun = 0;

  function next(): void {
    begun = 0;
    for (const release of waiting.splice(0, maxPagesInATurn)) release();
  }

  function begin(): void {
    begun += 1;
    if (begun === 1) setImmediate(next);
  }

  return () => {
    const othersFirst = waiting.length > 0 || begun >= maxPagesInATurn;
    if (othersFirst && waiting.length < maxWaiting) {
      return new Promise((resolve) =>
        waiting.push(() => {
          begin();
          resolve();
        }),
      );
    }
    begin();
    return undefined;
  };
}
