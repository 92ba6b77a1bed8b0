import { isDeepStrictEqual } from "node:util";
import { invalidRequest } from "../../lib/errors.ts";
import { checkedName } from "../../lib/names.ts";
import { redirectUriProblem } from "../../lib/redirect-uris.ts";
import type { ResourceScope } from "../../storage/column-types.ts";
import { standardScopes, type Resource, type ResourceChange } from "./resource.ts";

export const maxIdentifierCharacters = 512;
export const maxResources = 100;
const maxScopes = 50;
const maxSentenceCharacters = 200;
/** The longest lifetime of a token for a resource. */
export const maxTokenSeconds = 3600;
const seconds = { least: 60, most: maxTokenSeconds, usual: 900 };
const scopeForm = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$/u;

/** Whether a scope is one that a resource can have, by its name. */
export function isScopeName(name: string): boolean {
  return scopeForm.test(name) && !standardScopes.includes(name);
}

/** Throws INVALID_REQUEST. `issuer`: this service, which no application may name. */
export function checkedIdentifier(identifier: string, issuer: string): string {
  const refuse = (rule: string) => invalidRequest("identifier", rule);
  if (identifier.length > maxIdentifierCharacters) throw refuse(`at most ${maxIdentifierCharacters} characters`);
  const problem = redirectUriProblem(identifier);
  if (problem !== undefined) throw refuse(problem);
  if (!/^https?:/u.test(identifier)) throw refuse("https (http only for localhost, 127.0.0.1 and [::1])");
  if (hostAndPort(identifier) === hostAndPort(issuer)) throw refuse("not at the address of this service");
  return identifier;
}

/** A dot at the end of a host name makes no difference. */
function hostAndPort(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname.replace(/\.$/u, "")}:${port}`;
}

/** A resource with default values. */
export function bareResource(identifier: string, appId: string, now: number): Resource {
  return {
    identifier,
    appId,
    name: identifier.replace(/^https?:\/\//u, "").slice(0, 200),
    scopes: [],
    accessTokenSeconds: seconds.usual,
    clientDocuments: false,
    companySignIn: false,
    createdAt: now,
    updatedAt: now,
  };
}

/** Applies a change. Throws INVALID_REQUEST naming the field. */
export function changedResource(resource: Resource, change: ResourceChange): Resource {
  const { name, scopes, accessTokenSeconds, clientDocuments, companySignIn } = change;
  return {
    ...resource,
    name: name === undefined ? resource.name : checkedName("name", name, 200),
    scopes: scopes === undefined ? resource.scopes : checkedScopes(scopes),
    accessTokenSeconds:
      accessTokenSeconds === undefined ? resource.accessTokenSeconds : checkedSeconds(accessTokenSeconds),
    clientDocuments: clientDocuments ?? resource.clientDocuments,
    companySignIn: companySignIn ?? resource.companySignIn,
  };
}

/** The names of the fields that differ. */
export function changedFields(before: Resource, after: Resource): string[] {
  const fields = ["name", "scopes", "accessTokenSeconds", "clientDocuments", "companySignIn"] as const;
  return fields.filter((field) => !isDeepStrictEqual(before[field], after[field]));
}

function checkedSeconds(value: number): number {
  if (!Number.isInteger(value) || value < seconds.least || value > seconds.most)
    throw invalidRequest("accessTokenSeconds", `from ${seconds.least} to ${seconds.most} seconds`);
  return value;
}

function checkedScopes(scopes: readonly ResourceScope[]): ResourceScope[] {
  if (scopes.length > maxScopes) throw invalidRequest("scopes", `at most ${maxScopes}`);
  const checked = scopes.map(({ name, sentence }, index) => {
    const field = `scopes[${index}]`;
    if (standardScopes.includes(name)) throw invalidRequest(field, `not one of ${standardScopes.join(", ")}`);
    if (!isScopeName(name))
      throw invalidRequest(
        field,
        "1 to 64 letters, digits, '.', '_', ':', '/' or '-', starting with a letter or digit",
      );
    return { name, sentence: checkedName(field, sentence, maxSentenceCharacters) };
  });
  const names = checked.map(({ name }) => name);
  const twin = names.findIndex((name, index) => names.indexOf(name) < index);
  if (twin !== -1) throw invalidRequest(`scopes[${twin}]`, "given twice");
  return checked;
}
