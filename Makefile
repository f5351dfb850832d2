# make run    install what is missing, build, serve the starter data of data/ on PORT (default 8080) in development mode;
#             DEPARTEMENT=35 fetches the parcels, addresses and sales of that département first
# make test   gofmt, go vet, staticcheck and every test except the public judges of MCP
# make test-mcp  the public judges of MCP, against a running service (some minutes); for a change of /mcp
# make build  bin/arpent, and bin/arpent-dev for development
# make generate  everything that is generated: templ code, style sheet, recorded answers, golden files, client libraries, answers in
#             the README, tables of docs/data.md
# make css    of that, web/static/app.css, htmx and MapLibre from their sources
# make style  how functions are named, how long functions and lines are, words that CONTRIBUTING.md asks to replace
# make lint   vet, staticcheck, generated files up to date, licences, known vulnerabilities, secrets; make test runs all but the
#             last two
# make sbom   bin/arpent.cdx.json, the parts of bin/arpent with their licences as CycloneDX JSON
# make alerts-check  the alert rules by promtool (Debian: prometheus)
# make compose-check   run the service by the compose file: from nothing to a report, restart, another image, down and up
# make reproducible  two builds in two folders give the same program
# make bench  the service side by side with bare handlers, on ARPENT_BENCH_PARCELS parcels (a million; some ten minutes), a line for each
#             comparison
# make bench-long  benchmarks, parcel reads as their number grows, reports on the largest of these numbers (SIZES=…)
# make soak   the long tests of limits, counts and memory (minutes)
# make fuzz   every fuzz target, FUZZTIME each (60s)

SHELL := /bin/bash
.DEFAULT_GOAL := build
.PHONY: run test test-race test-computed test-served test-mcp build css generate style lint lint-offline sbom alerts-check compose-check reproducible bench bench-long soak fuzz

export ARPENT_DATA := $(if $(ARPENT_DATA),$(abspath $(ARPENT_DATA)))
ifeq ($(ARPENT_DATA),)
unexport ARPENT_DATA
endif

# The programs contain no C, so that they are the same with and without a C compiler. The race detector needs one.
export CGO_ENABLED := 0

run: export ARPENT_MODE ?= development
run:
	@.ci/install-system run
	@$(MAKE) -s --no-print-directory build
	@[ -z "$(DEPARTEMENT)" ] || bin/arpent fetch core parcels addresses sales --departement "$(DEPARTEMENT)" || \
		echo "not all of $(DEPARTEMENT) was fetched, see above: serving what is here; the same command asks again for the rest" >&2
	@exec bin/arpent serve

# RACED are the packages in which goroutines share memory. They run under the race detector, which makes everything five to ten times
# as long; the others run without it, but for the tests of SHARED in the packages of SHARED_IN, which call the whole service, or a
# part of it, from many sides at once. app/tests/checks holds the lists. What takes longest comes first.
RACED := app auth/assistant billing/meter auth/apikey auth/social auth/password billing/meter/shared api api/coverage internal/opendata/report \
	internal/opendata/ingest/fetch internal/opendata/ingest/gdal internal/opendata/ingest/official api/parcel api/territory api/tile api/uptime internal/budget internal/clock internal/httpbody internal/jobs internal/mail internal/pgdb internal/pgdb/cluster internal/trace \
	internal/snapshot app/command mcp web web/landing web/reference web/search
# COMPUTED are those that mostly read files and compute: they have the processors first, because the others mostly wait.
COMPUTED := internal/opendata/stats/tests internal/opendata/report/tests internal/opendata/ingest internal/opendata/ingest/format api/geocode
SERVED := app/tests/portal app/tests/contract app/tests/operation app/tests/attack app/tests/clients portal
SHARED := TestEverythingAtOnce TestStopFinishesRequests TestAnswersAreNotMixed TestReportEndsWithItsClient TestReportsStarveNoCaller \
	TestAccountThatChangesWhileItIsProved TestTakingATryBackEnds \
	TestOneEditionInAReport TestDatabaseRestart TestLateReport TestCancelled TestReportsShareConnections TestNewLayer \
	TestStoreSwapsWhole TestStoreSurvivesFailedBuild TestLoadsOfOneSourceTakeTurns TestKilledLoadGoesOn TestSnapshotFollowsLoads TestColumnsAreKept \
	TestSlowRequestsAreTraced TestSignUpTwiceAtOnce TestRequestsAtOnceShareTheLimit TestGuessesAtOnceAreCounted TestWishesAreNotifiedOnce TestRandomHistories \
	TestEventsAreHandledOnce TestOnePageIsOpen TestTOTPCodeRace TestRecoveryCodes TestIdentityRace TestUnlinkRace TestLinkIsSpentOnceByMany TestReauthenticateByLink \
	TestRandomLives TestDepartementsAreWrittenConcurrently TestParcelsAreWrittenConcurrently \
	TestTheNextSourceIsReadAhead TestWhatWasReadAheadIsLoadedOnce TestAFileReadAheadThatIsBroken TestReadingAheadEndsWithTheRun \
	TestFirstLoadWaitsForReaders TestFirstLoadMeetsOtherRows TestStoppedGathering TestHostileFilesAreRefused TestMembersLargerThanTheMemory
