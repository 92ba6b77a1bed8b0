type Countdown = {
  /** Epoch milliseconds. */
  until: number;
  /**
   * The text before and after the end; `{time}` is replaced by the remaining minutes and seconds.
   */
  words: string;
  over: string;
};

const running = new Map<HTMLElement, Countdown>();

/**
 * Shows the remaining time in an element, to the second. Screen readers read it on demand, not
 * every second.
 */
export function countDown(target: HTMLElement, countdown: Countdown): void {
  target.setAttribute("role", "timer");
  running.set(target, countdown);
  tick(target, countdown);
}

export function stopCountdown(target: HTMLElement): void {
  running.delete(target);
  target.hidden = true;
}

export function startClock(): void {
  setInterval(() => {
    for (const [target, countdown] of running) {
      if (target.isConnected) tick(target, countdown);
      else running.delete(target);
    }
  }, 1000);
}

function tick(target: HTMLElement, { until, words, over }: Countdown): void {
  const seconds = Math.ceil((until - Date.now()) / 1000);
  const isOver = seconds <= 0;
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  target.hidden = false;
  target.classList.toggle("over", isOver);
  const text = isOver ? over : words.replace("{time}", time);
  if (target.textContent !== text) target.textContent = text;
}
