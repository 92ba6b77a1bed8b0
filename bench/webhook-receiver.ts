// A webhook receiver in its own process. Accepts everything, and answers GET with the number,
// duration and delay of what it received.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { percentile } from "../src/upkeep/benchmark/percentiles.ts";

const latenesses: number[] = [];
let first = 0;
let last = 0;

function summary(): string {
  const [median, p99, latest] = [0.5, 0.99, 1].map((part) => percentile(latenesses, part));
  return JSON.stringify({ received: latenesses.length, seconds: (last - first) / 1000, median, p99, latest });
}

const server = createServer((request, answer) => {
  if (request.method === "GET") {
    answer.end(summary());
    return;
  }
  let text = "";
  request.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  request.on("end", () => {
    last = performance.now();
    first ||= last;
    latenesses.push(Date.now() - Date.parse((JSON.parse(text) as { timestamp: string }).timestamp));
    answer.writeHead(204).end();
  });
});
server.listen(0, "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.on("SIGTERM", () => process.exit(0));
