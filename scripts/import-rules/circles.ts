import path from "node:path";
import type { Module } from "./read-module.ts";

/**
 * Files that import each other in a circle, each as `a.ts > b.ts > a.ts`. Types count, and what is
 * loaded on demand: the linter does not see the latter.
 */
export function circlesOf(modules: Module[]): string[] {
  const importedBy = new Map(modules.map((module) => [module.path, targetsOf(module)]));
  const done = new Set<string>();
  const circles: string[] = [];

  function visit(file: string, way: string[]): void {
    if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(" > "));
    if (way.includes(file) || done.has(file)) return;
    for (const target of importedBy.get(file) ?? []) visit(target, [...way, file]);
    done.add(file);
  }

  for (const file of importedBy.keys()) visit(file, []);
  return circles;
}

function targetsOf({ path: file, imports }: Module): Set<string> {
  const own = imports.filter(({ from }) => from.startsWith("."));
  return new Set(own.map(({ from }) => path.posix.join(path.posix.dirname(file), from)));
}
