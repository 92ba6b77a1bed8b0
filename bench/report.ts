/** One line of the results. */
export type Row = {
  figure: string;
  value: string;
  /** Relative to what `figure` names, in the same run. */
  ratio?: number;
  bar?: Bar;
  /** Whether the goal is met: by the ratio if there is one, else by the value. */
  isMet?: boolean;
};

/** The goal of a figure (docs/performance.md). */
export type Bar = { atLeast: number } | { atMost: number };

export type Report = ReturnType<typeof createReport>;

/** Collects rows and prints each as soon as it is known: the whole run takes minutes. */
export function createReport(say: (line: string) => void) {
  const rows: Row[] = [];
  function add(row: Row, judged: number, bar: Bar | undefined): void {
    rows.push(bar === undefined ? row : { ...row, bar, isMet: meets(judged, bar) });
    say(`  ${row.figure}: ${row.value}${row.ratio === undefined ? "" : `, ${row.ratio.toFixed(3)}`}`);
  }
  return {
    rows: rows as readonly Row[],

    note(figure: string, value: string): void {
      add({ figure, value }, 0, undefined);
    },

    /** A rate per second, as a ratio of `yardstick` per second. */
    rate(figure: string, perSecond: number, yardstick: number, bar?: Bar): void {
      const ratio = perSecond / yardstick;
      add({ figure, value: `${measured(perSecond)}/s`, ratio }, ratio, bar);
    },

    /** Processor time of a call in µs, as a ratio of `yardstick` µs. */
    cost(figure: string, microseconds: number, yardstick: number, bar?: Bar): void {
      const ratio = microseconds / yardstick;
      add({ figure, value: `${measured(microseconds)} µs`, ratio }, ratio, bar);
    },

    value(figure: string, value: number, unit: string, bar?: Bar): void {
      add({ figure, value: `${measured(value)} ${unit}` }, value, bar);
    },
  };
}

export function meets(value: number, bar: Bar): boolean {
  return "atLeast" in bar ? value >= bar.atLeast : value <= bar.atMost;
}

/** At least three digits, without meaningless decimals. */
export function measured(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3)));
}

/** A sentence instead of a number may exceed its column. */
const widest = 16;

/** Columns for a terminal; rows that miss their goal are marked. */
export function table(rows: readonly Row[]): string {
  const lines = [["FIGURE", "VALUE", "RATIO", "BAR"], ...rows.map(cellsOf)];
  const width = (column: number): number =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0).filter((length) => column === 0 || length <= widest));
  const [first, second, third] = [width(0), width(1), width(2)];
  return lines
    .map(([figure = "", value = "", ratio = "", bar = ""]) =>
      [figure.padEnd(first), value.padStart(second), ratio.padStart(third), bar].join("  ").trimEnd(),
    )
    .join("\n");
}

function cellsOf({ figure, value, ratio, bar, isMet }: Row): string[] {
  const wanted = bar === undefined ? "" : "atLeast" in bar ? `≥ ${bar.atLeast}` : `≤ ${bar.atMost}`;
  return [figure, value, ratio?.toFixed(3) ?? "", isMet === false ? `${wanted} MISSED` : wanted];
}
