-- Counts one in each of the buckets $1, of which $2 are the limits, where none of them has reached its limit in the
-- window that began after $4. Of a bucket that another request has filled in the meantime no row is returned: the
-- caller rolls back. The rows are locked in the order of the buckets, from the narrowest network to the widest.
-- Index: throttle_pkey. Four rows at most.
WITH asked AS MATERIALIZED (
    SELECT subject, ceiling, position FROM unnest($1::bytea[], $2::integer[]) WITH ORDINALITY AS b (subject, ceiling, position)
)
INSERT INTO account.throttle AS t (subject, failures, last_at)
SELECT subject, 1, $3::timestamptz FROM asked
WHERE NOT EXISTS (SELECT FROM account.throttle f JOIN asked b ON b.subject = f.subject WHERE f.last_at > $4 AND f.failures >= b.ceiling)
ORDER BY position
ON CONFLICT (subject) DO UPDATE SET
    failures = CASE WHEN t.last_at <= $4 THEN 1 ELSE t.failures + 1 END,
    last_at = CASE WHEN t.last_at <= $4 THEN $3 ELSE t.last_at END
WHERE t.last_at <= $4 OR t.failures < (SELECT b.ceiling FROM asked b WHERE b.subject = t.subject)
RETURNING t.subject, t.failures