SHARED_IN := app/tests/operation auth billing billing/stripegate api/geocode internal/opendata/ingest internal/opendata/ingest/format internal/opendata/report/tests internal/opendata/stats/tests
# Many tests wait for servers, browsers and answers that are held back: more of them are under way than there are processors. Three times as
# many as these, on two processors, made tests run into the deadlines of the service.
WAITING := 3
space := $(subst ,, )
SHARED_TESTS := ($(subst $(space),|,$(strip $(SHARED))))
# The linters check every package concurrently with the tests, so go test need not vet again. Test programs have no tables for
# debuggers: that saves a third of the time of linking, sixty times. Compilers run too briefly to collect garbage (with GOGC=1600 a
# tenth less processor time than with 400, and at most 1.7 GB for a package).
COMPILER := -toolexec 'env GOGC=1600'
# gotestsum runs go test and keeps its events in a file for each run; make test ends with what all of them skipped, and why.
EVENTS := .arpent/test-events
GO_TEST_FLAGS := -vet=off -ldflags=-s $(COMPILER) -timeout 30m
GO_TEST = bin/gotestsum --format pkgname --hide-summary skipped --jsonfile $(EVENTS)/$(1).json -- $(GO_TEST_FLAGS)
# Under the race detector libraries and our own packages are compiled without inlining: 30 % less for the compiler to do (136 and 95 seconds of
# processor for Stripe, Redis and Parquet, 60 and 44 for what is ours), for tests that take 3 and 9 % longer by the former (limits that are shared,
# keys) and no longer by the latter (limits, assistants, app). With Go's own packages too, 6 seconds less are compiled, and what counts and limits takes a quarter longer.
# A test that is long under the detector takes fewer steps with -short; make soak takes them all.
RACE := -race -short -gcflags=all=-dwarf=false -gcflags='github.com/...=-dwarf=false -l' -gcflags='arpent/...=-dwarf=false -l'

