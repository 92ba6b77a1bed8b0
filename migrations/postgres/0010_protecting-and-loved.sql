CREATE TABLE "approval_notices" (
	"app_id" text PRIMARY KEY NOT NULL,
	"sent_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "refused_sign_ups" (
	"digest" text PRIMARY KEY NOT NULL,
	"app_id" text NOT NULL,
	"refused_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "pending_at" bigint;--> statement-breakpoint
ALTER TABLE "approval_notices" ADD CONSTRAINT "approval_notices_app_id_applications_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "refused_sign_ups" ADD CONSTRAINT "refused_sign_ups_app_id_applications_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "refused_sign_ups_refused_at" ON "refused_sign_ups" USING btree ("refused_at");--> statement-breakpoint
CREATE INDEX "refused_sign_ups_app_id" ON "refused_sign_ups" USING btree ("app_id");--> statement-breakpoint
CREATE INDEX "users_pending" ON "users" USING btree ("app_id","created_at","id") WHERE pending_at IS NOT NULL;