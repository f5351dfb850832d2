-- The prevention plans of a parcel: the procedures of its commune, and plans whose map covers it, each with the
-- regulatory zones that the parcel lies in. The list is only empty where the procedures of all three kinds of plans are
-- loaded; maps alone do not prove that there is no other plan.
-- Indexes: enrich_risk_procedure_commune_idx and _id_idx, enrich_ppr_zone_geom_idx. A dozen procedures, some hundred
-- parts of zones for a large parcel. At most 30 plans of 20 zones. One row.
WITH here AS MATERIALIZED (
    SELECT p.shape, w.whole, w.metres
    -- OFFSET 0: the parcel is measured once, not for each part of it.
    FROM (SELECT ST_Area(@shape::geometry) AS whole, ST_Area(@shape::geometry::geography) AS metres OFFSET 0) w,
        ST_Subdivide(@shape::geometry, 128) p(shape)
), hits AS MATERIALIZED (
    SELECT t.attrs, sum(geo.overlap(h.shape, t.geom)) AS covered, h.whole, h.metres
    FROM here h JOIN geo.enrich_ppr_zone t ON t.geom && h.shape AND ST_Intersects(t.geom, h.shape)
    GROUP BY t.part, t.attrs, h.whole, h.metres
), kept AS MATERIALIZED (
    SELECT attrs, max(covered) AS covered, whole FROM hits
    WHERE covered >= 0.005 * whole OR covered * metres >= whole GROUP BY attrs, whole
), zones AS (
    SELECT plan, json_agg(json_build_object('code', attrs->>'code', 'label', attrs->>'label', 'rule', attrs->>'rule',
            'sharePct', geo.share(covered, whole)) ORDER BY nth) AS list
    FROM (SELECT attrs->>'plan' AS plan, attrs, covered, whole,
            row_number() OVER (PARTITION BY attrs->>'plan' ORDER BY covered DESC, attrs) AS nth
        FROM kept WHERE attrs->>'form' = 'zone') z
    WHERE nth <= 20
    GROUP BY plan
), said AS (
    SELECT 1 AS rank, attrs FROM geo.enrich_risk_procedure WHERE commune IN (@commune, @arrondissement)
    UNION ALL
    -- A zone without a procedure only gives the existence and the kind of its plan.
    SELECT CASE attrs->>'form' WHEN 'document' THEN 2 WHEN 'perimeter' THEN 4 ELSE 5 END, attrs FROM kept
    UNION ALL
    SELECT 3, attrs FROM geo.enrich_risk_procedure WHERE id = ANY (ARRAY(SELECT DISTINCT attrs->>'plan' FROM kept))
), plans AS (
    SELECT attrs->>'plan' AS plan,
        (array_agg(attrs->>'kind' ORDER BY rank, attrs) FILTER (WHERE attrs ? 'kind'))[1] AS kind,
        (array_agg(attrs->>'name' ORDER BY rank, attrs) FILTER (WHERE attrs ? 'name'))[1] AS name,
        (array_agg(attrs->>'risk' ORDER BY rank, attrs) FILTER (WHERE attrs ? 'risk'))[1] AS risk,
        (array_agg(attrs->'risks' ORDER BY rank, attrs) FILTER (WHERE attrs ? 'risks'))[1] AS risks,
        (array_agg(attrs->>'state' ORDER BY rank, attrs) FILTER (WHERE attrs ? 'state'))[1] AS state,
        (array_agg(attrs->>'step' ORDER BY rank, attrs) FILTER (WHERE attrs ? 'state'))[1] AS step,
        (array_agg(attrs->>'approvedOn' ORDER BY rank, attrs) FILTER (WHERE attrs ? 'approvedOn'))[1] AS approved
    FROM said
    GROUP BY 1
), ordered AS (
    SELECT p.*, row_number() OVER (ORDER BY CASE state WHEN 'opposable' THEN 1 WHEN 'prescrit' THEN 2 WHEN 'caduque' THEN 4 ELSE 3 END,
        approved DESC NULLS LAST, plan) AS nth
    FROM plans p
)
SELECT CASE WHEN count(*) > 0 OR @covered::text[] @> ARRAY['risk_procedure', 'risk_procedure PPRT', 'risk_procedure PPRM'] THEN
    coalesce(json_agg(json_build_object('id', o.plan, 'kind', o.kind, 'name', o.name, 'risk', o.risk, 'risks', coalesce(o.risks, '[]'),
        'state', o.state, 'step', o.step, 'approvedOn', o.approved, 'zones', coalesce(z.list, '[]')) ORDER BY o.nth), '[]') END
FROM ordered o LEFT JOIN zones z USING (plan)
WHERE o.nth <= 30
