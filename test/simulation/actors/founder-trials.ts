/** "Try it": an owner sees what a provider says, which counts as tried and opens nothing. */
import { decoded, Visitor } from "../../support/person.ts";
import { time } from "../time.ts";
import { Lost } from "../world.ts";
import type { Manager } from "./founder-acts.ts";
import { sets } from "./founder-providers.ts";

const place = "/organization/provider";
const day = 86_400_000;

export const trialActs: Record<string, (manager: Manager) => Promise<void>> = {
  trial: tries,
  "another trial": tries,
  confirm: confirmsOwn,
  "another confirmation": confirmsOwn,
  demand: demands,
};

async function tries(manager: Manager): Promise<void> {
  const { own, me } = manager;
  const { chances } = me;
  const isOwner = own.rankOf({ kind: "page" }) === "owner";
  if (isOwner && !own.waiting && chances.chance(0.8)) await sets(manager, { kind: "page" });
  const target = own.waiting ?? own.provider;
  const left = await manager.press({ act: "try" }, place);
  const address = /0; url=(.*)$/u.exec(left.headers.get("refresh") ?? "")?.[1];
  const may = isOwner && target !== undefined;
  if (left.status === 429) throw new Lost("too many");
  me.must(may ? "O10" : "O8", (address !== undefined) === may, `a trial begins: ${left.status}`);
  if (!target || address === undefined) return;
  const { issuer } = target;
  const company = me.world.issuers.open(issuer, chances.fork(issuer));
  company.clientId = target.clientId;
  const proved = [...own.domains.values()].find(({ state, isMoved }) => state === "proved" && !isMoved);
  const sub = me.next("tried").replaceAll(" ", "-");
  const email = `${sub}@${proved?.domain ?? "elsewhere.example"}`;
  const how = chances.pick(["right", "right", "right", "unverified", "lie", "elsewhere"] as const);
  if (how === "lie")
    company.claims = chances.pick([{ nonce: "another" }, { aud: "another" }, { iss: "https://a.example" }]);
  const visitor = how === "elsewhere" ? new Visitor() : me.desk;
  const person = { sub, email, email_verified: how !== "unverified" };
  const shown = await visitor.get(company.authorize(address, person)).finally(() => company.reform());
  if (shown.status !== 200 && me.world.faults.doubled > 0) throw new Lost("the way back arrived twice");
  const says = decoded(shown.text).includes(`>${sub}<`);
  const isSaid = how === "right" || how === "unverified";
  me.must(isSaid ? "O10" : "O14", says === isSaid, `a trial (${how}) shows who came: ${says}, ${shown.status}`);
  me.world.reached(`a trial of a provider: ${how}`);
  if (how !== "right" || !proved) return;
  target.isTried = true;
  const actor = `user:${me.userId}`;
  // The log has no network of a trial.
  own.note({ actor, action: "provider.try", userId: me.userId, ipAddress: null, details: { issuer, links: false } });
}

/** An owner's provider works once it was tried and confirmed; in place of another, a day later. */
async function confirmsOwn(manager: Manager): Promise<void> {
  const { own, me } = manager;
  if (own.waiting?.isTried !== true) await tries(manager);
  const { waiting } = own;
  if (!waiting) return;
  const { issuer } = waiting;
  const may = own.rankOf({ kind: "page" }) === "owner" && waiting.isTried === true && !waiting.isSettled;
  const answer = await manager.page({ act: "confirm", issuer }, place);
  if (!manager.judge(answer, may, `a founder confirms a provider, tried: ${waiting.isTried}`)) return;
  waiting.setterId = me.userId;
  const note = { actor: `user:${me.userId}`, action: "provider.confirm", event: "provider.updated" };
  me.world.reached("an owner confirmed a provider");
  if (!own.provider) return manager.activates(note);
  const { body } = await me.server("GET", `${own.path}/provider`);
  const worksAt = String((body["waiting"] as Record<string, unknown> | null)?.["worksAt"]);
  const lasts = Date.parse(worksAt) - time.now();
  me.must("O4", lasts > day - 120_000 && lasts <= day, `another issuer works in ${lasts}`);
  waiting.isSettled = true;
  own.note({ ...note, details: { issuer, worksAt } });
  // Only another owner, of a day, may shorten that.
  const again = await manager.page({ act: me.chances.pick(["agree", "confirm"]), issuer }, place);
  manager.judge(again, false, "the same owner agrees");
}

/** Who demands it has used it; who ends that has not. */
async function demands(manager: Manager): Promise<void> {
  const { own, me } = manager;
  const isOwner = own.rankOf({ kind: "page" }) === "owner";
  const asks = me.chances.chance(0.5);
  const isOn = own.provider?.isRequired === true;
  const answer = await manager.page({ act: "require", ...(asks && { required: "on" }) }, place);
  const may = isOwner && own.provider !== undefined && (!asks || isOn);
  if (!manager.judge(answer, may, `a founder demands a provider: ${asks}`) || asks || !own.provider || !isOn) return;
  own.provider.isRequired = false;
  const { issuer } = own.provider;
  const changes = { required: { from: "true", to: "false" } };
  const actor = `user:${me.userId}`;
  own.note({ actor, action: "provider.require", event: "provider.updated", details: { issuer }, changes });
}
