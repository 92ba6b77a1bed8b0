import parse from "parse-prometheus-text-format";
import type { TestService } from "./service.ts";

/** One reading of a service's metrics. */
export class Scrape {
  readonly text: string;
  /**
   * Each sample line by its own name, `…_count` of a histogram as well: the parser mixes up
   * histograms that have labels.
   */
  readonly samples: ReturnType<typeof parse>;

  constructor(text: string) {
    this.text = text;
    this.samples = parse(text.replaceAll(/^# .*\n/gmu, ""));
  }

  /** The value with exactly these labels; undefined where there is none. */
  value(name: string, labels: Record<string, string> = {}): number | undefined {
    const metrics = this.samples.filter((sample) => sample.name === name).flatMap((sample) => sample.metrics);
    const value = metrics.find((metric) => sameLabels(metric.labels ?? {}, labels))?.value;
    return value === undefined ? undefined : Number(value);
  }
}

export async function scrape(service: TestService): Promise<Scrape> {
  const response = await fetch(service.server.metricsUrl ?? "");
  const text = await response.text();
  if (response.status !== 200) throw new Error(`metrics answered ${response.status}: ${text}`);
  return new Scrape(text);
}

function sameLabels(a: Record<string, string>, b: Record<string, string>): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}
