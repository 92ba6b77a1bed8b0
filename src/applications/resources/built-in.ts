import type { Resource } from "./resource.ts";

/**
 * The scope with which a machine may use its application's management routes instead of an API key.
 */
export const managementScope = "management";

/** This service as a resource, which no application has to create (docs/decisions/0058). */
export function builtIn(baseUrl: string, appId: string): Resource {
  return {
    identifier: baseUrl,
    appId,
    name: "This service",
    scopes: [{ name: managementScope, sentence: "Manage the application" }],
    accessTokenSeconds: 900,
    clientDocuments: false,
    companySignIn: false,
    createdAt: 0,
    updatedAt: 0,
  };
}
