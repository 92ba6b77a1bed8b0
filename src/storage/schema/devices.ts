import type { ApplicationTables } from "./applications.ts";
import type { Kit } from "./kit.ts";
import { ofApplication } from "./owners.ts";

/**
 * Sign-ins that devices have requested (RFC 8628). An allowed row is kept for a day after it
 * expired, others for ten minutes.
 */
export function devicesTables(kit: Kit, { applications }: Pick<ApplicationTables, "applications">) {
  const { table, index, uniqueIndex, text, integer, instant, json } = kit;

  const appId = ofApplication(kit, applications);

  const deviceRequests = table(
    "device_requests",
    {
      /** Of the device code. */
      digest: text("digest").primaryKey(),
      /** Keyed: eight letters can be guessed from a plain digest. */
      userCodeDigest: text("user_code_digest").notNull(),
      /**
       * Of the first half of the user code. Wrong codes with the same half count against it
       * (`wrongTries`).
       */
      nearDigest: text("near_digest").notNull(),
      appId: appId(),
      clientId: text("client_id").notNull(),
      scopes: json("scopes").$type<string[]>().notNull(),
      resource: text("resource"),
      /** As in `sign_in_sessions`. */
      organizationId: text("organization_id"),
      ipAddress: text("ip_address").notNull(),
      userAgent: text("user_agent"),
      createdAt: instant("created_at").notNull(),
      expiresAt: instant("expires_at").notNull(),
      /** How long the device must wait between two polls. */
      intervalSeconds: integer("interval_seconds").notNull(),
      polledAt: instant("polled_at"),
      wrongTries: integer("wrong_tries").notNull(),
      /** At most one of them is set. */
      allowedAt: instant("allowed_at"),
      deniedAt: instant("denied_at"),
    },
    (t) => [
      uniqueIndex("device_requests_user_code_digest").on(t.userCodeDigest),
      index("device_requests_near_digest").on(t.nearDigest),
      index("device_requests_expires_at").on(t.expiresAt),
      index("device_requests_app_id").on(t.appId),
    ],
  );

  return { deviceRequests };
}
