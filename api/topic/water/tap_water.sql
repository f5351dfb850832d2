-- The tap water of the commune: of its networks the one with the most samples in the last twelve months of the data.
-- Indexes: enrich_tap_water_commune_idx (a network or a few), tap_sample_network_sampled_idx (tens of samples a
-- network; thousands in the largest cities), tap_sample_sampled_idx (its end), tap_result_sample_idx. One row.
WITH newest AS MATERIALIZED (
    SELECT t.attrs->>'network' AS network, t.attrs->>'name' AS name
    FROM (SELECT w.attrs, rank() OVER (ORDER BY w.part DESC) AS nth FROM geo.enrich_tap_water w
        WHERE w.commune IN (@commune, @arrondissement)) t
    WHERE t.nth = 1
), served AS MATERIALIZED (
    SELECT network, min(name) AS name FROM newest GROUP BY network
), until AS MATERIALIZED (
    SELECT max(sampled) AS day FROM geo.tap_sample
), counted AS MATERIALIZED (
    SELECT v.network, v.name, n.samples, n.bacteriological, n.chemical
    FROM served v CROSS JOIN until u
    CROSS JOIN LATERAL (
        SELECT count(*) AS samples, count(*) FILTER (WHERE d.bacteriological = 'N') AS bacteriological,
            count(*) FILTER (WHERE d.chemical = 'N') AS chemical
        FROM (SELECT DISTINCT s.id, s.bacteriological, s.chemical FROM geo.tap_sample s
            WHERE s.network = v.network AND s.sampled > u.day - interval '1 year') d) n
), chosen AS MATERIALIZED (
    SELECT * FROM counted ORDER BY samples DESC, network LIMIT 1
)
SELECT (SELECT json_build_object('network', c.name, 'networkCode', c.network, 'lastSample', latest.sampled,
    'bacteriologicalCompliance', bacteria.assessment, 'chemicalCompliance', chemistry.assessment,
    'nitratesMgL', nitrates.value, 'nitratesBelowMgL', nitrates.below, 'nitratesDate', nitrates.sampled,
    'leadUgL', lead.value, 'leadBelowUgL', lead.below, 'leadDate', lead.sampled,
    'conclusion', latest.conclusion, 'samplesLast12Months', c.samples,
    'nonCompliantLast12Months', json_build_object('bacteriological', c.bacteriological, 'chemical', c.chemical),
    'last12MonthsUntil', u.day,
    'otherNetworks', (SELECT coalesce(json_agg(json_build_object('network', o.name, 'networkCode', o.network,
        'samplesLast12Months', o.samples) ORDER BY o.samples DESC, o.network), '[]') FROM counted o WHERE o.network <> c.network))
FROM chosen c CROSS JOIN until u
LEFT JOIN LATERAL (SELECT s.sampled, s.conclusion FROM geo.tap_sample s
    WHERE s.network = c.network ORDER BY s.sampled DESC, s.hour DESC NULLS LAST, s.id DESC LIMIT 1) latest ON true
LEFT JOIN LATERAL (SELECT s.bacteriological AS assessment FROM geo.tap_sample s
    WHERE s.network = c.network AND s.bacteriological IS NOT NULL ORDER BY s.sampled DESC, s.hour DESC NULLS LAST, s.id DESC LIMIT 1) bacteria ON true
LEFT JOIN LATERAL (SELECT s.chemical AS assessment FROM geo.tap_sample s
    WHERE s.network = c.network AND s.chemical IS NOT NULL ORDER BY s.sampled DESC, s.hour DESC NULLS LAST, s.id DESC LIMIT 1) chemistry ON true
LEFT JOIN LATERAL (SELECT r.value, r.below, s.sampled FROM geo.tap_sample s JOIN geo.tap_result r ON r.sample = s.id AND r.parameter = 'nitrates'
    WHERE s.network = c.network ORDER BY s.sampled DESC, s.hour DESC NULLS LAST, s.id DESC LIMIT 1) nitrates ON true
LEFT JOIN LATERAL (SELECT r.value, r.below, s.sampled FROM geo.tap_sample s JOIN geo.tap_result r ON r.sample = s.id AND r.parameter = 'lead'
    WHERE s.network = c.network ORDER BY s.sampled DESC, s.hour DESC NULLS LAST, s.id DESC LIMIT 1) lead ON true)
