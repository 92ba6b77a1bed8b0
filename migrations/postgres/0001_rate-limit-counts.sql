CREATE UNLOGGED TABLE "rate_limit_counts" (
	"digest" text PRIMARY KEY NOT NULL,
	"ends_at" bigint NOT NULL,
	"used" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "rate_limit_counts_ends_at" ON "rate_limit_counts" USING btree ("ends_at");