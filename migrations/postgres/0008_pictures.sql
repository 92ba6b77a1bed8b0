CREATE TABLE "pictures" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text,
	"app_id" text,
	"client_id" text,
	"type" text NOT NULL,
	"digest" text NOT NULL,
	"ground" text,
	"bytes" "bytea" NOT NULL,
	"updated_at" bigint NOT NULL,
	"undo_until" bigint,
	"previous_address" text,
	"previous_type" text,
	"previous_bytes" "bytea"
);
--> statement-breakpoint
ALTER TABLE "pictures" ADD CONSTRAINT "pictures_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pictures" ADD CONSTRAINT "pictures_app_id_applications_id_fk" FOREIGN KEY ("app_id") REFERENCES "public"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pictures" ADD CONSTRAINT "pictures_client_id_clients_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."clients"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "pictures_user_id" ON "pictures" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "pictures_app_id" ON "pictures" USING btree ("app_id");--> statement-breakpoint
CREATE UNIQUE INDEX "pictures_client_id" ON "pictures" USING btree ("client_id");--> statement-breakpoint
CREATE INDEX "pictures_undo_until" ON "pictures" USING btree ("undo_until");