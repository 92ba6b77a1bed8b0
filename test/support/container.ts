import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { bareRoot, put } from "./bare-root.ts";

const root = join(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");

type Instruction = { name: string; words: string };

/** The instructions of both stages of the Dockerfile: the one that builds, and the image. */
function stagesOf(): [build: Instruction[], image: Instruction[]] {
  const instructions = [...read("deploy/docker/Dockerfile").matchAll(/^([A-Z]+) (.+)$/gmu)].map(
    ([, name = "", words = ""]) => ({ name, words }),
  );
  const second = instructions.findLastIndex(({ name }) => name === "FROM");
  return [instructions.slice(0, second), instructions.slice(second)];
}

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
  const [build] = stagesOf();
  return build.flatMap(({ name, words }) => (name === "RUN" && !words.startsWith("apt-get ") ? [words] : []));
}

/** A root folder with the files of the image. `built` is the folder of the stage that builds. */
export function imageRoot(built: string): string {
  const [build, image] = stagesOf();
  const folder = build.find(({ name }) => name === "WORKDIR")?.words ?? "";
  const place = bareRoot();
  for (const { words } of image.filter(({ name }) => name === "COPY")) {
    const [, owner, mode, from = "", to = ""] =
      /^--from=build (?:--chown=(\S+) )?(?:--chmod=(\d+) )?(\S+) (\S+)$/u.exec(words) ?? [];
    if (!from.startsWith(`${folder}/`)) throw new Error(`not from the stage that builds: COPY ${words}`);
    put(place, join(built, from.slice(folder.length)), to);
    const [uid = 0, gid = 0] = owner?.split(":").map(Number) ?? [];
    chownSync(join(place, to), uid, gid);
    if (mode !== undefined) chmodSync(join(place, to), Number.parseInt(mode, 8));
  }
  return place;
}

/** What `docker compose` runs, with the variables of the image and of compose.yaml. */
export function containerOf(): { user: string; command: string[]; check: string[]; env: Record<string, string> } {
  const [, image] = stagesOf();
  const wordsOf = (wanted: string): string => image.find(({ name }) => name === wanted)?.words ?? "";
  const list = (text: string): string[] => JSON.parse(text.slice(text.indexOf("["))) as string[];
  const variables = image.filter(({ name }) => name === "ENV").flatMap(({ words }) => words.split(" "));
  const { services } = parse(read("deploy/docker/compose.yaml")) as {
    services: { authsvc: { environment: Record<string, string> } };
  };
  const fromCompose = Object.entries(services.authsvc.environment).map(([name, value]) => [
    name,
    value.replace(/^\$\{\w+:-(.*)\}$/u, "$1"),
  ]);
  return {
    user: wordsOf("USER"),
    command: [...list(wordsOf("ENTRYPOINT")), ...list(wordsOf("CMD"))],
    check: list(wordsOf("HEALTHCHECK")),
    env: Object.fromEntries([...variables.map((each) => each.split("=")), ...fromCompose]) as Record<string, string>,
  };
}

/** Copies the files of the build's context to `folder`. */
export function copyContext(folder: string): void {
  for (const file of contextFiles()) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
}
