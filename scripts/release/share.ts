import { copyFileSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Command } from "commander";
import { bashCompletion } from "../../src/cli/completion/bash.ts";
import { fishCompletion } from "../../src/cli/completion/fish.ts";
import { completableCommands } from "../../src/cli/completion/tree.ts";
import { zshCompletion } from "../../src/cli/completion/zsh.ts";
import { createCli } from "../../src/cli/cli.ts";
import { buildProgram } from "../../src/cli/program.ts";
import { root } from "../build/target.ts";
import { manualPage } from "./manual.ts";
import type { Release } from "./release.ts";

/** The files beside the executable in every archive and package. */
export const shared = [
  "LICENSE",
  "authsvc.1",
  "completions/authsvc.bash",
  "completions/_authsvc",
  "completions/authsvc.fish",
];

export function makeShare(folder: string, epoch: number): void {
  const program: Command = buildProgram(createCli(process, () => ({})));
  const commands = completableCommands(program);
  mkdirSync(path.join(folder, "completions"), { recursive: true });
  copyFileSync(path.join(root, "LICENSE"), path.join(folder, "LICENSE"));
  const texts = {
    "authsvc.1": manualPage(program, epoch),
    "completions/authsvc.bash": bashCompletion(commands),
    "completions/_authsvc": zshCompletion(commands),
    "completions/authsvc.fish": fishCompletion(commands),
  };
  for (const [name, text] of Object.entries(texts)) writeFileSync(path.join(folder, name), text);
}

export async function makeManualAndCompletions({ folder, share }: Release): Promise<void> {
  for (const name of ["authsvc.1", "completions"])
    cpSync(path.join(share, name), path.join(folder, name), { recursive: true });
}
