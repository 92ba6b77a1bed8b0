-- in batches
WITH batch AS (SELECT id, app_id, created_at FROM users WHERE id > $1 ORDER BY id LIMIT 5000 FOR KEY SHARE),
  made AS (
    INSERT INTO user_search (user_id, app_id, created_at, fold) SELECT id, app_id, created_at, 0 FROM batch
      ON CONFLICT (user_id) DO NOTHING
  )
SELECT max(id) AS last FROM batch;
