import { isThere } from "../applications/clients/store.ts";
import { allowsDocuments } from "../applications/documents/store.ts";
import { areOrganizationsOn } from "../applications/store.ts";
import { second } from "../lib/clock.ts";
import { part, type Context } from "../runtime/context.ts";
import type { Handle } from "../storage/storage.ts";

const questions = {
  machines: (handle: Handle) => isThere(handle, "machine"),
  devices: (handle: Handle) => isThere(handle, "device"),
  exchange: (handle: Handle) => isThere(handle, "exchanger"),
  dpop: (handle: Handle) => isThere(handle, "prover"),
  clientDocuments: allowsDocuments,
  organizations: areOrganizationsOn,
};

/** Features that some application or client has turned on. Until then, the metadata omits them. */
export type Offered = Record<keyof typeof questions, boolean>;

/** How long an answer is used: the metadata is public, and read often. */
const knownFor = second;

const known = part(() => ({ offered: offers(() => false), readAt: Number.NEGATIVE_INFINITY }));

function offers(answer: (question: keyof Offered) => boolean): Offered {
  return Object.fromEntries(Object.keys(questions).map((key) => [key, answer(key as keyof Offered)])) as Offered;
}

async function read(handle: Handle): Promise<Offered> {
  const answers = await Promise.all(Object.entries(questions).map(async ([key, ask]) => [key, await ask(handle)]));
  return Object.fromEntries(answers) as Offered;
}

/** If storage fails, the last result. */
export async function offered(ctx: Context): Promise<Offered> {
  const now = ctx.clock();
  const last = known(ctx);
  if (Math.abs(now - last.readAt) < knownFor) return last.offered;
  try {
    last.offered = await read(ctx.storage.reader);
    last.readAt = now;
  } catch (error) {
    ctx.log.warn("what clients use could not be read", { error: String(error) });
  }
  return last.offered;
}
