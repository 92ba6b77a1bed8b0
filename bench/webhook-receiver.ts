// A webhook receiver in a process of its own: takes everything, and answers GET with how many came, and how late.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const latenesses: number[] = [];

function summary(): string {
  const sorted = latenesses.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  return JSON.stringify({ received: sorted.length, median: at(0.5), p99: at(0.99), latest: at(1) });
}

const server = createServer((request, answer) => {
  if (request.method === "GET") {
    answer.end(summary());
    return;
  }
  let text = "";
  request.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  request.on("end", () => {
    latenesses.push(Date.now() - Date.parse((JSON.parse(text) as { timestamp: string }).timestamp));
    answer.writeHead(204).end();
  });
});
server.listen(0, "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.on("SIGTERM", () => process.exit(0));
