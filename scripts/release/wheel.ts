import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "../build/target.ts";
import type { Release } from "./release.ts";
import { zipOf } from "./zip.ts";

const folder = path.join(root, "packages", "python");

/** The Python package, as PEP 427 and the core metadata 2.4 describe it. */
export async function makeWheel({ version, epoch, folder: out, share }: Release): Promise<void> {
  const info = `authsvc-${version}.dist-info`;
  const files: Record<string, string> = {
    "authsvc.py": readFileSync(path.join(folder, "authsvc.py"), "utf8"),
    [`${info}/licenses/LICENSE`]: readFileSync(path.join(share, "LICENSE"), "utf8"),
    [`${info}/METADATA`]: metadata(version),
    [`${info}/WHEEL`]: "Wheel-Version: 1.0\nGenerator: authsvc\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
  };
  const record = Object.entries(files).map(([name, text]) => {
    const digest = createHash("sha256").update(text).digest("base64url");
    return `${name},sha256=${digest},${Buffer.byteLength(text)}\n`;
  });
  files[`${info}/RECORD`] = `${record.join("")}${info}/RECORD,,\n`;
  const entries = Object.entries(files).map(([name, content]) => ({ name, mode: 0o644, content }));
  writeFileSync(path.join(out, `authsvc-${version}-py3-none-any.whl`), await zipOf(entries, epoch));
}

function metadata(version: string): string {
  const project = readFileSync(path.join(folder, "pyproject.toml"), "utf8");
  const value = (key: string): string => new RegExp(`^${key} = "(.*)"$`, "mu").exec(project)?.[1] ?? "";
  return [
    "Metadata-Version: 2.4",
    `Name: ${value("name")}`,
    `Version: ${version}`,
    `Summary: ${value("description")}`,
    `License-Expression: ${value("license")}`,
    "License-File: LICENSE",
    `Requires-Python: ${value("requires-python")}`,
    "Description-Content-Type: text/markdown",
    "",
    readFileSync(path.join(folder, "README.md"), "utf8"),
  ].join("\n");
}
