#!/bin/sh
# Makes the roles of the database, and the user that the server connects as: it may serve and read, and owns nothing. The image of
# PostgreSQL runs this at the first start of an empty volume, as the owner of the database; docs/operations/database.md says when else.
set -eu
psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" \
    --set=user="${SERVER_USER:-arpent_server}" <<'SQL'
\getenv password SERVER_PASSWORD
SELECT format('CREATE ROLE %I', name) FROM unnest(ARRAY['arpent_read', 'arpent_serve', 'arpent_load']) name WHERE to_regrole(name) IS NULL \gexec
CREATE USER :"user" PASSWORD :'password' IN ROLE arpent_serve, arpent_read;
SQL
