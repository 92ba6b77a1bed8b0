import type {
  Application,
  ApplicationRequest,
  AuthMethod,
  Done,
  EndedLogins,
  Group,
  GroupMembers,
  ManagedUser,
  ManagedUserChange,
  ManagedUserDetails,
  Metadata,
  MetadataRequest,
  NewUserRequest,
  Operations,
  UserPage,
  WebhookEndpoint,
  WebhookEndpointChange,
  WebhookEndpointRequest,
  WebhookEventKind,
  WebhookTestResult,
} from "./api.ts";
import type { Call } from "./call.ts";

type Query<Name extends keyof Operations> = Operations[Name] extends { query?: infer Given } ? Given : never;

/** The calls that a server makes with its API key. */
export type AppCalls = {
  application: {
    get(): Promise<Application>;
    update(change: ApplicationRequest): Promise<Application>;
  };

  /** The application's users. More calls: `call`. */
  users: {
    /** A page; pass its `nextCursor` as `cursor`. */
    list(query?: Query<"GET /applications/{appId}/users">): Promise<UserPage>;
    create(user: NewUserRequest): Promise<ManagedUser>;
    get(userId: string): Promise<ManagedUserDetails>;
    update(userId: string, change: ManagedUserChange): Promise<ManagedUserDetails>;
    /** Permanent. */
    delete(userId: string): Promise<Done>;
    /** Ends all logins of the user. */
    logout(userId: string): Promise<EndedLogins>;
    authMethods(userId: string): Promise<AuthMethod[]>;
    /** Also ends all logins of the user. */
    removeAuthMethod(userId: string, methodId: string): Promise<Done>;
    /** A merge patch: omitted keys stay as they are. */
    setMetadata(userId: string, change: MetadataRequest): Promise<Metadata>;
  };

  groups: {
    list(): Promise<Group[]>;
    /** Also succeeds if the group exists. */
    create(name: string): Promise<Group>;
    delete(name: string): Promise<Done>;
    /** A page; pass its `nextCursor` as `cursor`. */
    members(name: string, query?: Query<"GET /applications/{appId}/groups/{name}/members">): Promise<GroupMembers>;
    add(name: string, userId: string): Promise<Done>;
    remove(name: string, userId: string): Promise<Done>;
  };

  webhooks: {
    list(): Promise<WebhookEndpoint[]>;
    create(endpoint: WebhookEndpointRequest): Promise<WebhookEndpoint>;
    get(id: string): Promise<WebhookEndpoint>;
    update(id: string, change: WebhookEndpointChange): Promise<WebhookEndpoint>;
    delete(id: string): Promise<Done>;
    /** Sends a sample event. */
    test(id: string, event?: WebhookEventKind): Promise<WebhookTestResult>;
  };
};

/** One text for each value that the path needs; the App ID is known. */
type Values<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? [...(Name extends "appId" ? [] : [string]), ...Values<Rest>]
  : [];

/** Its body, or its query, if it takes one. */
type Sent<Operation> = Operation extends { body: infer Body }
  ? [body: Body]
  : ("body" | "query") & keyof Operation extends never
    ? []
    : [Operation[("body" | "query") & keyof Operation]?];

type CallOf<Name extends keyof Operations> = (
  ...given: [...Values<Name>, ...Sent<Operations[Name]>]
) => Promise<Operations[Name]["answer"]>;

/** `GET /{id}` under `/things` is `GET /things/{id}`. */
type Under<Path extends string, Text extends string> = (Text extends `${infer Method} ${infer Rest}`
  ? `${Method} ${Path}${Rest}`
  : `${Text} ${Path}`) &
  keyof Operations;

export function createAppCalls(call: Call): AppCalls {
  /** Functions of the values in the path, then of the body, or of the query of a GET. */
  function under<Path extends string>(path: Path) {
    return <Text extends string>(text: Under<Path, Text> extends never ? never : Text): CallOf<Under<Path, Text>> =>
      async (...given) => {
        const values: unknown[] = [...given];
        const value = (): string => encodeURIComponent(String(values.shift()));
        const operation = text.replace(/ |$/u, ` ${path}`).replaceAll(/\{(?!appId)\w+\}/gu, value);
        const [last] = values;
        // Not the index that `map` passes besides an id.
        const sent = typeof last === "object" ? { [text.startsWith("GET") ? "query" : "body"]: last } : {};
        return (await call(operation as "GET /auth/validate", sent)) as never;
      };
  }
  const app = under("/applications/{appId}");
  const users = under("/applications/{appId}/users");
  const groups = under("/applications/{appId}/groups");
  const webhooks = under("/webhooks/endpoints");

  return {
    application: {
      get: app("GET"),
      update: app("PATCH"),
    },
    users: {
      list: users("GET"),
      create: users("POST"),
      get: users("GET /{userId}"),
      update: users("PATCH /{userId}"),
      delete: users("DELETE /{userId}"),
      logout: users("POST /{userId}/logout"),
      authMethods: async (userId) => (await users("GET /{userId}/auth-methods")(userId)).methods,
      removeAuthMethod: users("DELETE /{userId}/auth-methods/{methodId}"),
      setMetadata: users("PATCH /{userId}/metadata"),
    },
    groups: {
      list: async () => (await groups("GET")()).groups,
      create: groups("PUT /{name}"),
      delete: groups("DELETE /{name}"),
      members: groups("GET /{name}/members"),
      add: groups("PUT /{name}/members/{userId}"),
      remove: groups("DELETE /{name}/members/{userId}"),
    },
    webhooks: {
      list: async () => (await webhooks("GET")()).endpoints,
      create: webhooks("POST"),
      get: webhooks("GET /{id}"),
      update: webhooks("PATCH /{id}"),
      delete: webhooks("DELETE /{id}"),
      test: async (id, event) => await webhooks("POST /{id}/test")(id, { event }),
    },
  };
}
