import { describe, expect, it } from "vitest";
import { bars } from "../../src/console/charts/bars.ts";
import { maxMarks, ticksUpTo, type ChartData } from "../../src/console/charts/chart-data.ts";
import { lines, sparkline } from "../../src/console/charts/lines.ts";
import {
  barsOf,
  presetRange,
  rangeNames,
  rangeOf,
  unfinishedBar,
  valuesIn,
} from "../../src/console/overview/time-range.ts";
import { day, hour } from "../../src/lib/clock.ts";
import { render } from "../../src/lib/html.ts";

function chart(values: number[][], names = values.map((_each, index) => `Kind ${index + 1}`)): ChartData {
  return {
    id: "test",
    title: "Sign-ins",
    noun: { one: "sign-in", many: "sign-ins" },
    axis: "Hour",
    labels: Array.from({ length: values[0]?.length ?? 0 }, (_value, index) => `hour ${index}`),
    series: values.map((each, index) => ({ name: names[index] ?? "", values: each })),
  };
}

type Mark = { series: number; y: number; height: number };

function marksOf(markup: string): Mark[] {
  const groups = [...markup.matchAll(/<g class="mark-(\d)"[^>]*>(.*?)<\/g>/gsu)];
  return groups.flatMap(([, series, rects = ""]) =>
    [...rects.matchAll(/y="([^"]+)"\s+width="[^"]+"\s+height="([^"]+)"/gu)].map(([, y, height]) => ({
      series: Number(series),
      y: Number(y),
      height: Number(height),
    })),
  );
}

/** The numbers of the table, row by row, without its first column. */
function tableOf(markup: string): number[][] {
  const [, body = ""] = /<tbody>(.*)<\/tbody>/su.exec(markup) ?? [];
  return [...body.matchAll(/<tr>(.*?)<\/tr>/gsu)].map(([, row = ""]) =>
    [...row.matchAll(/class="number">([^<]*)</gu)].map(([, text = ""]) => Number(text.replaceAll("\u202F", ""))),
  );
}

const shapes: [name: string, values: number[][]][] = [
  ["no series", []],
  ["no values", [[]]],
  ["nothing counted", [[0, 0, 0]]],
  ["one value", [[7]]],
  [
    "one of several",
    [
      [0, 1, 0],
      [0, 0, 0],
    ],
  ],
  [
    "huge values",
    [
      [Number.MAX_SAFE_INTEGER, Number.MAX_VALUE, 1],
      [Number.MAX_VALUE, Infinity, 3],
    ],
  ],
  [
    "what is no count",
    [
      [Number.NaN, -5, 2.5],
      [-Infinity, 4, Number.NaN],
    ],
  ],
];

