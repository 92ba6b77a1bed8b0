/**
 * Gives libuv's pool one thread per parallel hash; three for one, to leave room for an imported
 * hash and a host lookup. Call it before the pool's first work. UV_THREADPOOL_SIZE, if set, wins.
 */
export function sizeThreadPool(concurrency: number): void {
  process.env["UV_THREADPOOL_SIZE"] ??= String(concurrency === 1 ? 3 : concurrency);
}
