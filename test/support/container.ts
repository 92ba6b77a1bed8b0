import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, copyFileSync, cpSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { readDockerfile } from "../../scripts/release/dockerfile.ts";
import { emptyFolder } from "../cli/command.ts";
import { bareRoot, put } from "./bare-root.ts";
import { program } from "./program.ts";

const root = join(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");

/** The tracked files that `docker build` sends: those that .dockerignore does not hide. */
function contextFiles(): string[] {
  const rules = read(".dockerignore")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  const isBelow = (file: string, folder: string): boolean => folder === "*" || `${file}/`.startsWith(`${folder}/`);
  return execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" })
    .trim()
    .split("\n")
    .filter((file) => rules.findLast((rule) => isBelow(file, rule.replace("!", "")))?.startsWith("!"));
}

/** What the stage that builds runs, but for the packages of its Debian. */
export function buildCommands(): string[] {
  const { build } = readDockerfile();
  return build.flatMap(({ name, words }) => (name === "RUN" && !words.startsWith("apt-get ") ? [words] : []));
}

/** The folder of the stage that builds, with the executable that is tested. */
export function builtImage(): string {
  const folder = emptyFolder();
  for (const command of buildCommands()) {
    if (command === "npm run build") {
      mkdirSync(join(folder, "dist"));
      copyFileSync(program[0], join(folder, "dist/authsvc"));
    } else execFileSync("sh", ["-c", command], { cwd: folder });
  }
  return folder;
}

/** A root folder with the files of the image. `built` is the folder of the stage that builds. */
export function imageRoot(built: string): string {
  const place = bareRoot();
  for (const { from, to, owner, mode } of readDockerfile().copies) {
    put(place, join(built, from), to);
    chownSync(join(place, to), owner, owner);
    chmodSync(join(place, to), mode);
  }
  return place;
}

/** What `docker compose` runs, with the variables of the image and of compose.yaml. */
export function containerOf(): { user: string; command: string[]; check: string[]; env: Record<string, string> } {
  const { config } = readDockerfile();
  const { services } = parse(read("deploy/docker/compose.yaml")) as {
    services: { authsvc: { environment: Record<string, string> } };
  };
  const fromCompose = Object.entries(services.authsvc.environment).map(([name, value]) => [
    name,
    value.replace(/^\$\{\w+:-(.*)\}$/u, "$1"),
  ]);
  return {
    user: config.User,
    command: [...config.Entrypoint, ...config.Cmd],
    check: config.Healthcheck.Test.slice(1),
    env: Object.fromEntries([...config.Env.map((each) => each.split("=")), ...fromCompose]) as Record<string, string>,
  };
}

/** Copies the files of the build's context to `folder`. */
export function copyContext(folder: string): void {
  for (const file of contextFiles()) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
}
