#!/usr/bin/env -S node --disable-sigusr1
// Without this listener, SIGUSR1 would open Node's debugger if `node` runs without
// --disable-sigusr1.
process.on("SIGUSR1", () => {});
const { run } = await import("../src/cli/run.ts");

process.exitCode = await run(process.argv, process);
