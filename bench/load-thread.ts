// The thread of load.ts: answers each message with the measured load.
import { parentPort } from "node:worker_threads";
import { repeat, type Load } from "../src/upkeep/benchmark/load.ts";
import { openTraffic, type Traffic } from "../src/upkeep/benchmark/traffic.ts";
import type { Pace } from "./load.ts";

async function load(traffic: Traffic, { seconds, connections = 32, pauseMilliseconds }: Pace): Promise<Load> {
  using opened = await openTraffic(traffic, connections);
  return await repeat(opened.works, (_done, elapsedSeconds) => elapsedSeconds >= seconds, { pauseMilliseconds });
}

parentPort?.on("message", ({ traffic, pace }: { traffic: Traffic; pace: Pace }) => {
  // A failure ends this thread, and with it the benchmark.
  void load(traffic, pace).then((measured) => parentPort?.postMessage(measured));
});
