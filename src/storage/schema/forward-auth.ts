import type { ClientTables } from "./clients.ts";
import type { Kit } from "./kit.ts";
import type { TokenTables } from "./tokens.ts";

/** What a reverse proxy asks about at every request (docs/spec/protecting.md, 1). */
export function forwardAuthTables(
  kit: Kit,
  { clients, logins }: Pick<ClientTables, "clients"> & Pick<TokenTables, "logins">,
) {
  const { table, index, text, instant } = kit;

  const clientId = () =>
    text("client_id")
      .notNull()
      .references(() => clients.id, { onDelete: "cascade" });

  /** The hosts of `clients.proxy`: each belongs to one client of the whole service. */
  const proxyHosts = table(
    "proxy_hosts",
    {
      /** In lower case, with its port unless that is 443. */
      host: text("host").primaryKey(),
      clientId: clientId(),
    },
    (t) => [index("proxy_hosts_client_id").on(t.clientId)],
  );

  /** The cookies of protected hosts. Those of one browser and client belong to one login. */
  const proxyLogins = table(
    "proxy_logins",
    {
      /** Of the cookie. */
      digest: text("digest").primaryKey(),
      loginId: text("login_id")
        .notNull()
        .references(() => logins.id, { onDelete: "cascade" }),
      clientId: clientId(),
      host: text("host").notNull(),
      createdAt: instant("created_at").notNull(),
      /** Accurate to a minute. */
      lastUsedAt: instant("last_used_at").notNull(),
      /** When it ends however often it is used. */
      expiresAt: instant("expires_at").notNull(),
    },
    (t) => [
      index("proxy_logins_login_id").on(t.loginId),
      index("proxy_logins_client_id").on(t.clientId),
      index("proxy_logins_expires_at").on(t.expiresAt),
    ],
  );

  return { proxyHosts, proxyLogins };
}
