import type { DeliveryAttempt, DeliveryStatus, DisabledReason, EventKind } from "../column-types.ts";
import type { Kit } from "./kit.ts";
import type { ApplicationTables } from "./applications.ts";
import type { ClientTables } from "./clients.ts";

/**
 * Webhook endpoints and their outbox, which is written in the transaction that causes the event.
 */
export function webhookTables(
  kit: Kit,
  { applications, clients }: Pick<ApplicationTables, "applications"> & Pick<ClientTables, "clients">,
) {
  const { table, index, primaryKey, text, integer, instant, flag, json } = kit;

  const webhookEndpoints = table(
    "webhook_endpoints",
    {
      id: text("id").primaryKey(),
      appId: text("app_id")
        .notNull()
        .references(() => applications.id, { onDelete: "cascade" }),
      /**
       * Set for the back-channel logout of a client: then `url` receives logout tokens of its
       * logins, and no events.
       */
      clientId: text("client_id").references(() => clients.id, { onDelete: "cascade" }),
      url: text("url").notNull(),
      events: json("events").$type<EventKind[]>().notNull(),
      encryptedSecret: text("encrypted_secret").notNull(),
      /** The previous secret, which also signs until then. */
      encryptedOldSecret: text("encrypted_old_secret"),
      oldSecretUntil: instant("old_secret_until"),
      enabled: flag("enabled").notNull(),
      disabledReason: text("disabled_reason").$type<DisabledReason>(),
      /** The first failure since the last success. */
      failingSince: instant("failing_since"),
      createdAt: instant("created_at").notNull(),
      updatedAt: instant("updated_at").notNull(),
    },
    (t) => [index("webhook_endpoints_app_id").on(t.appId), index("webhook_endpoints_client_id").on(t.clientId)],
  );

  /**
   * One event for one endpoint. Receivers see `eventId` as `webhook-id`. No reference to the user,
   * because a deletion is an event too.
   */
  const webhookDeliveries = table(
    "webhook_deliveries",
    {
      endpointId: text("endpoint_id")
        .notNull()
        .references(() => webhookEndpoints.id, { onDelete: "cascade" }),
      eventId: text("event_id").notNull(),
      kind: text("kind").$type<EventKind>().notNull(),
      occurredAt: instant("occurred_at").notNull(),
      userId: text("user_id"),
      email: text("email"),
      authMethod: text("auth_method"),
      ipAddress: text("ip_address"),
      userAgent: text("user_agent"),
      sessionId: text("session_id"),
      /** Of `organization.…` events only. */
      organizationId: text("organization_id"),
      roles: json("roles").$type<string[]>(),
      status: text("status").$type<DeliveryStatus>().notNull(),
      /** In the current round: a redelivery starts at 0. */
      attempts: integer("attempts").notNull(),
      history: json("history").$type<DeliveryAttempt[]>().notNull(),
      /** Null when no further attempt is planned. */
      nextAttemptAt: instant("next_attempt_at"),
      /** Claimed by one process until then. */
      leaseUntil: instant("lease_until"),
    },
    (t) => [
      primaryKey({ columns: [t.endpointId, t.eventId] }),
      index("webhook_deliveries_due").on(t.endpointId, t.nextAttemptAt),
      index("webhook_deliveries_occurred_at").on(t.occurredAt),
      index("webhook_deliveries_user_id").on(t.userId, t.occurredAt),
    ],
  );

  return { webhookEndpoints, webhookDeliveries };
}
