import { deployed } from "./linux-package.ts";

type Instruction = { name: string; words: string };

/** What deploy/docker/Dockerfile says of the image. Its instructions take a line each. */
export type Dockerfile = {
  /** The instructions of the stage that builds. */
  build: Instruction[];
  /** The base of the image, and its digest. */
  base: { name: string; digest: string };
  /** What is copied, by its path in the folder of the stage that builds. */
  copies: { from: string; to: string; owner: number; mode: number }[];
  /** The image's configuration, as in OCI's `config`; `Healthcheck` is Docker's. */
  config: ImageConfig;
};

export type ImageConfig = {
  User: string;
  Env: string[];
  Entrypoint: string[];
  Cmd: string[];
  Volumes: Record<string, object>;
  ExposedPorts: Record<string, object>;
  StopSignal: string;
  Labels: Record<string, string>;
  Healthcheck: { Test: string[]; Interval: number; Timeout: number; StartPeriod: number };
};

export function readDockerfile(): Dockerfile {
  const instructions = [...deployed("docker/Dockerfile").matchAll(/^([A-Z]+) (.+)$/gm)].map(
    ([, name = "", words = ""]): Instruction => ({ name, words }),
  );
  const second = instructions.findLastIndex(({ name }) => name === "FROM");
  const [build, image] = [instructions.slice(0, second), instructions.slice(second)];
  const all = (wanted: string): string[] => image.flatMap(({ name, words }) => (name === wanted ? [words] : []));
  const one = (wanted: string): string => all(wanted)[0] ?? "";
  const list = (text: string): string[] => JSON.parse(text.slice(text.indexOf("["))) as string[];
  const folder = build.find(({ name }) => name === "WORKDIR")?.words ?? "";
  const [name = "", digest = ""] = one("FROM").split("@");
  return {
    build,
    base: { name, digest },
    copies: all("COPY").map((words) => copyOf(words, folder)),
    config: {
      User: one("USER"),
      Env: all("ENV").flatMap((words) => words.split(" ")),
      Entrypoint: list(one("ENTRYPOINT")),
      Cmd: list(one("CMD")),
      Volumes: { [one("VOLUME")]: {} },
      ExposedPorts: { [`${one("EXPOSE")}/tcp`]: {} },
      StopSignal: one("STOPSIGNAL"),
      Labels: Object.fromEntries(
        all("LABEL").flatMap((words) =>
          [...words.matchAll(/(\S+)="([^"]*)"/g)].map(([, key = "", value]) => [key, value]),
        ),
      ) as Record<string, string>,
      Healthcheck: {
        Test: ["CMD", ...list(one("HEALTHCHECK"))],
        Interval: nanoseconds(one("HEALTHCHECK"), "interval"),
        Timeout: nanoseconds(one("HEALTHCHECK"), "timeout"),
        StartPeriod: nanoseconds(one("HEALTHCHECK"), "start-period"),
      },
    },
  };
}

function copyOf(words: string, folder: string): Dockerfile["copies"][number] {
  const [, owner = "0", mode = "", from = "", to = ""] =
    /^--from=build (?:--chown=(\d+):\1 )?--chmod=(\d+) (\S+) (\S+)$/.exec(words) ?? [];
  if (!from.startsWith(`${folder}/`)) throw new Error(`not from the stage that builds: COPY ${words}`);
  return { from: from.slice(folder.length + 1), to, owner: Number(owner), mode: Number.parseInt(mode, 8) };
}

function nanoseconds(words: string, option: string): number {
  return Number(new RegExp(`--${option}=(\\d+)s`).exec(words)?.[1]) * 1e9;
}
