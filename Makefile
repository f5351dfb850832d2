# make run    install what is missing, build, serve on PORT (default 8080) in development mode; DEPARTEMENT=35 fetches and
#             loads that département
# make test   every test, the public judges of the protocol of assistants apart
# make test-mcp  these judges, against a running service (a minute)
# make build  bin/arpent, and bin/arpent-dev for development
# make css    web/static/app.css, htmx and MapLibre from their sources
# make lint   vet, staticcheck, generated files up to date, known vulnerabilities; CI runs all but the last
# make bench  benchmarks, the server side by side with bare handlers, parcel reads as their number grows, tiles of two
#             million, reports on the largest of these numbers (SIZES=…)
# make soak   the long tests of limits, counts and memory (minutes)
# make fuzz   every fuzz target, FUZZTIME each (60s)

SHELL := /bin/bash
.DEFAULT_GOAL := build
.PHONY: run test test-race test-arithmetic test-national test-mcp build css lint lint-code bench soak fuzz

export ARPENT_DATA := $(if $(ARPENT_DATA),$(abspath $(ARPENT_DATA)))
ifeq ($(ARPENT_DATA),)
unexport ARPENT_DATA
endif

run: export ARPENT_MODE ?= development
run:
	@.ci/install-system run
	@$(MAKE) -s --no-print-directory node_modules/.package-lock.json build
	@bin/arpent-dev prepare $(if $(DEPARTEMENT),--departement $(DEPARTEMENT))
	@exec bin/arpent serve

# ARITHMETIC are the packages that read files and compute, where the race detector finds nothing and takes five to ten times as
# long; those that take longest come first. SHARED are their tests in which goroutines share memory: they run with it too. app/tests/checks holds the lists.
ARITHMETIC := api/stats/tests api/report/tests api/ingest api/ingest/format api/geocode app/dev/demo api/report/tests/served api/geom api/ingest/convert \
	api/ingest/format/spreadsheet api/stats api/topic app/tests/checks
SHARED := TestOneEditionInAReport TestDatabaseRestart TestLateReport TestCancelled TestReportsShareConnections TestNewLayer \
	TestStoreSwapsWhole TestStoreSurvivesFailedBuild TestLoadsOfOneSourceTakeTurns TestSnapshotFollowsLoads TestAnInterruptedReportGoesOn
# Many tests wait for servers, browsers and answers that are held back: more of them are under way than there are processors.
WAITING := 4
space := $(subst ,, )
SHARED_TESTS := ($(subst $(space),|,$(strip $(SHARED))))
SHARED_IN := $(sort $(dir $(addprefix ./,$(shell grep -lE 'func $(SHARED_TESTS).t ' $(addsuffix /*_test.go,$(ARITHMETIC))))))
# go vet looks at every package, before or with LINT=1 beside the tests: go test need not do it again. Nor does anybody debug these
# programs: without the tables for that a third of the time of linking is saved, sixty times.
GO_TEST := go test -vet=off -ldflags=-w -timeout 20m

# Most of the tests under the race detector wait: what is judged without it, and with LINT=1 the linters of the code, have the
# processors meanwhile.
test:
	@.ci/install-system test
	@$(MAKE) -s --no-print-directory node_modules/.package-lock.json
	$(if $(LINT),,go vet ./...)
	@$(MAKE) -s --no-print-directory -j $(if $(LINT),3,2) -O test-race test-national test-arithmetic $(if $(LINT),lint-code)

# The tests of the whole service come first: they take longest, and mostly wait. There are many of them at a time: without nice those
# that only compute would have a fifteenth of a processor, and end long after all others.
test-race:
	nice -n 5 $(GO_TEST) -race -p 3 -parallel $(WAITING) -skip '^$(LOOKED_AT)$$' $(addprefix ./app/tests/,operation contract portal attack) ./app \
		$(filter-out arpent/app arpent/app/tests/% $(addprefix arpent/,$(ARITHMETIC)),$(shell go list ./...))

test-arithmetic:
	$(GO_TEST) $(addprefix ./,$(ARITHMETIC))
	$(GO_TEST) -race -run '^$(SHARED_TESTS)$$' $(SHARED_IN)

# LOOKED_AT are tests in which a browser judges how every page looks: the requests behind them are made by other tests too.
LOOKED_AT := Test(EveryPageIsAccessible|PagesDoNotShift)

# What takes too long under the race detector: every page in a browser, the national files, and with JUDGES=1 the judges beside them.
test-national: $(if $(JUDGES),app/dev/judges/node_modules/.package-lock.json)
	$(if $(JUDGES),ARPENT_JUDGES=1) $(GO_TEST) -parallel $(WAITING) -run '^(Test(RealData|Judges)|$(LOOKED_AT))$$' ./app/tests/contract ./app/tests/portal

test-mcp:
	@.ci/install-system test
	@$(MAKE) -s --no-print-directory app/dev/judges/node_modules/.package-lock.json
	ARPENT_JUDGES=1 go test -run '^TestJudges' -count 1 -timeout 10m -v ./app/tests/contract

# Asked of git here: the toolchain's own stamp fails the build where git mistrusts the owner of the folder, or is missing.
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)
build:
	@mkdir -p bin
	go build -buildvcs=false -ldflags "-X main.version=$(VERSION)" -o bin/ ./app/cmd/...

# The npm packages are data and front-end files: the server itself runs without Node.
node_modules/.package-lock.json: package.json package-lock.json
	npm ci --no-audit --no-fund
	@touch $@

# The judges are nothing of the service: they have packages and a lock file of their own.
app/dev/judges/node_modules/.package-lock.json: app/dev/judges/package.json app/dev/judges/package-lock.json
	cd app/dev/judges && npm ci --no-audit --no-fund
	@touch $@

# What browsers get is committed, so that building the server needs no Node. Run it after naming a class or changing a
# style.
css: node_modules/.package-lock.json
	npx --no-install tailwindcss -i web/style/app.css -o web/static/app.css --minify
	@cp node_modules/htmx.org/dist/htmx.min.js web/static/htmx.min.js
	@cp node_modules/maplibre-gl/dist/maplibre-gl-csp.js node_modules/maplibre-gl/dist/maplibre-gl-csp-worker.js web/static/

lint:
	@.ci/lint

lint-code:
	@nice -n 5 .ci/lint code

comma := ,
SIZES ?= 100000,1000000,10000000
bench:
	@.ci/install-system bench
	@$(MAKE) -s --no-print-directory node_modules/.package-lock.json
	go test -run '^$$' -bench . -benchmem ./...
	@$(MAKE) -s --no-print-directory build
	bin/arpent-dev bench compare
	bin/arpent-dev bench parcels --sizes $(SIZES)
	bin/arpent-dev bench tiles --parcels 2000000
	bin/arpent-dev bench report --parcels $(lastword $(subst $(comma), ,$(SIZES)))

soak:
	@.ci/install-system test
	@$(MAKE) -s --no-print-directory node_modules/.package-lock.json
	go test -tags soak -run 'Soak|RandomLives|RandomHistories|RandomPoints|RealData' -count 1 -timeout 60m -v ./...

FUZZTIME ?= 60s
fuzz: export FUZZTIME := $(FUZZTIME)
fuzz:
	@.ci/install-system test
	@$(MAKE) -s --no-print-directory node_modules/.package-lock.json
	@.ci/fuzz
