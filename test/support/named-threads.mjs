// Loaded into a service by `--import`: answers name their thread, and SIGUSR2 kills the first one.
import { ServerResponse } from "node:http";
import { threadId } from "node:worker_threads";

const { writeHead } = ServerResponse.prototype;
ServerResponse.prototype.writeHead = function (status, reason, lines) {
  return writeHead.call(this, status, reason, Array.isArray(lines) ? [...lines, "x-thread", String(threadId)] : lines);
};
const workers = [];
process.on("worker", (worker) => workers.push(worker));
if (threadId === 0) process.on("SIGUSR2", () => void workers.shift()?.terminate());
