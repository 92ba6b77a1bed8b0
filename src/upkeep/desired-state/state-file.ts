import type * as z from "zod";
import { didYouMean, nearest } from "../../lib/nearest.ts";
import { readReferenced, resolveReference, type ReferenceSources } from "../../config/secret-references.ts";
import { invalidConfig } from "../../config/settings.ts";
import { maxPictureBytes } from "../../pictures/image.ts";
import { stateSchema, type DesiredApplication, type DesiredState } from "./state-schema.ts";
import { readYaml, writeYaml, type YamlNode } from "../../config/yaml.ts";

type Path = readonly PropertyKey[];

/** `env:NAME` or `file:PATH`, and its path in the file. */
export type SecretReference = { reference: string; path: Path };

/** A parsed state file, with the position of each value. */
export type StateFile = {
  state: DesiredState;
  /** Every secret reference, in file order. */
  references: SecretReference[];
  /**
   * The position of a path, or of its nearest existing parent, such as `shop.yaml line 3, column
   * 5`.
   */
  where(path: Path): string;
};

/**
 * Reads a state file and its secrets. Relative paths start at its folder. Throws INVALID_CONFIG
 * with line, column, key and rule, never a value.
 */
export function readStateFile(content: string, { name, ...sources }: { name: string } & ReferenceSources): StateFile {
  const root = readYaml(content, name);
  const where = (path: Path): string => nodeAt(root, path).node.where;
  const parsed = stateSchema.safeParse(root.value() ?? {});
  if (!parsed.success) throw problemOf(parsed.error.issues[0], root);
  const references: SecretReference[] = [];
  const read = (reference: string, path: Path): string => {
    references.push({ reference, path });
    return resolveReference(reference, sources, `${where(path)}: ${String(path.at(-1))}`);
  };
  const { applications = [] } = parsed.data;
  refuseTwins(
    applications.map(({ id }, index) => ({ name: id, path: ["applications", index, "id"] })),
    where,
  );
  for (const list of ["webhooks", "clients"] as const)
    refuseTwins(
      applications.flatMap((application, index) =>
        (application[list] ?? []).map(({ id }, position) => ({
          name: id,
          path: ["applications", index, list, position, "id"],
        })),
      ),
      where,
    );
  refuseTwins(
    applications.flatMap((application, index) =>
      (application.resources ?? []).map(({ identifier: name }, position) => ({
        name,
        path: ["applications", index, "resources", position, "identifier"],
      })),
    ),
    where,
  );
  const resolved = applications.map((application, index) => {
    const path = ["applications", index];
    refuseTwins(
      (application.providers ?? []).map((provider, position) => ({
        name: provider.name.toLowerCase(),
        path: [...path, "providers", position, "name"],
      })),
      where,
    );
    return withLogo(withSecrets(application, path, read), (file) =>
      readReferenced(file, sources, `${where([...path, "branding", "logo"])}: logo`, logoFile),
    );
  });
  return { state: { ...parsed.data, applications: resolved }, references, where };
}

/** Writes the state as a state file. */
export function stateFileText(state: DesiredState): string {
  return [
    "# Written by authsvc export; authsvc plan and authsvc apply read it. Omitted fields stay as they are.",
    "# Secrets and API keys are not in it. To set one, name where it is kept:",
    "#   apiKeys: [{ value: env:SHOP_API_KEY }]",
    "#   clientSecret: file:secrets/github",
    writeYaml(state),
  ].join("\n");
}

const logoFile = { most: maxPictureBytes, read: (content: Uint8Array) => Buffer.from(content).toString("base64") };

/** With the content of the file that it names as its logo, as `reconcile-logo.ts` reads it. */
function withLogo(application: DesiredApplication, read: (file: string) => string): DesiredApplication {
  const { branding } = application as { branding?: { logo?: unknown } };
  const named = typeof branding?.logo === "string" ? /^file:(.+)$/u.exec(branding.logo)?.[1] : undefined;
  return named === undefined ? application : { ...application, branding: { ...branding, logo: { file: read(named) } } };
}

type Read = (reference: string, path: Path) => string;

function withSecrets(application: DesiredApplication, path: Path, read: Read): DesiredApplication {
  const { apiKeys, providers, webhooks, clients } = application;
  return {
    ...application,
    apiKeys: apiKeys?.map(({ value }, index) => ({ value: read(value, [...path, "apiKeys", index, "value"]) })),
    providers: providers?.map((provider, index) => {
      const { clientSecret, privateKey } = provider;
      const at = [...path, "providers", index];
      return {
        ...provider,
        clientSecret: clientSecret === undefined ? undefined : read(clientSecret, [...at, "clientSecret"]),
        privateKey: privateKey === undefined ? undefined : read(privateKey, [...at, "privateKey"]),
      };
    }),
    webhooks: webhooks?.map((webhook, index) => ({
      ...webhook,
      secret: webhook.secret === undefined ? undefined : read(webhook.secret, [...path, "webhooks", index, "secret"]),
    })),
    clients: clients?.map((client, index) => ({
      ...client,
      secrets: client.secrets?.map(({ value }, position) => ({
        value: read(value, [...path, "clients", index, "secrets", position, "value"]),
      })),
    })),
  };
}

function refuseTwins(named: { name: string; path: Path }[], where: (path: Path) => string): void {
  const names = named.map(({ name }) => name);
  const twin = named.find(({ name }, index) => names.indexOf(name) < index);
  if (twin) throw invalidConfig(`${where(twin.path)}: ${String(twin.path.at(-1))}: given twice`);
}

function problemOf(issue: z.core.$ZodIssue | undefined, root: YamlNode): Error {
  const path = issue?.path ?? [];
  const { node, exists } = nodeAt(root, path);
  if (issue?.code === "unrecognized_keys") {
    const key = issue.keys[0] ?? "";
    const meant = nearest(key, keysAt(stateSchema, path));
    return invalidConfig(`${nodeAt(root, [...path, key]).node.where}: ${key} is not a known key${didYouMean(meant)}`);
  }
  const name = path.findLast((step) => typeof step === "string");
  const subject = `${node.where}: ${name ?? "the file"}`;
  return invalidConfig(`${subject} ${exists ? (issue?.message ?? "is not valid") : "is missing"}`);
}

/** The keys that the schema allows at a path. */
function keysAt(schema: unknown, path: Path): string[] {
  const inner = unwrapped(schema as z.ZodType);
  const [step, ...rest] = path;
  if (inner.def.type === "array") return keysAt((inner as z.ZodArray).element, rest);
  if (inner.def.type !== "object") return [];
  const { shape } = inner as z.ZodObject;
  return step === undefined ? Object.keys(shape) : keysAt(shape[String(step)], rest);
}

function unwrapped(schema: z.ZodType): z.ZodType {
  const { type } = schema.def;
  return type === "optional" || type === "nullable"
    ? unwrapped((schema as z.ZodOptional | z.ZodNullable).unwrap() as z.ZodType)
    : schema;
}

/** The node at a path, or its nearest existing parent. */
function nodeAt(node: YamlNode, path: Path): { node: YamlNode; exists: boolean } {
  const [step, ...rest] = path;
  if (step === undefined) return { node, exists: true };
  const next =
    typeof step === "number" ? node.items()?.[step] : node.entries()?.find(({ name }) => name === step)?.node;
  return next === undefined ? { node, exists: false } : nodeAt(next, rest);
}
