// `node scripts/measure-executable.ts [FILE]`: what issue 8 asks of dist/authsvc, as measured here and now. Linux only; on a busy machine the times mean
// nothing. Sizes in MB (10^6 bytes), the best of several runs for times.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { start } from "../bench/process.ts";

const file = path.resolve(process.argv[2] ?? path.join(import.meta.dirname, "../dist/authsvc"));
const runs = 10;
const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;
const milliseconds = (times: number[]): string => `${Math.min(...times).toFixed(0)} ms`;

console.log(`size           ${megabytes(statSync(file).size)}`);
console.log(`gzip -9        ${megabytes(gzipSync(readFileSync(file), { level: 9 }).length)}`);
console.log(`version        ${milliseconds(Array.from({ length: runs }, versionMilliseconds))}`);
const first: number[] = [];
const later: number[] = [];
const resident: number[] = [];
for (let run = 0; run < runs; run += 1) {
  const folder = mkdtempSync(path.join(tmpdir(), "authsvc-measure-"));
  first.push(await serve(folder));
  later.push(await serve(folder));
  rmSync(folder, { recursive: true });
}
console.log(`ready, first   ${milliseconds(first)} (unpacks the native module, makes the database and the keys)`);
console.log(`ready, later   ${milliseconds(later)}`);
console.log(`idle, resident ${Math.max(...resident).toFixed(0)} MiB (the most of ${resident.length} runs)`);

function versionMilliseconds(): number {
  const began = performance.now();
  const { status } = spawnSync(file, ["version"], { env: {} });
  if (status !== 0) throw new Error(`${file} version ended with ${status}`);
  return performance.now() - began;
}

async function serve(folder: string): Promise<number> {
  const program = ["serve", "--port", "0", "--data", path.join(folder, "data")];
  const server = await start(program, { HOME: folder }, file);
  await pause(1000);
  resident.push(server.residentMegabytes());
  await server.stop();
  return server.readyMilliseconds;
}
