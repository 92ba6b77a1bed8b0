import type { Application } from "../../applications/application.ts";
import { isoTime } from "../../lib/clock.ts";

/**
 * A sign-in method of a user. `name` is a device label, `provider` as in the contract. Instants are
 * epoch milliseconds.
 */
export type Method = { id: string; createdAt: number; lastUsedAt: number | null } & (
  | { type: "passkey"; name: string }
  | { type: "oauth"; provider: string; email: string | null }
  | { type: "password" }
);

/**
 * A method in answers (docs/spec/http-api.md, 2.3). `email` is omitted without the scope `email`.
 */
export type MethodAnswer = { id: string; createdAt: string; lastUsed: string | null } & (
  | { type: "passkey"; name: string }
  | { type: "oauth"; provider: string; email?: string | null }
  | { type: "password" }
);

export function methodAnswer(method: Method, scopes: string[]): MethodAnswer {
  const { type, id, createdAt, lastUsedAt } = method;
  const times = { createdAt: isoTime(createdAt), lastUsed: lastUsedAt === null ? null : isoTime(lastUsedAt) };
  if (type === "password") return { type, id, ...times };
  if (type === "passkey") return { type, id, name: method.name, ...times };
  const { provider, email } = method;
  return { type, id, provider, ...(scopes.includes("email") ? { email } : {}), ...times };
}

/** The facts by which a method works now. */
export type Availability = {
  application: Application;
  /** The providers for which the application has a client. */
  configuredProviders: string[];
  /** Whether browsers support passkeys for this service. */
  passkeysAvailable: boolean;
  /** A password works only with an address. */
  hasEmail: boolean;
  /** Whether a passkey must stay: it, or a second factor that only a passkey gives, is required. */
  needsPasskey: boolean;
};

/** Whether this method alone is enough to sign in now. */
export function canSignIn(method: Method, availability: Availability): boolean {
  const { application, configuredProviders, passkeysAvailable, hasEmail } = availability;
  const { passkey, oauth, password } = application.authMethods;
  switch (method.type) {
    case "passkey":
      return passkey.enabled && passkeysAvailable;
    case "oauth": {
      const { provider } = method;
      return oauth.enabled && oauth.providers.includes(provider) && configuredProviders.includes(provider);
    }
    case "password":
      return password.enabled && hasEmail;
  }
}

/**
 * Whether a user with `methods` can do without `removed`. If passkeys are required, other methods
 * cannot replace one: they only lead to it.
 */
export function canDoWithout(removed: Method, methods: Method[], availability: Availability): boolean {
  const left = methods.filter((method) => method.id !== removed.id && canSignIn(method, availability));
  const needsPasskey = removed.type === "passkey" && availability.needsPasskey;
  return needsPasskey ? left.some((method) => method.type === "passkey") : left.length > 0;
}
