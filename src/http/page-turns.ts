/** Some two milliseconds' worth. */
const mostPagesInATurn = 8;
/**
 * A tenth of a second's worth. Whoever waits takes memory, and one connection can ask without end, because Node holds only those back that do not take
 * their answers: beyond it, asking costs the time that the answer takes.
 */
const mostWaiting = 512;

/**
 * Whoever asks for a page waits, undefined meaning not at all, while the turn of the event loop makes others. In a crowd a turn that made them all
 * would take as long as all of them, and calls that come with the next one are mostly about tokens: each would wait for it.
 */
export function createPageTurns(): () => Promise<void> | undefined {
  const waiting: (() => void)[] = [];
  let begun = 0;

  function next(): void {
    begun = 0;
    for (const release of waiting.splice(0, mostPagesInATurn)) release();
  }

  function begin(): void {
    begun += 1;
    if (begun === 1) setImmediate(next);
  }

  return () => {
    const othersFirst = waiting.length > 0 || begun >= mostPagesInATurn;
    if (othersFirst && waiting.length < mostWaiting) {
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
