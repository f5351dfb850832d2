-- The networks of tap water of the commune, the one with the most samples in the last twelve months of the data first:
-- it alone has its results.
-- Indexes: enrich_tap_water_commune_idx (a network or a few), tap_sample_network_sampled_idx (tens of samples a
-- network; thousands in the largest cities), tap_sample_sampled_idx (its end), tap_result_sample_idx.
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
), listed AS (
    SELECT network, name, samples, bacteriological, chemical, row_number() OVER (ORDER BY samples DESC, network) AS nth FROM counted
)
SELECT c.name AS network, c.network AS network_code, latest.sampled::text AS last_sample,
    bacteria.assessment AS bacteriological_compliance, chemistry.assessment AS chemical_compliance,
    nitrates.value AS nitrates_mg_l, nitrates.below AS nitrates_below_mg_l, nitrates.sampled::text AS nitrates_date,
    lead.value AS lead_ug_l, lead.below AS lead_below_ug_l, lead.sampled::text AS lead_date, latest.conclusion,
    c.samples AS samples_last12_months, c.bacteriological, c.chemical, u.day::text AS last12_months_until
FROM listed c CROSS JOIN until u
LEFT JOIN LATERAL (SELECT s.sampled, s.conclusion FROM geo.tap_sample s
    WHERE c.nth = 1 AND s.network = c.network ORDER BY s.sampled DESC, s.hour DESC NULLS LAST, s.id DESC LIMIT 1) latest ON true
LEFT JOIN LATERAL (SELECT s.bacteriological AS assessment FROM geo.tap_sample s
    WHERE c.nth = 1 AND s.network = c.network AND s.bacteriological IS NOT NULL ORDER BY s.sampled DESC, s.hour DESC NULLS LAST, s.id DESC LIMIT 1) bacteria ON true
LEFT JOIN LATERAL (SELECT s.chemical AS assessment FROM geo.tap_sample s
    WHERE c.nth = 1 AND s.network = c.network AND s.chemical IS NOT NULL ORDER BY s.sampled DESC, s.hour DESC NULLS LAST, s.id DESC LIMIT 1) chemistry ON true
LEFT JOIN LATERAL (SELECT r.value, r.below, s.sampled FROM geo.tap_sample s JOIN geo.tap_result r ON r.sample = s.id AND r.parameter = 'nitrates'
    WHERE c.nth = 1 AND s.network = c.network ORDER BY s.sampled DESC, s.hour DESC NULLS LAST, s.id DESC LIMIT 1) nitrates ON true
LEFT JOIN LATERAL (SELECT r.value, r.below, s.sampled FROM geo.tap_sample s JOIN geo.tap_result r ON r.sample = s.id AND r.parameter = 'lead'
    WHERE c.nth = 1 AND s.network = c.network ORDER BY s.sampled DESC, s.hour DESC NULLS LAST, s.id DESC LIMIT 1) lead ON true
ORDER BY c.nth
