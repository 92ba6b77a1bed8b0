import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { createInstruments } from "../../src/metrics/instruments.ts";
import { routes } from "../../src/routes.ts";
import { noProgram } from "../support/left-out.ts";

const root = path.resolve(import.meta.dirname, "../..");
const folder = path.join(root, "deploy/grafana");
const read = (file: string): string => readFileSync(path.join(root, file), "utf8");

type Rule = { alert: string; expr: string; annotations: { description: string } };
type RuleTest = { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] };
type Panel = { title: string; targets?: { expr: string; legendFormat: string }[] };

const rules = (parse(read("deploy/grafana/rules.yaml")) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);
const dashboard = JSON.parse(read("deploy/grafana/dashboard.json")) as {
  panels: Panel[];
  templating: { list: { query: string | { query: string } }[] };
};
const variables = dashboard.templating.list.flatMap(({ query }) => (typeof query === "string" ? [] : [query.query]));
const queries = dashboard.panels.flatMap(({ targets = [] }) => targets);

/** What Prometheus adds to each sample. */
const added = ["job", "instance"];
const { registry } = createInstruments();
const metrics = new Map(
  registry
    .getMetricsAsArray()
    .map((metric) => [metric.name, metric as unknown as { type: string; labelNames: string[] }]),
);

/** The names of metrics in an expression that are not ours, and labels that they do not have. */
function unknownIn(expression: string): string[] {
  const found: string[] = [];
  const labels = new Set(added);
  for (const [, name = "", , matchers = ""] of expression.matchAll(
    /\b((?:authsvc|nodejs|process)_\w+)(\{([^}]*)\})?/gu,
  )) {
    const base = metrics.has(name) ? name : name.replace(/_(?:bucket|count|sum)$/u, "");
    const metric = metrics.get(base);
    if (!metric || (base !== name && metric.type !== "histogram")) {
      found.push(name);
      continue;
    }
    const own = [...added, ...metric.labelNames, ...(name.endsWith("_bucket") ? ["le"] : [])];
    for (const label of own) labels.add(label);
    for (const [, label = ""] of matchers.matchAll(/(\w+)\s*=~?/gu))
      if (!own.includes(label)) found.push(`${name}{${label}}`);
  }
  for (const [, list = ""] of expression.matchAll(/\b(?:by|without|on)\s*\(([^)]*)\)/gu))
    found.push(
      ...list
        .split(",")
        .map((label) => label.trim())
        .filter((label) => !labels.has(label)),
    );
  return found;
}

describe("deploy/grafana knows the metrics of the program", () => {
  test("a name or label that does not exist is noticed", () => {
    expect(unknownIn('rate(authsvc_sign_ins{job="x"}[5m])')).toEqual(["authsvc_sign_ins"]);
    expect(unknownIn("authsvc_database_up_count")).toEqual(["authsvc_database_up_count"]);
    expect(unknownIn('sum by (route) (authsvc_validates_total{status="2xx"})')).toEqual([
      "authsvc_validates_total{status}",
      "route",
    ]);
  });

  test.each(rules.map(({ alert, expr }) => [alert, expr]))("the alert %s", (_, expr) => {
    expect(unknownIn(expr)).toEqual([]);
  });

  test.each(queries.map(({ expr, legendFormat }) => [expr, legendFormat]))("the query %s", (expr, legend) => {
    expect(unknownIn(expr)).toEqual([]);
    const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/gu)].flatMap(([, list = ""]) => list.split(", "));
    for (const [, label = ""] of legend.matchAll(/\{\{(\w+)\}\}/gu)) expect(grouped).toContain(label);
    for (const label of added) expect(expr).toContain(`${label}=~"$${label}"`);
  });

  test("its variables, and every metric of our own in a panel", () => {
    expect(variables.flatMap(unknownIn)).toEqual([]);
    const all = queries.map(({ expr }) => expr).join("\n");
    for (const name of metrics.keys()) if (name.startsWith("authsvc_")) expect(all).toContain(name);
  });

  test("the values of labels are those that the program has", () => {
    const text = [...rules, ...queries].map(({ expr }) => expr).join("\n");
    const values = new Set(
      [...text.matchAll(/\b(route|method|status|result|limit)="([^"]+)"/gu)].map(
        ([, name, value]) => `${name} ${value}`,
      ),
    );
    expect([...values].toSorted()).toEqual([
      "limit password-hashes",
      "method GET",
      "result failure",
      "result success",
      "route /auth/validate",
      "status 5xx",
    ]);
    expect(routes).toContainEqual(expect.objectContaining({ method: "GET", path: "/auth/validate" }));
  });
});

describe("the alerts", () => {
  test("are listed in docs/operating.md, and no others", () => {
    const listed = [...read("docs/operating.md").matchAll(/^\| `(Authsvc\w+)` \|/gmu)].map(([, name]) => name);
    expect(listed).toEqual(rules.map(({ alert }) => alert));
  });

  test("each has a test in which it is raised, and one in which it is not", () => {
    const tests = (parse(read("deploy/grafana/rules.test.yaml")) as { tests: RuleTest[] }).tests.flatMap(
      (each) => each.alert_rule_test,
    );
    for (const { alert } of rules) {
      const ofIt = tests.filter(({ alertname }) => alertname === alert).map(({ exp_alerts }) => exp_alerts.length > 0);
      expect([alert, ofIt.includes(true), ofIt.includes(false)]).toEqual([alert, true, true]);
    }
  });

  test("promtool accepts the rules, and their tests pass", ({ skip }) => {
    const missing = noProgram("promtool");
    skip(missing !== undefined, missing);
    expect(
      execFileSync("promtool", ["check", "rules", "--lint-fatal", "rules.yaml"], { cwd: folder, encoding: "utf8" }),
    ).toContain("SUCCESS");
    const { status, stdout, stderr } = spawnSync("promtool", ["test", "rules", "rules.test.yaml"], {
      cwd: folder,
      encoding: "utf8",
    });
    expect(status, stdout + stderr).toBe(0);
  });
});
