-- What the rows of the report are drawn with. All of it depends on nothing but its arguments, and is simple enough to
-- become part of the statement that calls it.

-- A number from 0 up to 1.
CREATE OR REPLACE FUNCTION pg_temp.roll(dice bigint, salt integer) RETURNS double precision LANGUAGE sql IMMUTABLE AS $$
    SELECT (hashint8extended(dice, salt) & 4503599627370495)::double precision / 4503599627370496
$$;
-- The dice for the i-th thing of a kind.
CREATE OR REPLACE FUNCTION pg_temp.dice(dice bigint, kind integer, i integer) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT hashint8extended(dice # i, kind)
$$;
-- How many things there are where there are so many on average: from a half to one and a half times as many.
CREATE OR REPLACE FUNCTION pg_temp.some(dice bigint, kind integer, mean double precision) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
    SELECT floor(mean * (0.5 + pg_temp.roll(dice, kind)) + pg_temp.roll(dice, kind + 1000000))::integer
$$;
CREATE OR REPLACE FUNCTION pg_temp.pick(dice bigint, salt integer, words text[]) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT words[1 + floor(pg_temp.roll(dice, salt) * cardinality(words))::integer]
$$;
-- A number between two.
CREATE OR REPLACE FUNCTION pg_temp.between(dice bigint, salt integer, low double precision, high double precision)
RETURNS double precision LANGUAGE sql IMMUTABLE AS $$
    SELECT low + (high - low) * pg_temp.roll(dice, salt)
$$;
-- A day within so many years before the end of 2025.
CREATE OR REPLACE FUNCTION pg_temp.day(dice bigint, salt integer, years integer) RETURNS date LANGUAGE sql IMMUTABLE AS $$
    SELECT date '2025-12-31' - floor(pg_temp.roll(dice, salt) * 365 * years)::integer
$$;
CREATE OR REPLACE FUNCTION pg_temp.parcel_dice(idu text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT hashtextextended(idu, 1)
$$;
-- The point so many metres east and north of another.
CREATE OR REPLACE FUNCTION pg_temp.offset_point(lon double precision, lat double precision, east double precision, north double precision)
RETURNS geometry LANGUAGE sql IMMUTABLE AS $$
    SELECT ST_SetSRID(ST_MakePoint(lon + east / (111320 * cos(radians(lat))), lat + north / 111200), 4326)
$$;
-- How far from the middle of a commune things are: six of ten in the village.
CREATE OR REPLACE FUNCTION pg_temp.far(reach double precision, dice bigint) RETURNS double precision LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN pg_temp.roll(dice, 91) < 0.6 THEN least(950, reach) ELSE 1.3 * reach END * sqrt(pg_temp.roll(dice, 92))
$$;
-- A point in a commune.
CREATE OR REPLACE FUNCTION pg_temp.spot(lon double precision, lat double precision, reach double precision, dice bigint)
RETURNS geometry LANGUAGE sql IMMUTABLE AS $$
    SELECT pg_temp.offset_point(lon, lat, pg_temp.far(reach, dice) * cos(2 * pi() * pg_temp.roll(dice, 93)),
                          pg_temp.far(reach, dice) * sin(2 * pi() * pg_temp.roll(dice, 93)))
$$;
-- A shape turned, made so many metres long and wide in each direction, and put around a point.
CREATE OR REPLACE FUNCTION pg_temp.put(form geometry, at geometry, long double precision, wide double precision, turn double precision)
RETURNS geometry LANGUAGE sql IMMUTABLE AS $$
    SELECT ST_Affine(form,
        long * cos(turn) / (111320 * cos(radians(ST_Y(at)))), -wide * sin(turn) / (111320 * cos(radians(ST_Y(at)))),
        long * sin(turn) / 111200, wide * cos(turn) / 111200, ST_X(at), ST_Y(at))
$$;
-- The address of a parcel that has one, by the base of addresses.
CREATE OR REPLACE FUNCTION pg_temp.address(idu text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT left(idu, 5) || '_00' || substr(idu, 9, 2) || '_0' || right(idu, 4)
$$;

-- The identifier of the nth building of a parcel.
CREATE OR REPLACE FUNCTION pg_temp.building(idu text, n integer) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT 'B' || n || idu
$$;
-- Replaces the rows of tables by those that statements write. Indexes, constraints included, are dropped before and
-- made anew after them.
CREATE OR REPLACE FUNCTION pg_temp.replace_rows(tables text[], statements text) RETURNS void LANGUAGE plpgsql
SET work_mem = '128MB' SET maintenance_work_mem = '384MB' SET jit = off AS $$
DECLARE
    step text;
    dropped text[];
    made text[];
BEGIN
    EXECUTE 'TRUNCATE ' || array_to_string(tables, ', ');
    SELECT coalesce(array_agg(CASE WHEN c.oid IS NULL THEN format('DROP INDEX %s', i.indexrelid::regclass)
                ELSE format('ALTER TABLE %s DROP CONSTRAINT %I', i.indrelid::regclass, c.conname) END ORDER BY i.indexrelid), '{}'),
            coalesce(array_agg(CASE WHEN c.oid IS NULL THEN pg_get_indexdef(i.indexrelid)
                ELSE format('ALTER TABLE %s ADD CONSTRAINT %I %s', i.indrelid::regclass, c.conname, pg_get_constraintdef(c.oid))
                END ORDER BY i.indexrelid), '{}')
        INTO dropped, made
        FROM pg_index i LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid AND c.contype IN ('p', 'u', 'x')
        WHERE i.indrelid = ANY (tables::regclass[]);
    FOREACH step IN ARRAY dropped || statements || made LOOP
        EXECUTE step;
    END LOOP;
END $$;
