import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// compare.ts BEFORE AFTER: what differs, act by act; exit code 1 if anything does.
const [before = "", after = ""] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "compare-"));
let count = 0;
for (const file of new Set([...readdirSync(before), ...readdirSync(after)])) {
  const [old, now] = [actsOf(join(before, file)), actsOf(join(after, file))];
  for (const title of new Set([...old.keys(), ...now.keys()])) {
    const [was = "", is = ""] = [old.get(title), now.get(title)];
    if (was === is) continue;
    count += 1;
    writeFileSync(join(folder, "before"), was);
    writeFileSync(join(folder, "after"), is);
    const { stdout } = spawnSync("diff", ["-U2", join(folder, "before"), join(folder, "after")], {
      encoding: "utf8",
      maxBuffer: 2 ** 30,
    });
    say(`=== ${file}: ${title}\n${stdout.split("\n").slice(2).join("\n")}`);
  }
}
rmSync(folder, { recursive: true });
say(count === 0 ? "No difference." : `${count} acts differ.`);
process.exitCode = count === 0 ? 0 : 1;

function actsOf(path: string): Map<string, string> {
  const acts = new Map<string, string>();
  let text = "";
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return acts;
  }
  for (const act of text.split(/^=== /mu).slice(1)) {
    const end = act.indexOf("\n");
    acts.set(act.slice(0, end), act.slice(end + 1));
  }
  return acts;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