# Nor do the compilers write tables for a debugger. Whatever the tests and linters compile has the same flags, or is compiled twice.
test: export GOFLAGS += -gcflags=all=-dwarf=false
# Tests that collect their garbage less often take up to a fifth less time.
test: export GOGC := 400
test:
	@rm -rf $(EVENTS) && mkdir -p $(EVENTS)
	@$(MAKE) -s --no-print-directory -j 3 -O test-computed test-race test-served lint-offline
	@cat $(EVENTS)/*.json | bin/gotestsum --raw-command --format none -- cat

# What the groups need, side by side. They start with the same packages at the same moment, and go does not wait for another go
# that compiles the same: so one compiles them all first, while what is missing is installed. The race detector has its own.
.PHONY: installed compiled
installed:
	@.ci/install-system test

compiled:
	@go list -export -test $(COMPILER) ./... >/dev/null

bin/gotestsum: .ci/tools/go.mod
	@go -C .ci/tools build -o ../../bin/gotestsum gotest.tools/gotestsum

node_modules/.package-lock.json app/dev/judges/node_modules/.package-lock.json: | $(if $(filter test% lint-offline,$(MAKECMDGOALS)),installed)
test-race test-computed test-served: bin/gotestsum
test-race: node_modules/.package-lock.json
test-computed test-served lint-offline: compiled node_modules/.package-lock.json

test-race:
	CGO_ENABLED=1 nice -n 5 $(call GO_TEST,raced) $(RACE) -p 2 -parallel $(WAITING) $(addprefix ./,$(RACED))
	CGO_ENABLED=1 nice -n 5 $(call GO_TEST,shared) $(RACE) -p 2 -parallel $(WAITING) -run '^$(SHARED_TESTS)$$' $(addprefix ./,$(SHARED_IN))

test-computed:
	$(call GO_TEST,computed) $(addprefix ./,$(COMPUTED))

test-served:
	nice -n 5 $(call GO_TEST,served) -p 2 -parallel $(WAITING) $(addprefix ./,$(SERVED)) \
		$(filter-out $(addprefix arpent/,$(RACED) $(COMPUTED) $(SERVED)),$(shell go list ./...))

test-mcp:
	@.ci/install-system test
	@$(MAKE) -s --no-print-directory app/dev/judges/node_modules/.package-lock.json
	ARPENT_JUDGES=1 go test -run '^TestJudges' -count 1 -timeout 10m -v ./app/tests/contract

# The version is asked of git here: the toolchain's own stamp fails the build if git is missing or mistrusts the owner of the folder.
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)
build:
	@mkdir -p bin
	go build -buildvcs=false -ldflags "-X main.version=$(VERSION)" -o bin/ ./app/cmd/...

# The npm packages are data and front-end files: the server itself runs without Node.
node_modules/.package-lock.json: package.json package-lock.json
	npm ci --no-audit --no-fund
	@touch $@

# The judges are not part of the service: they have packages and a lock file of their own.
app/dev/judges/node_modules/.package-lock.json: app/dev/judges/package.json app/dev/judges/package-lock.json
	cd app/dev/judges && npm ci --no-audit --no-fund
	@touch $@

# The files of browsers are committed, so that building the server needs no Node. Run this after adding a class or changing a style.
css: node_modules/.package-lock.json
	npx --no-install tailwindcss -i web/style/app.css -o web/static/app.css --minify
	@cp node_modules/htmx.org/dist/htmx.min.js web/static/htmx.min.js
	@cp node_modules/maplibre-gl/dist/maplibre-gl-csp.js node_modules/maplibre-gl/dist/maplibre-gl-csp-worker.js web/static/

# Answers are recorded before the golden OpenAPI document and the README show them, and the client libraries are made from the
# document. The other golden files are written by the packages whose tests call testkit.Golden.
CONTRACT := ./app/tests/contract
GOLDEN = $(sort $(patsubst %/,%,$(dir $(shell grep -rl --include='*_test.go' --exclude-dir=node_modules 'testkit\.Golden' .))))
generate: css
	@.ci/install-system test
	go tool templ generate
	go test $(CONTRACT) -count 1 -timeout 30m -run '^(TestRealData|TestRecordedErrors)$$' -update
	go test $(CONTRACT) -count 1 -run Golden -update
	node clients/typescript/generate.mjs
	python3 clients/python/generate.py
	go test $(filter-out $(CONTRACT),$(GOLDEN)) -count 1 -update

style:
	@go run ./app/cmd/arpent-dev style

lint:
	@.ci/lint

lint-offline:
	@nice -n 5 .ci/lint offline

sbom: build
	@.ci/sbom

alerts-check:
	promtool check rules deploy/prometheus/alerts.yml
	promtool test rules deploy/prometheus/alerts_test.yml

compose-check:
	@.ci/compose-check

reproducible:
	@.ci/reproducible

comma := ,
SIZES ?= 100000,1000000,10000000
bench:
	@.ci/install-system bench
	@$(MAKE) -s --no-print-directory node_modules/.package-lock.json build
	bin/arpent-dev bench compare

bench-long:
	@.ci/install-system bench
	@$(MAKE) -s --no-print-directory node_modules/.package-lock.json build
	go test -run '^$$' -bench . -benchmem ./...
	bin/arpent-dev bench parcels --sizes $(SIZES)
	bin/arpent-dev bench report --parcels $(lastword $(subst $(comma), ,$(SIZES)))

soak:
	@.ci/install-system test
	@$(MAKE) -s --no-print-directory node_modules/.package-lock.json
	go test -tags soak -run 'Soak|RandomLives|RandomHistories|RandomPoints|RealData' -count 1 -timeout 180m -v ./...

FUZZTIME ?= 60s
fuzz: export FUZZTIME := $(FUZZTIME)
fuzz:
	@.ci/install-system test
	@$(MAKE) -s --no-print-directory node_modules/.package-lock.json
	@.ci/fuzz