describe("charts", () => {
  it.each(shapes)("draw %s without a number that is none", (_name, values) => {
    const data = chart(values);
    for (const markup of [bars(data), lines(data), sparkline(values[0] ?? [], "Nothing.")].map(render)) {
      expect(markup).not.toMatch(/NaN|Infinity|undefined|e\+/u);
      for (const [, length] of markup.matchAll(/ (?:width|height)="(-[^"]*)"/gu)) expect(length).toBeUndefined();
    }
  });

  it("say that there is nothing, in words", () => {
    expect(render(bars(chart([[0, 0]])))).toContain("No sign-ins in this time.");
  });

  it.each([
    [24, 6],
    [53, 12],
    [365, 5],
    [10_000, 1],
    [3000, 30],
  ])("have at most 400 marks with %i times and %i series, and count everything", (times, series) => {
    const values = Array.from({ length: series }, () => Array.from({ length: times }, () => 2));
    const markup = render(bars(chart(values)));
    const marks = marksOf(markup);
    expect(marks.length).toBeGreaterThan(20);
    expect(marks.length).toBeLessThanOrEqual(maxMarks);
    expect(new Set(marks.map((mark) => mark.series)).size).toBe(Math.min(6, series));
    const shown = tableOf(markup).map((row) => (series > 1 ? row.slice(0, -1) : row));
    expect(shown.flat().reduce((sum, value) => sum + value, 0)).toBe(2 * times * series);
    const [, points = ""] = /points="([^"]*)"/u.exec(render(lines(chart(values)))) ?? [];
    expect(points.split(" ").length).toBeLessThanOrEqual(maxMarks);
  });

  it("draw what the table says: a mark for each number, as tall as it is large, stacked without gaps", () => {
    const values = [
      [10, 40, 0, 25],
      [30, 0, 20, 25],
    ];
    const markup = render(bars(chart(values)));
    expect(tableOf(markup)).toEqual([
      [10, 30, 40],
      [40, 0, 40],
      [0, 20, 20],
      [25, 25, 50],
    ]);
    const marks = marksOf(markup);
    const unit = (marks[0]?.height ?? 0) / 10;
    expect(marks.map(({ series, height }) => [series, Math.round(height / unit)])).toEqual([
      [1, 10],
      [1, 40],
      [1, 25],
      [2, 30],
      [2, 20],
      [2, 25],
    ]);
    const [first, , , above] = marks;
    expect((above?.y ?? 0) + (above?.height ?? 0)).toBeCloseTo(first?.y ?? 0, 1);
  });

  it("are told apart without colour: each series has a pattern or dash of its own, and a name", () => {
    const values = Array.from({ length: 6 }, (_each, index) => [index + 1, index + 2]);
    const [bar, line] = [render(bars(chart(values))), render(lines(chart(values)))];
    const fills = [...bar.matchAll(/<g class="mark-\d" fill="([^"]*)"/gu)].map(([, fill]) => fill);
    const dashes = [...line.matchAll(/<polyline[^>]*stroke-dasharray="([^"]*)"/gsu)].map(([, dash]) => dash);
    expect([new Set(fills).size, new Set(dashes).size]).toEqual([6, 6]);
    for (let index = 2; index <= 6; index += 1) expect(bar).toContain(`id="test-pattern-${index}"`);
    for (const markup of [bar, line]) {
      expect(markup).toMatch(/<g\s+role="img"\s+aria-labelledby="test-title"\s+aria-describedby="test-summary"/u);
      for (const name of ["Kind 1", "Kind 6"]) expect(markup).toContain(`<bdi>${name}</bdi>`);
      expect(markup).not.toMatch(/ style=|<style/u);
    }
  });

  it("sum up in a sentence", () => {
    const markup = render(
      bars(
        chart(
          [
            [1, 3],
            [0, 4],
          ],
          ["Passkey", "Password"],
        ),
      ),
    );
    expect(markup).toContain("8 sign-ins, at most 7 (hour 1): Passkey 50\u00A0%, Password 50\u00A0%.");
    expect(render(bars(chart([[1]])))).toContain("1 sign-in, at most 1 (hour 0).");
    expect(render(lines(chart([[5, 9, 2]])))).toContain(
      "2 sign-ins at the end, at most 9 (hour 1), at least 2 (hour 2).",
    );
  });

  it("show names as text, whatever they hold", () => {
    const markup = render(bars(chart([[1], [2]], ["<script>alert(1)</script>", "a\u202Eb\u001B[31m"])));
    for (const harmful of ["<script", "\u202E", "\u001B"]) expect(markup).not.toContain(harmful);
    expect(markup).toContain(String.raw`a\u202eb`);
  });

  it("have an axis of round numbers that reaches the largest value", () => {
    for (const max of [0, 1, 3, 4, 5, 9, 11, 99, 100, 101, 12_345, Number.MAX_SAFE_INTEGER]) {
      const ticks = ticksUpTo(max);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(max);
      expect(ticks.length).toBeLessThanOrEqual(5);
      for (const tick of ticks.slice(1)) expect(String(tick)).toMatch(/^\d+$/u);
    }
  });
});

