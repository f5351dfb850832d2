# make run    install what is missing, build, serve on PORT (default 8080) in development mode
# make test   every test; CI runs it, and then:
# make test-mcp  the public judges of the protocol of assistants, against a running service (a minute)
# make build  bin/arpent
# make css    web/static/app.css and htmx from their sources
# make lint   vet, staticcheck, known vulnerabilities, generated files up to date
# make bench  benchmarks, the server side by side with bare handlers, parcel reads as their number grows, reports on the
#             largest of these numbers (SIZES=…)
# make soak   the long tests of limits, counts and memory (minutes)
# make fuzz   every fuzz target, FUZZTIME each (60s)

SHELL := /bin/bash
.DEFAULT_GOAL := build
.PHONY: run test test-mcp build css lint bench soak fuzz

export ARPENT_DATA := $(if $(ARPENT_DATA),$(abspath $(ARPENT_DATA)))
ifeq ($(ARPENT_DATA),)
unexport ARPENT_DATA
endif

run: export ARPENT_MODE ?= development
run:
	@.ci/install-system run
	@$(MAKE) -s --no-print-directory node_modules/.package-lock.json build
	@exec bin/arpent serve

test:
	@.ci/install-system test
	@$(MAKE) -s --no-print-directory node_modules/.package-lock.json
	go vet ./...
	go test -race -timeout 20m ./...
	go test -timeout 20m -run 'Real|Memory' ./api/ingest ./api/stats ./app # too slow under the race detector

test-mcp:
	@.ci/install-system test
	@$(MAKE) -s --no-print-directory app/judges/node_modules/.package-lock.json
	go test -tags judges -run '^TestJudges' -count 1 -timeout 10m -v ./app

build:
	@mkdir -p bin
	go build -buildvcs=false -o bin/arpent ./app/cmd/arpent

# The npm packages are data and front-end files: the server itself runs without Node.
node_modules/.package-lock.json: package.json package-lock.json
	npm ci --no-audit --no-fund
	@touch $@

# The judges are nothing of the service: they have packages and a lock file of their own.
app/judges/node_modules/.package-lock.json: app/judges/package.json app/judges/package-lock.json
	cd app/judges && npm ci --no-audit --no-fund
	@touch $@

# What browsers get is committed, so that building the server needs no Node. Run it after naming a class or changing a
# style.
css: node_modules/.package-lock.json
	npx --no-install tailwindcss -i web/style/app.css -o web/static/app.css --minify
	@cp node_modules/htmx.org/dist/htmx.min.js web/static/htmx.min.js

lint:
	@.ci/lint

comma := ,
SIZES ?= 100000,1000000,10000000
bench:
	@.ci/install-system bench
	@$(MAKE) -s --no-print-directory node_modules/.package-lock.json
	go test -run '^$$' -bench . -benchmem ./...
	go run ./app/bench compare
	go run ./app/bench parcels -sizes $(SIZES)
	go run ./app/bench report -parcels $(lastword $(subst $(comma), ,$(SIZES)))

soak:
	@.ci/install-system test
	@$(MAKE) -s --no-print-directory node_modules/.package-lock.json
	go test -tags soak -run Soak -count 1 -timeout 60m -v ./...

FUZZTIME ?= 60s
fuzz: export FUZZTIME := $(FUZZTIME)
fuzz:
	@.ci/install-system test
	@$(MAKE) -s --no-print-directory node_modules/.package-lock.json
	@.ci/fuzz
