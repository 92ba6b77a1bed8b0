#!/usr/bin/env node
// Starts the executable of this platform, which npm installed as a package of its own.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";

const { resolve } = createRequire(import.meta.url);
const { version, optionalDependencies } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));
const name = `@authsvc/${process.platform}-${process.arch}`;

const file = findExecutable();
if (file !== undefined) start(file, process.argv.slice(2));

function findExecutable() {
  if (!(name in optionalDependencies))
    return giveUp(`There is no authsvc for ${name.slice("@authsvc/".length)}, only for ${platforms()}.`);
  if (process.platform === "linux" && process.report.getReport().header.glibcVersionRuntime === undefined)
    return giveUp("authsvc needs glibc, which this Linux (Alpine?) does not have. Use its container image instead.");
  try {
    const folder = path.dirname(resolve(`${name}/package.json`));
    return path.join(folder, process.platform === "win32" ? "authsvc.exe" : "authsvc");
  } catch {
    return giveUp(
      `The package ${name} with the executable is missing; npm leaves it out with --omit=optional.\n` +
        `Install it: npm install ${name}@${version}`,
    );
  }
}

/** In place of this process where Node can do that, so that signals, input and output need no help. */
function start(executable, args) {
  if (process.execve !== undefined && process.platform !== "win32")
    process.execve(executable, [executable, ...args], process.env);
  const hasTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
  // Before the child starts: an unhandled signal would end this process and leave the child running.
  for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"])
    // A terminal sends SIGINT to both; the second one would end the service without its last answers.
    process.on(signal, () => (signal === "SIGINT" && hasTerminal ? undefined : child.kill(signal)));
  const child = spawn(executable, args, { stdio: "inherit" });
  child.on("error", (error) => giveUp(`${executable} cannot be started: ${error.message}`));
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + os.constants.signals[signal];
  });
}

function platforms() {
  return Object.keys(optionalDependencies)
    .map((each) => each.slice("@authsvc/".length))
    .join(", ");
}

function giveUp(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 1;
}
