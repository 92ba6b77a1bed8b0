import { describe, expect, it } from "vitest";
import { inTurns } from "../../bench/context.ts";
import { liveLogins, loginId } from "../../bench/fill.ts";
import { coresOf, coreTimes, freeBetween } from "../../bench/cores.ts";
import { sources } from "../../bench/program.ts";
import { createReport, measured, meets, table } from "../../bench/report.ts";
import { measureThreads } from "../../bench/threads.ts";
import { repeat } from "../../src/upkeep/benchmark/load.ts";
import { percentile, rounded } from "../../src/upkeep/benchmark/percentiles.ts";

describe("percentiles", () => {
  it("are values that were measured, in whatever order they came", () => {
    const values = Array.from({ length: 100 }, (_, n) => 100 - n);
    expect([0, 0.5, 0.99, 1].map((part) => percentile(values, part))).toEqual([1, 50, 99, 100]);
    expect(percentile([7], 0.99)).toBe(7);
    expect(percentile([], 0.5)).toBe(0);
  });

  it("leave what they are taken from as it is", () => {
    const values = [3, 1, 2];
    percentile(values, 0.5);
    expect(values).toEqual([3, 1, 2]);
  });

  it("are told in three digits", () => {
    expect([0.012345, 1.2345, 12.345, 123.45, 12_345.6].map(rounded)).toEqual([0.0123, 1.23, 12.3, 123, 12_346]);
    expect([0.012345, 99.96, 123.45, 12_345.6].map(measured)).toEqual(["0.0123", "100", "123", "12,346"]);
  });
});

describe("a load", () => {
  it("counts its calls and their times, all in parallel, until it is over", async () => {
    let under = 0;
    const most = { atOnce: 0 };
    const work = async (): Promise<void> => {
      most.atOnce = Math.max(most.atOnce, (under += 1));
      await new Promise(setImmediate);
      under -= 1;
    };
    const { atOnce, calls, perSecond, ...times } = await repeat([work, work, work], (done) => done >= 300);
    expect({ atOnce, most }).toEqual({ atOnce: 3, most: { atOnce: 3 } });
    // Those under way when it is over still count.
    expect([300, 301, 302]).toContain(calls);
    expect(perSecond).toBeGreaterThan(0);
    expect(times.medianMilliseconds).toBeGreaterThan(0);
    expect(times.p99Milliseconds).toBeGreaterThanOrEqual(times.medianMilliseconds);
    expect(times.maxMilliseconds).toBeGreaterThanOrEqual(times.p99Milliseconds);
  });

  it("is a figure with one failed call in a hundred and one, and none with more", async () => {
    const failing = (every: number) => {
      let calls = 0;
      return async () => {
        if ((calls += 1) % every === 0) throw new Error("answered 500");
      };
    };
    expect(await repeat([failing(101)], (done) => done >= 1010)).toMatchObject({ calls: 1000 });
    await expect(repeat([failing(100)], (done) => done >= 1000)).rejects.toMatchObject({
      message: "10 calls failed, 990 did not",
      cause: expect.objectContaining({ message: "answered 500" }),
    });
  });

  it("is measured in turns with its yardstick, and the median counts", async () => {
    const order: string[] = [];
    const measures = (name: string, values: number[]) => async () => {
      order.push(name);
      return values.shift() ?? 0;
    };
    const found = await inTurns(3, { bare: measures("bare", [9, 1, 2]), call: measures("call", [4, 6, 5]) });
    expect(found).toEqual({ bare: 2, call: 5 });
    expect(order).toEqual(["bare", "call", "bare", "call", "bare", "call"]);
  });
});

describe("the report", () => {
  it("holds ratios and values against what is asked for", () => {
    const said: string[] = [];
    const report = createReport((line) => said.push(line));
    report.note("node:http alone", "80,000/s");
    report.rate("validate", 40_000, 80_000, { atLeast: 0.45 });
    report.rate("refresh", 5600, 80_000, { atLeast: 0.08 });
    report.value("start to ready", 210.4, "ms", { atMost: 250 });
    report.value("idle memory", 120, "MB", { atMost: 110 });
    expect(table(report.rows)).toBe(
      [
        "FIGURE              VALUE  RATIO  BAR",
        "node:http alone  80,000/s",
        "validate         40,000/s  0.500  ≥ 0.45",
        "refresh           5,600/s  0.070  ≥ 0.08 MISSED",
        "start to ready     210 ms         ≤ 250",
        "idle memory        120 MB         ≤ 110 MISSED",
      ].join("\n"),
    );
    expect(said[1]).toBe("  validate: 40,000/s, 0.500");
  });

  it("takes a value that is exactly what is asked for as met", () => {
    expect([meets(0.45, { atLeast: 0.45 }), meets(250, { atMost: 250 })]).toEqual([true, true]);
    expect([meets(0.4499, { atLeast: 0.45 }), meets(250.1, { atMost: 250 })]).toEqual([false, false]);
  });
});

describe("the logins that are asked for among millions", () => {
  it("lie all over the table, and are none of those that have ended", () => {
    const numbers = liveLogins(1_000_000, 2000);
    expect(numbers).toHaveLength(2000);
    expect([numbers[0], numbers[1], numbers.at(-1)]).toEqual([1, 1501, 2_998_501]);
    expect(numbers.filter((number) => number % 3 === 0)).toEqual([]);
    expect(loginId(2_998_501)).toMatch(/^lgn_01j[0-9]{23}$/u);
  });
});

describe("the cores of the part threads", () => {
  const stat = (idle: number[]): string =>
    [`cpu  1 2 3 4`, ...idle.map((time, core) => `cpu${core} ${1000 - time} 0 0 ${time} 0 0 0 0 0 0`), "intr 1"].join(
      "\n",
    );

  it("are free where almost all of a second was idle, and this process may run on them", () => {
    const [before, after] = [
      coreTimes(stat([0, 0, 0, 0])),
      coreTimes(stat([0, 0, 0, 0]).replaceAll(" 1000 ", " 1001 ")),
    ];
    expect(freeBetween(before, after, [0, 1, 2, 3])).toEqual([]);
    const later = new Map([100, 89, 90, 100].map((idle, core) => [core, { idle, all: 1100 }]));
    const earlier = new Map([0, 1, 2, 3].map((core) => [core, { idle: 0, all: 1000 }]));
    expect(freeBetween(earlier, later, [0, 1, 2])).toEqual([0, 2]);
    expect(coreTimes(stat([250])).get(0)).toEqual({ idle: 250, all: 1000 });
  });

  it("are read as Linux lists them", () => {
    expect(["0-3", "0,2-3,7", "5"].map(coresOf)).toEqual([[0, 1, 2, 3], [0, 2, 3, 7], [5]]);
  });

  it("are fewer than any machine has: no ratio is printed, and what it needs is said", async () => {
    const lines: string[] = [];
    const report = createReport((line) => lines.push(line));
    const threads = 4094;
    await measureThreads({
      report,
      threads,
      rounds: 1,
      seconds: 1,
      thousands: 1,
      program: sources,
      load: () => {
        throw new Error("no load");
      },
    });
    expect(report.rows).toHaveLength(1);
    expect(report.rows[0]?.ratio).toBeUndefined();
    expect(lines.join("")).toMatch(/4094 threads: not measured: it needs 4096 free cores \(N \+ 2\), and /u);
  });
});
