type Countdown = {
  /** Epoch milliseconds. */
  until: number;
  /** What to say before and after; `{time}` stands for the minutes and seconds that are left. */
  words: string;
  over: string;
};

const running = new Map<HTMLElement, Countdown>();

/** Lets an element say how long something lasts, to the second. Screen readers hear it when they get there, not every second. */
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
