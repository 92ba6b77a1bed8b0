import { generateKeyPairSync } from "node:crypto";
import { type Answer, json } from "../../http/answer.ts";
import type { HttpRequest } from "../../http/request.ts";
import { route, type Guard, type Route } from "../../http/route.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import type { AssetLinks } from "../../pages/assets/assets.ts";
import { accountWith, discoveryOf } from "./accounts.ts";
import { answerAuthorization, showAuthorization } from "./authorization.ts";
import { isClient } from "./client-credentials.ts";
import { Grants } from "./grants.ts";
import { IdTokens } from "./id-tokens.ts";
import { standIns, type StandIn } from "./stand-ins.ts";
import { answerToken, type TokenChecks } from "./tokens.ts";
import { answerUserinfo, userinfoPaths } from "./userinfo.ts";

type Handle = (request: HttpRequest) => Promise<Answer> | Answer;

/** Providers that exist on this machine only, for a service at `baseUrl`. `origin` is theirs. */
export function createStandIns(deps: { baseUrl: string; origin: string; clock: Clock; random: Random }) {
  const { baseUrl, origin, clock, random } = deps;
  const grants = new Grants({ clock, random });
  const idTokens = new IdTokens({ origin, clock });
  // The key that a developer would download from Apple. A new one at each start, like the client.
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const appleKeyPem = privateKey.export({ type: "pkcs8", format: "pem" });
  const checks: TokenChecks = {
    grants,
    idToken: (standIn, grant) => idTokens.make(standIn, grant),
    isClient: (standIn, request, form) => isClient(standIn, request, form, { publicKey, origin, now: clock() }),
  };

  return {
    /** An app's clients of the stand-ins. */
    accounts: standIns.map((standIn) => accountWith(standIn, origin, appleKeyPem)),

    routes(assets: AssetLinks, fromHere: Guard<undefined>): Route[] {
      const callbackUrl = ({ name }: StandIn): string => `${baseUrl}/oauth/${name}/callback`;
      const pages = { origin, callbackUrl, grants, assets };

      return standIns.flatMap((standIn) => {
        const { path, says } = standIn;
        const at = (method: "GET" | "POST", below: string, handle: Handle): Route =>
          route(method, `${path}${below}`, fromHere, undefined, (_ctx, request) => handle(request));
        const shared = [
          at("GET", "/authorize", (request) => showAuthorization(pages, standIn, request)),
          at("POST", "/authorize", (request) => answerAuthorization(pages, standIn, request)),
          at("POST", "/token", (request) => answerToken(checks, standIn, request)),
        ];
        if ("userinfo" in says) {
          const paths = Object.entries(userinfoPaths[says.userinfo]);
          return [
            ...shared,
            ...paths.map(([below, describe]) =>
              at("GET", below, (request) => answerUserinfo(grants, standIn, describe, request)),
            ),
          ];
        }
        return [
          ...shared,
          at("GET", "/keys", async () => json(await idTokens.keySet(standIn))),
          at("GET", "/.well-known/openid-configuration", () => json(discoveryOf(standIn, origin))),
        ];
      });
    },
  };
}
