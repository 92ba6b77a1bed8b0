import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { createTestDatabase } from "../support/postgres.ts";
import { recordApi } from "./api.ts";
import { recordCommands } from "./commands.ts";
import { recordConsole } from "./console.ts";
import { fill } from "./fill.ts";
import { startRecording } from "./recording.ts";

const { values } = parseArgs({
  options: {
    root: { type: "string", default: "." },
    to: { type: "string", default: "build/recording" },
    only: { type: "string", default: "api,commands,console" },
    database: { type: "string", default: "sqlite,postgres" },
  },
});
const areas = { api: recordApi, commands: recordCommands, console: recordConsole };
mkdirSync(values.to, { recursive: true });
let isComplete = true;
for (const database of values.database.split(",")) {
  for (const area of values.only.split(",") as (keyof typeof areas)[]) {
    const began = performance.now();
    const recording = await startRecording(
      resolve(values.root),
      database === "postgres" ? await createTestDatabase() : undefined,
    );
    const filled = await fill(recording);
    const missing = (await areas[area](recording, filled)) ?? [];
    const text = await recording.end();
    writeFileSync(join(values.to, `${database}-${area}.txt`), text);
    const seconds = Math.round((performance.now() - began) / 1000);
    say(`${database} ${area}: ${text.split(/^=== /mu).length - 1} acts in ${seconds} s`);
    for (const title of recording.failed) say(`  could not go on: ${title}`);
    for (const line of missing) say(`  not called: ${line}`);
    if (missing.length > 0) isComplete = false;
  }
}
process.exit(isComplete ? 0 : 1);

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
