/** What programs were told, once everything is quiet: O5 for logout tokens, O4 for their logins. */
import { isNotNull } from "drizzle-orm";
import { decodeProtectedHeader } from "jose";
import { Violation } from "../model.ts";
import { issuer } from "../programs.ts";
import type { World } from "../world.ts";
import { claimsOf } from "./tokens.ts";

/** Those with a receiver for logout tokens. */
const receivers = new Set(["cli_wiki", "cli_bank"]);

export async function checkPrograms(world: World): Promise<void> {
  const { reader } = world.node.ctx.storage;
  const { logins } = reader.tables;
  const rows = await reader.db.select().from(logins).where(isNotNull(logins.clientId));
  const stored = new Map(rows.map((login) => [login.id, login]));
  const gone = new Set(world.people.filter(({ access }) => access.allows("deleted")).map(({ userId }) => userId));
  const told = new Set<unknown>();
  for (const token of world.logoutTokens) {
    checkLogoutToken(token);
    const { aud, sid, sub } = claimsOf(token);
    told.add(sid);
    const login = stored.get(String(sid));
    if (login ? login.endedAt === null || login.clientId !== aud || login.userId !== sub : !gone.has(String(sub)))
      throw new Violation("O5", `${String(aud)} was told of the end of ${String(sid)}, which is not so`);
  }
  for (const { id, clientId, endedAt } of rows)
    if (
      endedAt !== null &&
      (receivers.has(clientId ?? "") || world.mall.receivers.has(clientId ?? "")) &&
      !told.has(id)
    )
      throw new Violation("O5", `${clientId} was not told of the end of ${id}`);
  for (const login of world.programs.logins) {
    const { sid } = claimsOf(login.access[0]?.token ?? "");
    const row = stored.get(String(sid));
    if (row === undefined && !gone.has(login.userId))
      throw new Violation("O4", `${login.name} was told of ${String(sid)}, which is not stored`);
    if (row?.endedAt === null && login.wasOver(Number.POSITIVE_INFINITY))
      throw new Violation("O4", `the end of ${login.name} was told, and is not stored`);
  }
}

/** Back-Channel Logout 1.0 §2.4: a token of this kind says this and nothing else. */
function checkLogoutToken(token: string): void {
  const { alg, kid, ...header } = decodeProtectedHeader(token);
  const { iss, aud, iat, exp, jti, events, sub, sid, ...others } = claimsOf(token);
  const said = JSON.stringify([header, iss, Number(exp) - Number(iat), events, others]);
  const event = "http://schemas.openid.net/event/backchannel-logout";
  const should = JSON.stringify([{ typ: "logout+jwt" }, issuer, 120, { [event]: {} }, {}]);
  const isNamed = [alg, kid, aud, jti, sub, sid].every((each) => typeof each === "string");
  if (said !== should || !isNamed) throw new Violation("O5", `a logout token says ${said} instead of ${should}`);
}
