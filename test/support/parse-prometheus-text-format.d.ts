/** What these tests use of parse-prometheus-text-format, which comes without types. */
declare module "parse-prometheus-text-format" {
  type Metric = { labels?: Record<string, string>; value?: string };
  export default function parse(text: string): { name: string; type: string; metrics: Metric[] }[];
}
