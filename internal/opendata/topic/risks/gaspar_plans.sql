-- The plans of one kind, {kind}, one row a plan and commune of today. GASPAR has a row for each risk of a plan, which it gives at
-- three depths (natural, flood, flood by runoff), and for each commune that was merged: the row under the code of today is taken.
-- Reads "stage" once, some 100 000 rows.
WITH placed AS (
    SELECT s.*, upper(s.plan) AS reference, t.today, s.code = t.today AS own
    FROM stage s JOIN (
        SELECT code, geo.commune_today(code) AS today FROM (SELECT DISTINCT code FROM stage) c OFFSET 0
    ) t USING (code)
), risk AS (
    SELECT p.reference, p.today, v.code, v.label
    FROM placed p CROSS JOIN LATERAL (VALUES
        (CASE WHEN p.risk2 IS NULL THEN p.code1 END, CASE WHEN p.risk2 IS NULL THEN p.risk1 END),
        (p.code2, p.risk2), (p.code3, p.risk3)) AS v (code, label)
    WHERE v.label IS NOT NULL
    GROUP BY 1, 2, 3, 4
), risks AS (
    SELECT reference, today, jsonb_agg(jsonb_build_object('code', code, 'label', label) ORDER BY length(code), code, label) AS list
    FROM risk GROUP BY 1, 2
), plan AS (
    SELECT DISTINCT ON (reference, today) *, CASE WHEN approved LIKE '__/__/____%'
        THEN substr(approved, 7, 4) || '-' || substr(approved, 4, 2) || '-' || left(approved, 2)
        ELSE replace(left(approved, 10), '/', '-') END AS day
    FROM placed ORDER BY reference, today, own DESC, _file, _line
)
SELECT p.reference || ' ' || p.today AS id, p.today AS commune, jsonb_strip_nulls(jsonb_build_object(
    'plan', p.reference, 'kind', '{kind}', 'name', p.name, 'risk', coalesce(p.risk2, p.risk1), 'risks', r.list,
    'state', lower(p.state), 'step', lower(p.step), 'approvedOn', p.day)) AS attrs
FROM plan p LEFT JOIN risks r ON r.reference = p.reference AND r.today = p.today
