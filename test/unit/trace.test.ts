import { describe, expect, test } from "vitest";
import { readTrace } from "../../src/lib/trace.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const parentId = "00f067aa0ba902b7";

describe("traceparent", () => {
  test.each<[parent: string, sampled: boolean]>([
    [`00-${traceId}-${parentId}-01`, true],
    [`00-${traceId}-${parentId}-00`, false],
    // Flags that are not known yet say nothing about sampling.
    [`00-${traceId}-${parentId}-fe`, false],
    // A later version may say more (§3.2.4).
    [`cc-${traceId}-${parentId}-01-what-comes-then`, true],
  ])("%s is one", (parent, sampled) => {
    expect(readTrace(parent, undefined)).toEqual({ traceId, sampled, state: undefined });
  });

  test.each([
    "",
    "none",
    `00-${traceId}-${parentId}`,
    `00-${traceId}-${parentId}-01-more`,
    `ff-${traceId}-${parentId}-01`,
    `00-${"0".repeat(32)}-${parentId}-01`,
    `00-${traceId}-${"0".repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${parentId}-01`,
    `00-${traceId.slice(1)}-${parentId}-01`,
    ` 00-${traceId}-${parentId}-01`,
    `00-${traceId}-${parentId}-01\n`,
    // Two headers, as node joins them.
    `00-${traceId}-${parentId}-01, 00-${traceId}-${parentId}-01`,
  ])("%j is none", (parent) => {
    expect(readTrace(parent, "a=b")).toBeUndefined();
  });

  test("tracestate is kept as it came, unless it is long or no text", () => {
    const stateOf = (state: string): string | undefined => readTrace(`00-${traceId}-${parentId}-01`, state)?.state;
    expect(stateOf("congo=t61rcWkgMzE,rojo=00f067aa0ba902b7")).toBe("congo=t61rcWkgMzE,rojo=00f067aa0ba902b7");
    expect(stateOf("x".repeat(513))).toBeUndefined();
    expect(stateOf("a=\u00e9")).toBeUndefined();
    expect(stateOf("")).toBeUndefined();
  });
});
