import { expect, test } from "vitest";
import { z } from "zod";
import { updateApplication } from "../../src/api/applications.ts";
import { applicationRows } from "../../src/applications/settings.ts";

type Schema = { properties?: Record<string, Schema> };

function fieldsOf({ properties }: Schema, path: string): string[] {
  if (!properties) return [path];
  return Object.entries(properties).flatMap(([name, schema]) =>
    fieldsOf(schema, path === "" ? name : `${path}.${name}`),
  );
}

test("an API key can change the settings whose rows say so, and no others", () => {
  const body = z.toJSONSchema(updateApplication.body?.schema ?? z.never()) as Schema;
  const marked = applicationRows.filter(([, { byApiKey }]) => byApiKey).map(([field]) => field);
  expect(fieldsOf(body, "").toSorted()).toEqual(marked.toSorted());
});
