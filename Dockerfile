# The codes, names and populations of the communes come as an npm package: files alone, Node runs nothing in the image.
FROM node:24-bookworm-slim AS packages
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION
RUN CGO_ENABLED=0 go build -buildvcs=false -trimpath -ldflags="-s -X main.version=${VERSION}" -o /programs/ ./app/cmd/...

# GDAL reads the cadastre's GeoPackage, Shapefile and EDIGEO files; curl is for the health check.
FROM debian:bookworm-slim AS base
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates curl gdal-bin \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --home-dir /srv/arpent --create-home arpent \
    && install -d -o arpent -g arpent /data /var/lib/arpent
WORKDIR /srv/arpent
ENV ARPENT_DATA=/data ARPENT_STATE_DIR=/var/lib/arpent PORT=8080

# What development needs and no server does: docker compose prepares its database with it.
FROM base AS development
COPY --from=packages /src/node_modules/@etalab/decoupage-administratif ./node_modules/@etalab/decoupage-administratif
COPY --from=build /programs/arpent-dev /usr/local/bin/arpent-dev
USER arpent
ENTRYPOINT ["arpent-dev"]
CMD ["prepare"]

FROM base
COPY --from=packages /src/node_modules/@etalab/decoupage-administratif ./node_modules/@etalab/decoupage-administratif
COPY --from=build /programs/arpent /usr/local/bin/arpent
USER arpent
EXPOSE 8080
# The first start in development mode loads data before it listens.
HEALTHCHECK --interval=10s --timeout=3s --start-period=15m \
    CMD curl --fail --silent --output /dev/null "http://127.0.0.1:${PORT}/readyz"
ENTRYPOINT ["arpent"]
CMD ["serve"]
