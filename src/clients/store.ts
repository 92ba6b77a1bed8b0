import { eq } from "drizzle-orm";
import { placeholders, prepare, statements, type Handle } from "../storage/storage.ts";
import type { Client } from "./client.ts";

const prepared = statements(({ db, tables: { clients } }) => {
  const given = placeholders(clients);
  return {
    byId: prepare(db.select().from(clients).where(eq(clients.id, given.id)), "client_by_id"),
  };
});

export async function findClient(handle: Handle, id: string): Promise<Client | undefined> {
  const [row] = await prepared(handle).byId.execute({ id });
  return row;
}
