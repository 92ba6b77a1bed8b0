// Loaded into a test process and its HTTP threads by `--import`: a thread's clock is the one that
// the test sets (threads-clock.ts).
import { getEnvironmentData, isMainThread } from "node:worker_threads";

const shared = isMainThread ? undefined : getEnvironmentData("authsvc-test-clock");
if (shared) Date.now = () => Number(Atomics.load(shared, 0));