describe("the time of a chart", () => {
  const now = Date.parse("2026-11-26T15:12:50Z");

  it.each([
    ["day", "2026-11-25T16:00:00.000Z", "2026-11-26T16:00:00.000Z", 24],
    ["week", "2026-11-19T18:00:00.000Z", "2026-11-26T18:00:00.000Z", 28],
    ["month", "2026-10-28T00:00:00.000Z", "2026-11-27T00:00:00.000Z", 30],
    ["year", "2025-11-24T00:00:00.000Z", "2026-11-30T00:00:00.000Z", 53],
  ] as const)("%s", (name, from, to, count) => {
    const range = presetRange(name, now);
    expect([range.from, range.to].map((at) => new Date(at).toISOString())).toEqual([from, to]);
    expect([range.count, (range.to - range.from) / range.length]).toEqual([count, count]);
  });

  it.each(rangeNames)("ends in the bar that has just begun: %s", (name) => {
    for (const at of [now, Math.floor(now / day) * day, Date.parse("2026-11-29T23:59:59.999Z")]) {
      const range = presetRange(name, at);
      expect(range.to).toBeGreaterThan(at);
      expect(unfinishedBar(range, at)).toBe(range.count - 1);
      expect(unfinishedBar({ ...range, to: at }, at)).toBeUndefined();
    }
  });

  it.each([
    ["from=2026-11-20T10:00&until=2026-11-20T16:00", "2026-11-20T10:00", "2026-11-20T16:00", 6, hour],
    ["from=2026-11-20T10:30&until=2026-11-20T15:20", "2026-11-20T10:00", "2026-11-20T16:00", 6, hour],
    ["from=2026-11-20&until=2026-11-20", "2026-11-20T00:00", "2026-11-21T00:00", 24, hour],
    ["from=2026-11-24T10:00", "2026-11-24T10:00", "2026-11-26T16:00", 54, hour],
    ["until=2026-11-20T10:00", "2026-11-19T10:00", "2026-11-20T10:00", 24, hour],
    ["from=2026-11-12T10:00&until=2026-11-26T10:00", "2026-11-12T10:00", "2026-11-26T10:00", 56, 6 * hour],
    ["from=2026-11-01T10:00&until=2026-11-26T10:00", "2026-11-01T00:00", "2026-11-27T00:00", 26, day],
    ["from=2026-07-01T10:00&until=2026-07-01T11:00", "2026-07-01T00:00", "2026-07-02T00:00", 1, day],
    ["from=2026-07-01T10:00&until=2030-01-01", "2026-07-01T00:00", "2026-11-27T00:00", 22, 7 * day],
    ["from=2016-01-01&until=2026-01-01", "2016-01-01T00:00", "2026-01-02T00:00", 11, 52 * 7 * day],
  ])("%s is from %s until %s, in %i bars", (query, from, to, count, length) => {
    const range = rangeOf(new Map(new URLSearchParams(query)), now);
    if (typeof range === "string") throw new Error(range);
    expect([range.from, range.to].map((at) => new Date(at).toISOString().slice(0, 16))).toEqual([from, to]);
    expect([range.count, range.length]).toEqual([count, length]);
  });

  it.each([
    ["range=decade", "range: day, week, month or year"],
    ["from=yesterday", "From: a date and an hour"],
    ["from=2026-02-31", "From: a date and an hour"],
    ["until=2026-11-20T25:00", "Until: a date and an hour"],
    ["from=1869-01-01", "From: a date and an hour"],
    ["from=2026-11-20T10:00&until=2026-11-20T10:00", "Until: later than From"],
    ["from=2027-01-01&until=2027-01-02", "From: not in the future"],
    [`from=${"9".repeat(10_000)}`, "From: a date and an hour"],
  ])("%.40s is refused in words", (query, words) => {
    expect(rangeOf(new Map(new URLSearchParams(query)), now)).toContain(words);
  });

  it("narrows down to an hour, or to a day that is too long ago, whatever it begins with", () => {
    for (const name of rangeNames) {
      let range = presetRange(name, now);
      for (let turns = 0; range.count > 1 && turns < 6; turns += 1) {
        const bar = barsOf(range)[Math.floor(range.count / 2)] ?? { from: 0, to: 0 };
        const [from, until] = [bar.from, bar.to].map((at) => new Date(at).toISOString().slice(0, 16));
        const next = rangeOf(new Map(Object.entries({ from: from ?? "", until: until ?? "" })), now);
        if (typeof next === "string") throw new Error(next);
        expect([next.from, next.to]).toEqual([bar.from, bar.to]);
        range = next;
      }
      expect(range.to - range.from).toBe(name === "year" ? day : hour);
    }
  });

  it("has every count in its period, and none from outside", () => {
    const range = presetRange("week", now);
    const counted = [range.from - hour, range.from, range.from + 5 * hour, range.from + 6 * hour, range.to].map(
      (startsAt) => ({ startsAt, value: 1 }),
    );
    expect(valuesIn(range, counted).slice(0, 3)).toEqual([2, 1, 0]);
    expect(valuesIn(range, counted).reduce((sum, value) => sum + value, 0)).toBe(3);
  });
});
