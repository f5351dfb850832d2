-- The prevention plans of a parcel: the procedures of its commune, and plans whose map covers it, each once for every
-- regulatory zone that the parcel lies in, the largest share first.
-- Indexes: enrich_risk_procedure_commune_idx, enrich_ppr_zone_geom_idx. A dozen procedures, some hundred
-- parts of zones for a large parcel.
WITH here AS MATERIALIZED (
    SELECT shape, whole, metres FROM geo.subdivide(@shape::geometry)
), hits AS MATERIALIZED (
    SELECT t.attrs, sum(geo.overlap(h.shape, t.geom)) AS covered, h.whole, h.metres
    FROM here h JOIN geo.enrich_ppr_zone t ON t.geom && h.shape AND ST_Intersects(t.geom, h.shape)
    GROUP BY t.part, t.attrs, h.whole, h.metres
), kept AS MATERIALIZED (
    SELECT attrs, max(covered) AS covered, whole FROM hits
    WHERE NOT geo.is_sliver(covered, whole, metres) GROUP BY attrs, whole
), zones AS (
    SELECT attrs->>'plan' AS plan, attrs, geo.share(covered, whole) AS share,
        row_number() OVER (PARTITION BY attrs->>'plan' ORDER BY covered DESC, attrs) AS nth
    FROM kept WHERE attrs->>'form' = 'zone'
), known AS (
    SELECT 1 AS rank, attrs FROM geo.enrich_risk_procedure WHERE commune IN (@commune, @arrondissement)
    UNION ALL
    -- A zone without a procedure only gives the existence and the kind of its plan.
    SELECT CASE attrs->>'form' WHEN 'document' THEN 2 WHEN 'perimeter' THEN 3 ELSE 4 END, attrs FROM kept
), plans AS (
    SELECT attrs->>'plan' AS plan,
        (array_agg(attrs->>'kind' ORDER BY rank, attrs) FILTER (WHERE attrs ? 'kind'))[1] AS kind,
        (array_agg(attrs->>'name' ORDER BY rank, attrs) FILTER (WHERE attrs ? 'name'))[1] AS name,
        (array_agg(attrs->>'risk' ORDER BY rank, attrs) FILTER (WHERE attrs ? 'risk'))[1] AS risk,
        (array_agg(attrs->'risks' ORDER BY rank, attrs) FILTER (WHERE attrs ? 'risks'))[1] AS risks,
        (array_agg(attrs->>'state' ORDER BY rank, attrs) FILTER (WHERE attrs ? 'state'))[1] AS state,
        (array_agg(attrs->>'step' ORDER BY rank, attrs) FILTER (WHERE attrs ? 'state'))[1] AS step,
        (array_agg(attrs->>'approvedOn' ORDER BY rank, attrs) FILTER (WHERE attrs ? 'approvedOn'))[1] AS approved
    FROM known
    GROUP BY 1
), ordered AS (
    SELECT p.*, row_number() OVER (ORDER BY CASE state WHEN 'opposable' THEN 1 WHEN 'prescrit' THEN 2 WHEN 'caduque' THEN 4 ELSE 3 END,
        approved DESC NULLS LAST, plan) AS nth
    FROM plans p
)
SELECT o.plan AS id, o.kind, o.name, o.risk, coalesce(o.risks, '[]') AS risks, o.state, o.step, o.approved AS approved_on,
    z.attrs->>'code' AS zone_code, z.attrs->>'label' AS zone_label, z.attrs->>'rule' AS zone_rule, z.share AS zone_share_pct,
    (SELECT count(*) FROM plans) AS total
FROM ordered o LEFT JOIN zones z ON z.plan = o.plan AND z.nth <= @zones
WHERE o.nth <= @limit
ORDER BY o.nth, z.nth
