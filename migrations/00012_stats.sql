-- +goose Up
-- What statistics of communes, départements and régions are made from. Codes of communes are those of today.

-- One figure: a measure of a territory in a period. The measures and their units are those of api/source.
CREATE TABLE geo.stat_value (
    part    text NOT NULL,               -- source and scope it was loaded from
    level   text NOT NULL,               -- commune, arrondissement, departement, region, nation, zone
    code    text NOT NULL,
    measure text NOT NULL,
    period  text NOT NULL,               -- 2021, 2013-2018, 2025-T4
    value   double precision,
    status  text NOT NULL,               -- ok, or why there is no value: secret, unavailable, merged, split, partial
    PRIMARY KEY (part, level, code, measure, period),
    CHECK ((value IS NOT NULL) = (status = 'ok'))
);

-- What is told of a territory beside figures: kind says what, attrs holds it.
CREATE TABLE geo.stat_fact (
    part   text NOT NULL,
    level  text NOT NULL,
    code   text NOT NULL,
    kind   text NOT NULL,
    period text NOT NULL,
    attrs  jsonb NOT NULL,
    PRIMARY KEY (part, level, code, kind, period)
);

-- +goose StatementBegin
-- How the communes of a day became those of today: for each commune of today whose territory changed since, whether it
-- took others in (merged) or gave territory away (split), and of how many communes of that day it is made.
CREATE FUNCTION geo.commune_changes(since date) RETURNS TABLE (code text, merged boolean, split boolean, pieces bigint)
LANGUAGE sql STABLE AS $$
    WITH moved AS (
        SELECT m.kind, m.code_before, m.code_after, geo.commune_today(m.code_after) AS today, m.type_before, m.type_after
        FROM geo.commune_movement m
        WHERE m.day > since AND m.kind IN (20, 21, 30, 31, 32, 33) AND m.type_after = 'COM' AND m.type_before = 'COM')
    SELECT m.today, bool_or(m.kind >= 30 AND m.code_before <> m.code_after),
        bool_or(m.kind IN (20, 21)),
        count(DISTINCT m.code_before) FILTER (WHERE m.kind >= 31)
    FROM moved m WHERE m.today IS NOT NULL GROUP BY m.today
$$;
-- +goose StatementEnd

-- Which commune a place lies in, for the places that statistics name.
CREATE INDEX commune_contour_geom ON geo.commune_contour USING gist (geom);

-- +goose Down
DROP INDEX geo.commune_contour_geom;
DROP FUNCTION geo.commune_changes;
DROP TABLE geo.stat_fact, geo.stat_value;
