-- The first source of which another edition is served than that of account.announced_load, all of its changed loads
-- older than $1, with what is said of it; it marks these loads. Relies on the primary key of account.announced_load
-- and on load_active: a row a source and place that is served, some thousands, of which few changed.
WITH changed AS (
    SELECT l.source, l.scope, l.id, l.checksum, l.title, l.producer, l.vintage, l.loaded_at
    FROM geo.load l LEFT JOIN account.announced_load a USING (source, scope)
    WHERE l.active AND l.checksum IS DISTINCT FROM a.checksum
), due AS (
    SELECT source FROM changed GROUP BY source HAVING max(loaded_at) <= $1 ORDER BY source LIMIT 1
), marked AS (
    INSERT INTO account.announced_load AS m (source, scope, checksum)
    SELECT c.source, c.scope, c.checksum FROM changed c JOIN due USING (source)
    ON CONFLICT (source, scope) DO UPDATE SET checksum = EXCLUDED.checksum
)
SELECT c.source, (array_agg(c.title ORDER BY c.id DESC))[1], (array_agg(c.producer ORDER BY c.id DESC))[1], max(c.vintage),
    coalesce(array_agg(c.scope ORDER BY c.scope) FILTER (WHERE c.scope <> ''), '{}')
FROM changed c JOIN due USING (source) GROUP BY c.source
