/**
 * Gives libuv's pool a thread for each hash that may run at once, and two at least, as looking up a host name takes one for as long as it lasts. With
 * more threads hashes wander between cores, and one that waits in the pool would run beside the others. Of effect before the pool's first work;
 * UV_THREADPOOL_SIZE of the operator stands.
 */
export function sizeThreadPool(concurrency: number): void {
  process.env["UV_THREADPOOL_SIZE"] ??= String(Math.max(2, concurrency));
}
