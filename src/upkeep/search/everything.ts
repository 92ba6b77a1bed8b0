/** Finds what has a page of its own, by name or by an id from a log. People: `people/search.ts`. */
import { consoleAppId } from "../../applications/console-app.ts";
import { isId as canBeId } from "../../lib/names.ts";
import { isShowable } from "../../lib/text.ts";
import * as operators from "../../operators/service.ts";
import { fold, maxSearchCharacters } from "../../people/search-text.ts";
import * as audit from "../../records/audit/audit.ts";
import { findEndpointsOfEvent } from "../../records/webhooks/delivery-list-store.ts";
import type { Context } from "../../runtime/context.ts";
import { findLogin } from "../../sessions/login-store.ts";
import * as users from "../../users/service.ts";
import { isGenerated, pastedIds, type PastedId } from "./pasted.ts";
import { readThings, type Thing } from "./store.ts";

type KindOfThing = keyof Awaited<ReturnType<typeof readThings>>;

export type Hit = {
  kind: KindOfThing | "person" | "operator" | "login" | "entry" | "delivery" | "request";
  id: string;
  name: string;
  appId: string | null;
  /** Of a login. */
  userId?: string;
  /** Of a delivery. */
  endpointId?: string;
};

/** What the one who searches may see. `appId`: only this application. */
export type Sight = {
  appId: string | undefined;
  operators: boolean;
  /** Entries about operators. */
  operatorEntries: boolean;
};

/**
 * `unknown`: ids that nothing has. `isId`: the text is about ids, all of which were found.
 * `isPartial`: there are more things than were looked at.
 */
export type Found = { byId: Hit[]; unknown: PastedId[]; isId: boolean; byName: Hit[]; isPartial: boolean };

/** The newest of each kind are read and compared as people are: letters without their marks. */
const maxRead = 2000;
const maxOfKind = 8;

export async function findThings(ctx: Context, text: string, sight: Sight): Promise<Found> {
  const pasted = pastedIds(text);
  const found = await Promise.all(pasted.map(async (id) => await hitsOf(ctx, id, sight)));
  const chosen = canBeId(text.trim()) && pasted.length === 0 ? await withIds(ctx, [text.trim()], sight) : [];
  const byId = [...found.flat(), ...chosen];
  const missing = pasted.filter((_id, at) => found[at]?.length === 0);
  const isId = pasted.length > 0 && missing.length === 0;
  // The beginning of an id is looked for among people.
  const unknown = missing.filter(({ id, ends }) => ends !== undefined || isGenerated(id));
  const named = isId ? { byName: [], isPartial: false } : await findByName(ctx, text, sight);
  return { byId, unknown, isId, ...named, byName: named.byName.filter(({ id }) => byId.every((hit) => hit.id !== id)) };
}

async function findByName(
  ctx: Context,
  text: string,
  { appId, operators: seesOperators }: Sight,
): Promise<Pick<Found, "byName" | "isPartial">> {
  const words = isSearchable(text)
    ? fold(text)
        .split(/\s+/u)
        .filter((word) => word !== "")
    : [];
  if (words.length === 0) return { byName: [], isPartial: false };
  const read = await readThings(ctx.storage.reader, { appId, limit: maxRead });
  const isFound = (name: string): boolean => {
    const folded = fold(name);
    return words.every((word) => folded.includes(word));
  };
  const things = hitsFrom({ ...read, key: read.key.filter(({ name }) => name !== "") });
  const team = seesOperators ? await operators.list(ctx) : [];
  const people = team.map(({ id, name, email }): Hit => operatorHit({ id, name, email }));
  const byName = [...things, ...people].filter(({ name, appId: of }) => of !== consoleAppId && isFound(name));
  const counts = new Map<string, number>();
  return {
    byName: byName.filter(({ kind }) => {
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      return (counts.get(kind) ?? 0) <= maxOfKind;
    }),
    isPartial: Object.values(read).some((rows) => rows.length === maxRead),
  };
}

/** A text that people and things can be found by, other than an id. */
export function isSearchable(text: string): boolean {
  return text.trim() !== "" && text.trim().length <= maxSearchCharacters && isShowable(text.trim());
}

function operatorHit({ id, name, email }: { id: string; name: string | null; email: string | null }): Hit {
  return { kind: "operator", id, name: [name, email].filter((text) => text !== null).join(" "), appId: null };
}

function hitsFrom(read: Partial<Record<KindOfThing, Thing[]>>): Hit[] {
  return Object.entries(read).flatMap(([kind, things]) =>
    things.map((thing): Hit => ({ kind: kind as KindOfThing, ...thing })),
  );
}

/** Things with these ids. */
async function withIds(ctx: Context, ids: string[], { appId }: Sight): Promise<Hit[]> {
  const hits = hitsFrom(await readThings(ctx.storage.reader, { appId, ids, limit: maxOfKind }));
  return hits.filter(({ appId: of }) => of !== consoleAppId);
}

async function hitsOf(ctx: Context, { kind, id, ends }: PastedId, sight: Sight): Promise<Hit[]> {
  const { reader } = ctx.storage;
  const isSeen = (appId: string | null): boolean => appId !== consoleAppId && (sight.appId ?? appId) === appId;
  if (kind === "usr") return ends === undefined ? await person(ctx, id, sight) : [];
  if (kind === "lgn") {
    const login = await findLogin(reader, id);
    if (!login || !isSeen(login.appId)) return [];
    const { appId, userId } = login;
    return [{ kind: "login", id, appId, userId, name: (await users.find(reader, userId))?.email ?? userId }];
  }
  if (kind === "aud" || kind === "req") {
    const hidden = sight.operatorEntries ? {} : { exceptAppId: consoleAppId };
    const wanted = kind === "req" ? { requestId: id } : { id };
    const events = await audit.list(ctx, { appId: sight.appId, ...hidden, ...wanted, limit: 1 });
    return events.map(({ action, appId }) => ({ kind: kind === "req" ? "request" : "entry", id, name: action, appId }));
  }
  if (kind === "evt") {
    const endpoints = await findEndpointsOfEvent(reader, id);
    return endpoints
      .filter(({ appId }) => isSeen(appId))
      .map(({ id: endpointId, appId, url }) => ({ kind: "delivery", id, endpointId, appId, name: url }));
  }
  if (ends === undefined) return await withIds(ctx, [id], sight);
  const { appId } = sight;
  const all = hitsFrom(await readThings(reader, { appId, limit: maxRead }));
  return all.filter((hit) => hit.appId !== consoleAppId && hit.id.startsWith(id) && hit.id.endsWith(ends));
}

async function person(ctx: Context, id: string, sight: Sight): Promise<Hit[]> {
  const user = await users.find(ctx.storage.reader, id);
  if (!user) return [];
  const { appId, name, email } = user;
  if (appId === consoleAppId) return sight.operators ? [operatorHit(user)] : [];
  return (sight.appId ?? appId) === appId ? [{ kind: "person", id, name: name ?? email ?? id, appId }] : [];
}
