-- The samples of tap water of the twelve months up to the newest one, one row for each network of a sample, with the
-- published results. As in the report a sample in two yearly archives counts once.
-- Index: tap_sample_sampled_idx (its end), tap_result_sample_idx. Some 400 000 rows, once for each rendering.
WITH until AS MATERIALIZED (
    SELECT max(sampled) AS day FROM geo.tap_sample
), sample AS MATERIALIZED (
    SELECT DISTINCT ON (s.network, s.id) s.part, s.network, s.id, s.sampled, s.bacteriological, s.chemical
    FROM geo.tap_sample s CROSS JOIN until u
    WHERE s.sampled > u.day - interval '1 year'
    ORDER BY s.network, s.id, s.part DESC
), result AS (
    SELECT DISTINCT ON (r.sample, r.parameter) r.sample, r.parameter, r.value, r.below
    FROM geo.tap_result r
    WHERE EXISTS (SELECT FROM sample s WHERE s.id = r.sample)
    ORDER BY r.sample, r.parameter, r.part DESC
), published AS (
    SELECT sample AS id, max(value) FILTER (WHERE parameter = 'nitrates') AS nitrates, max(below) FILTER (WHERE parameter = 'nitrates') AS nitrates_below,
        max(value) FILTER (WHERE parameter = 'lead') AS lead, max(below) FILTER (WHERE parameter = 'lead') AS lead_below,
        max(value) FILTER (WHERE parameter = 'pesticides') AS pesticides, max(below) FILTER (WHERE parameter = 'pesticides') AS pesticides_below
    FROM result GROUP BY sample
)
SELECT s.part, s.network, s.id, s.sampled, coalesce(s.bacteriological, ''), coalesce(s.chemical, ''),
    t.nitrates, t.nitrates_below, t.lead, t.lead_below, t.pesticides, t.pesticides_below, (u.day - interval '1 year' + interval '1 day')::date, u.day
FROM sample s CROSS JOIN until u LEFT JOIN published t ON t.id = s.id
ORDER BY s.network, s.sampled, s.id
