-- in batches
WITH batch AS (
  -- Of all logins: by a condition on a column that has no statistics yet, PostgreSQL would read the table to its end for each batch.
  SELECT id FROM logins WHERE id > $1 ORDER BY id LIMIT 2000
), told AS (
  UPDATE logins
    SET (user_email, user_email_verified, user_name, user_disabled_at) =
      (SELECT email, email_verified, name, disabled_at FROM users WHERE users.id = logins.user_id)
    FROM batch WHERE logins.id = batch.id AND ended_at IS NULL AND user_email_verified IS NULL
)
SELECT max(id) AS last FROM batch;
