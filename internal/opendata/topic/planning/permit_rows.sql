-- The permits of a file, one row each, from the rows of the stage. The number begins with the département in three
-- characters and the commune in three: 075104 is the arrondissement 75104, where the file says Paris. A commune that was
-- merged since is a prefix of parcels today: those of 93059 are 93066059…. One that had taken in others before has
-- several prefixes.
WITH place AS MATERIALIZED (
    SELECT c.code, c.head, coalesce(k.code, c.today) AS area,
        CASE WHEN k.code IS NULL AND c.today <> c.code AND NOT EXISTS (
            SELECT FROM geo.commune_movement m WHERE m.code_after = c.code AND m.code_before <> c.code
                AND m.kind IN (31, 32, 33)) THEN right(c.code, 3) ELSE '' END AS prefix
    FROM (SELECT DISTINCT code, substr(number, 2, 5) AS head, geo.commune_today(code) AS today FROM stage OFFSET 0) c
    LEFT JOIN geo.commune k ON k.code = c.head AND k.commune_code = c.code AND k.type = 'arrondissement-municipal'
)
SELECT DISTINCT ON (%[1]s, s.number) %[1]s || s.number AS id, %[1]s AS type, s.number, s.code, p.area, p.prefix,
    s.state::integer AS state, s.date, %[2]s::integer AS dwellings, %[3]s::double precision AS dwelling_area,
    %[4]s::double precision AS premises_area,
    -- Categories 3 to 9 are legal persons; 1 is sole traders, and 2 groups of persons such as joint owners. A SIREN
    -- number says who a person is, as the name does: it goes with the name.
    CASE WHEN s.category ~ '^[3-9]' THEN s.applicant END AS applicant,
    CASE WHEN s.category ~ '^[3-9]' AND s.applicant IS NOT NULL AND s.siren ~ '^[0-9]{9}$' THEN s.siren END AS siren,
    ARRAY(SELECT DISTINCT lpad(upper(c.section), 2, '0') || lpad(c.plan, 4, '0')
        FROM (VALUES %[5]s) AS c(section, plan)
        WHERE c.section ~ '^[0-9A-Za-z]{1,2}$' AND c.plan ~ '^[0-9]{1,4}$' AND c.plan ~ '[1-9]' ORDER BY 1) AS refs
FROM stage s JOIN place p ON p.code = s.code AND p.head = substr(s.number, 2, 5)
ORDER BY %[1]s, s.number, s.edition DESC NULLS LAST, s._file, s._line
