import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { allCommands, newProgram } from "../cli/program-commands.ts";

const whole = allCommands(newProgram()).filter(({ path }) => path.length > 0);

function commandAt(path: string[], words?: string[]): Command | undefined {
  return allCommands(newProgram(words)).find((found) => found.path.join(" ") === path.join(" "))?.command;
}

describe("the program for one command line", () => {
  it.each(whole.map(({ path }) => [path.join(" "), path] as const))(
    "has %s, with all that is below it, where the line names it",
    (_name, path) => {
      const help = (command: Command | undefined) =>
        command && allCommands(command).map((found) => found.command.helpInformation());
      expect(help(commandAt(path, ["node", "authsvc", "--json", ...path]))).toEqual(help(commandAt(path)));
    },
  );

  it("makes no commands of a group that the line does not name", () => {
    expect(commandAt(["user"], ["node", "authsvc", "app", "show"])?.commands).toEqual([]);
    expect(commandAt(["app", "show"], ["node", "authsvc", "app", "show"])).toBeDefined();
  });
});
