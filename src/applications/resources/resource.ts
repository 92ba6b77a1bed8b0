import { isoTime } from "../../lib/clock.ts";
import { AppError } from "../../lib/errors.ts";
import type { ResourceScope } from "../../storage/column-types.ts";
import type { Row } from "../../storage/storage.ts";
import type { Application } from "../application.ts";
import { organizationScope, scopesOf, type Client } from "../clients/client.ts";
import { hostFrom } from "../clients/proxy.ts";

/** Scopes of OpenID Connect: no resource has a scope of this name. */
export const standardScopes = ["openid", "profile", "email", "groups", "offline_access", "phone", "address"];

/** A token of a resource with this scope opens the protected host that the resource is at. */
export const forwardAuthScope = "forward-auth";

/** An API that tokens are issued for (RFC 8707). Instants are epoch milliseconds. */
export type Resource = Row<"resources">;

/** A resource as shown. */
export type ResourceAnswer = Omit<Resource, "createdAt" | "updatedAt"> & { createdAt: string; updatedAt: string };

/** The operator's settings; omitted: unchanged, or the default. */
export type ResourceChange = {
  name?: string | undefined;
  scopes?: ResourceScope[] | undefined;
  accessTokenSeconds?: number | undefined;
  clientDocuments?: boolean | undefined;
  companySignIn?: boolean | undefined;
};

/** The parts of a client that say what it may request. */
export type Asking = Pick<Client, "id" | "appId" | "resources" | "resourceScopes" | "document">;

export function resourceAnswer({ createdAt, updatedAt, ...rest }: Resource): ResourceAnswer {
  return { ...rest, createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) };
}

/** The names of a resource's scopes that a client may have, in their order. */
export function scopesFor({ scopes }: Pick<Resource, "scopes">, { resourceScopes }: Asking): string[] {
  const names = scopes.map(({ name }) => name);
  return resourceScopes === null ? names : names.filter((name) => resourceScopes.includes(name));
}

/** The scopes that a client may have now, of its application and of the requested resource. */
export function allowedScopes(
  client: Asking & Pick<Client, "scopes">,
  application: Application,
  resource: Resource | null,
): string[] {
  const own = scopesOf(application).filter((scope) => client.scopes.includes(scope));
  return resource === null ? own : [...own, ...scopesFor(resource, client)];
}

/**
 * The scopes of a login that its access tokens have. For a resource only its own, whose names never
 * equal those of OpenID Connect; `organization` is one of these where a login names one.
 */
export function tokenScopes({
  scopes,
  resource,
  organizationId,
}: {
  scopes: string[];
  resource: string | null;
  organizationId: string | null;
}): string[] {
  if (resource === null) return scopes;
  return scopes.filter(
    (scope) => !standardScopes.includes(scope) && !(scope === organizationScope && organizationId !== null),
  );
}

/**
 * Whether a client may request a resource. The application itself may request all of its own;
 * unregistered clients those that allow it.
 */
export function mayAsk(
  { id, appId, resources, document }: Asking,
  resource: Pick<Resource, "identifier" | "appId" | "clientDocuments">,
): boolean {
  if (resource.appId !== appId) return false;
  if (document !== undefined) return resource.clientDocuments;
  return id === appId || resources.includes(resource.identifier);
}

/** An identifier as given, and with its empty path in the other form: as `/` or as nothing. */
export function formsOf(identifier: string): [string, string] {
  const [, origin = "", slash, query = ""] = /^(https?:\/\/[^/?]+)(\/?)(\?.*)?$/u.exec(identifier) ?? [];
  return [identifier, slash === undefined ? identifier : `${origin}${slash === "" ? "/" : ""}${query}`];
}

/** The protected host that a resource may be at, and its path there. */
export function hostAndPathOf(identifier: string): { host: string; path: string } | undefined {
  const { protocol, host: text, pathname, search } = new URL(identifier);
  const host = hostFrom(text);
  if (protocol !== "https:" || search !== "" || host === undefined) return undefined;
  return { host, path: pathname.replace(/\/$/u, "") };
}

/**
 * Whether the resource existed at that moment. One created since is another resource with the same
 * name.
 */
export function isSame({ createdAt }: Pick<Resource, "createdAt">, at: number): boolean {
  return createdAt <= at;
}

export function resourceNotFound(): AppError {
  return new AppError("RESOURCE_NOT_FOUND", "There is no resource with this identifier.");
}
