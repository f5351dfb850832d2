-- The prevention plans of a parcel: the procedures of its commune, and plans whose map covers it, each with the zones of
-- its rules that the parcel lies in. An empty list only where the procedures of all three kinds of plans are loaded;
-- maps alone do not tell that there is no other plan.
-- Indexes: enrich_risk_procedure_commune and _id, enrich_ppr_zone_geom. A dozen procedures, some hundred pieces of zones
-- for a large parcel. At most 30 plans of 20 zones. One row.
WITH here AS MATERIALIZED (
    SELECT p.shape, ST_Area(p.shape::geography) AS m2 FROM (SELECT @shape::geometry AS shape) p
), hits AS MATERIALIZED (
    SELECT t.part, t.attrs, h.m2 AS whole,
        sum(ST_Area(ST_CollectionExtract(ST_Intersection(t.geom, h.shape), 3)::geography)) AS m2
    FROM here h JOIN geo.enrich_ppr_zone t ON t.geom && h.shape AND ST_Intersects(t.geom, h.shape)
    GROUP BY t.part, t.attrs, h.m2
), kept AS MATERIALIZED (
    SELECT attrs, whole, max(m2) AS m2 FROM hits WHERE m2 >= 1 OR m2 >= 0.005 * whole GROUP BY attrs, whole
), zones AS (
    SELECT plan, json_agg(json_build_object('code', attrs->>'code', 'label', attrs->>'label', 'rule', attrs->>'rule',
            'sharePct', geo.share(m2, whole)) ORDER BY nth) AS list
    FROM (SELECT attrs->>'plan' AS plan, attrs, m2, whole,
            row_number() OVER (PARTITION BY attrs->>'plan' ORDER BY m2 DESC, attrs->>'code', attrs->>'label', attrs->>'rule') AS nth
        FROM kept WHERE attrs->>'form' = 'zone') z
    WHERE nth <= 20
    GROUP BY plan
), said AS (
    SELECT 1 AS rank, attrs FROM geo.enrich_risk_procedure WHERE commune IN (@commune, @arrondissement)
    UNION ALL
    -- A zone tells of its plan only that there is one, and its kind.
    SELECT CASE attrs->>'form' WHEN 'document' THEN 2 WHEN 'perimeter' THEN 4 ELSE 5 END, attrs FROM kept
    UNION ALL
    SELECT 3, attrs FROM geo.enrich_risk_procedure WHERE id = ANY (ARRAY(SELECT DISTINCT attrs->>'plan' FROM kept))
), plans AS (
    SELECT attrs->>'plan' AS plan,
        (array_agg(attrs->>'kind' ORDER BY rank) FILTER (WHERE attrs ? 'kind'))[1] AS kind,
        (array_agg(attrs->>'name' ORDER BY rank, attrs->>'name') FILTER (WHERE attrs ? 'name'))[1] AS name,
        (array_agg(attrs->>'risk' ORDER BY rank, attrs->>'risk') FILTER (WHERE attrs ? 'risk'))[1] AS risk,
        (array_agg(attrs->'risks' ORDER BY rank) FILTER (WHERE attrs ? 'risks'))[1] AS risks,
        (array_agg(attrs->>'state' ORDER BY rank, attrs->>'state') FILTER (WHERE attrs ? 'state'))[1] AS state,
        (array_agg(attrs->>'step' ORDER BY rank, attrs->>'state') FILTER (WHERE attrs ? 'state'))[1] AS step,
        (array_agg(attrs->>'approvedOn' ORDER BY rank, attrs->>'approvedOn') FILTER (WHERE attrs ? 'approvedOn'))[1] AS approved
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
