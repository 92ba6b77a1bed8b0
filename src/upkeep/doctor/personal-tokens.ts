import type { Application } from "../../applications/application.ts";
import { isOn } from "../../credentials/personal/rules.ts";
import * as personalTokens from "../../credentials/personal/service.ts";
import type { Context } from "../../runtime/context.ts";
import { warning, type Finding } from "./finding.ts";

/** Live tokens that no program can use now. Undefined if there are no live tokens. */
export async function examinePersonalTokens(ctx: Context, all: Application[]): Promise<Finding[] | undefined> {
  const found: Finding[] = [];
  let isAny = false;
  for (const application of all) {
    const { live, useless, owner } = await personalTokens.countUseless(ctx, application);
    isAny ||= live > 0;
    if (useless === 0) continue;
    const [tokens, allow] = useless === 1 ? ["token", "allows"] : ["tokens", "allow"];
    found.push(
      warning(
        "personal-tokens",
        `${useless} live personal access ${tokens} of ${application.id} ${allow} nothing: ${reasonOf(application)}.`,
        `authsvc user tokens ${owner} --end-all, for ${useless === 1 ? "its owner" : "one of the owners"}`,
      ),
    );
  }
  return isAny ? found : undefined;
}

function reasonOf(application: Application): string {
  if (!isOn(application)) return "--personal-tokens is off; while it is on, they work";
  return application.settings.organizations === "required"
    ? "each token must name an organization, and these name none"
    : "the scopes, resources and hosts are gone or disabled";
}
