import { standInsPath } from "../../applications/leftovers.ts";

/**
 * A provider as its own documentation describes it. Deliberately independent of the service's
 * table, so that mistakes there fail here.
 */
export type StandIn = {
  name: string;
  displayName: string;
  /** The path of its base URL: "/dev/providers/google". */
  path: string;
  clientId: string;
  /**
   * Unused by Apple, whose clients sign with a key. Public on purpose: this is development, on one
   * machine.
   */
  clientSecret: string;
  /** How it identifies the person: an id_token with this algorithm, or a userinfo endpoint. */
  says: { idToken: "RS256" | "ES256" } | { userinfo: "github" | "discord" | "facebook" };
  /** The only way in which it accepts client credentials. */
  secretIn: "header" | "body";
  answersBy: "query" | "form_post";
  /** Microsoft and Facebook say nothing about who owns an address. */
  saysVerified: boolean;
  /** Sends its issuer with the answer (RFC 9207). */
  namesIssuer: boolean;
  /** The words of `prompt` that it takes; another one is refused, as the real one does. */
  prompts?: string[];
  /** When its id_tokens say the time of the sign-in (`auth_time`), which always is now. */
  saysWhen: "never" | "if-asked" | "always";
  /** The page's colour, so that people recognise the provider. */
  colour: string | null;
};

const usual = {
  secretIn: "body",
  answersBy: "query",
  saysVerified: true,
  namesIssuer: false,
  saysWhen: "never",
  colour: null,
} satisfies Partial<StandIn>;

const described: Omit<StandIn, "path" | "clientId" | "clientSecret">[] = [
  {
    ...usual,
    name: "google",
    displayName: "Google",
    says: { idToken: "RS256" },
    namesIssuer: true,
    prompts: ["none", "consent", "select_account"],
    colour: "#1a73e8",
  },
  { ...usual, name: "github", displayName: "GitHub", says: { userinfo: "github" } },
  {
    ...usual,
    name: "microsoft",
    displayName: "Microsoft",
    says: { idToken: "RS256" },
    saysVerified: false,
    prompts: ["none", "login", "consent", "select_account"],
    saysWhen: "if-asked",
    colour: "#0067b8",
  },
  {
    ...usual,
    name: "apple",
    displayName: "Apple",
    says: { idToken: "RS256" },
    answersBy: "form_post",
    saysWhen: "always",
  },
  {
    ...usual,
    name: "discord",
    displayName: "Discord",
    says: { userinfo: "discord" },
    secretIn: "header",
    prompts: ["none", "consent"],
    colour: "#5865f2",
  },
  {
    ...usual,
    name: "facebook",
    displayName: "Facebook",
    says: { userinfo: "facebook" },
    saysVerified: false,
    colour: "#0866ff",
  },
  {
    ...usual,
    name: "example",
    displayName: "Example",
    says: { idToken: "ES256" },
    secretIn: "header",
    namesIssuer: true,
    saysWhen: "if-asked",
    colour: "#0f766e",
  },
];

export const standIns: StandIn[] = described.map((facts) => ({
  ...facts,
  path: `${standInsPath}${facts.name}`,
  clientId: `${facts.name}-stand-in`,
  clientSecret: `${facts.name}-stand-in-secret`,
}));

/** Apple's developer team and key, and the Microsoft tenant of all people here. */
export const appleTeam = { teamId: "STANDINTM1", keyId: "STANDINKY1" };
export const microsoftTenant = "5d0c1f6e-7a54-4c8e-9d3b-2f6a8b1e4c70";

/** `{origin}/dev/providers/google`, the base URL of a stand-in. */
export function addressOf(origin: string, { path }: StandIn): string {
  return `${origin}${path}`;
}

/** The `iss` of its id_tokens. Microsoft's contains the person's tenant. */
export function issuerOf(origin: string, standIn: StandIn, tenant = microsoftTenant): string {
  const address = addressOf(origin, standIn);
  return standIn.name === "microsoft" ? `${address}/${tenant}/v2.0` : address;
}

/**
 * A provider is another site than the service, so the stand-ins use the listening address
 * (127.0.0.1 instead of localhost). Only then does Apple's answer arrive without cookies and is
 * form-action enforced, as in reality. It also needs no name resolution, which *.localhost lacks
 * outside browsers.
 */
export function standInOrigin(baseUrl: string, listenAddress: string): string {
  const [ours, direct] = [new URL(baseUrl), new URL(listenAddress)];
  if (direct.hostname === ours.hostname && direct.hostname !== "localhost") direct.hostname = "localhost";
  return direct.origin;
}
