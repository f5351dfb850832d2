FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY . .
ARG VERSION
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    CGO_ENABLED=0 go build -buildvcs=false -trimpath -ldflags="-s -X main.version=${VERSION}" -o /programs/ ./app/cmd/arpent

# GDAL reads Shapefiles, GeoPackages and grids; curl is for the health check, and PostgreSQL's client
# for arpent backup and restore: that of Debian 12 is of the version of the database in docker-compose.yml.
FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates curl gdal-bin postgresql-client \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --home-dir /srv/arpent --create-home arpent \
    && install -d -o arpent -g arpent /data /var/lib/arpent
WORKDIR /srv/arpent
ENV ARPENT_DATA=/data ARPENT_STATE_DIR=/var/lib/arpent PORT=8080

# The starter data: ARPENT_DATA and what is fetched replace it.
COPY data ./data
COPY LICENSE ./
COPY --from=build /programs/arpent /usr/local/bin/arpent
USER arpent
EXPOSE 8080
# The first start in development mode loads data before it listens.
HEALTHCHECK --interval=10s --timeout=3s --start-period=15m \
    CMD curl --fail --silent --output /dev/null "http://127.0.0.1:${PORT}/healthz"
ENTRYPOINT ["arpent"]
CMD ["serve"]
