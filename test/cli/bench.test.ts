import { describe, expect, it } from "vitest";
import { emptyFolder } from "./command.ts";
import { authsvc } from "./in-process.ts";

describe("bench", () => {
  it("is bounded", async () => {
    const { code, stderr } = await authsvc(["bench", "--seconds", "3600"], { cwd: emptyFolder() });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("from 1 to 60") });
  });
});
