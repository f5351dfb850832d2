# make run    install what is missing, build, serve the starter data of data/ on PORT (default 8080) in development mode;
#             DEPARTEMENT=35 fetches the parcels, addresses and sales of that département first
# make test   gofmt, go vet, staticcheck and every test except the third-party MCP conformance tests
# make test-mcp  the third-party MCP conformance tests, against a running service (some minutes); for a change of /mcp
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
# make soak   the long tests of limits, counts and memory, and all rounds of those that take few in make test
# make fuzz   every fuzz target, FUZZTIME each (60s)

SHELL := /bin/bash
.DEFAULT_GOAL := build
space := $() $()
.PHONY: run test test-race test-plain test-mcp build css generate style lint lint-offline sbom alerts-check compose-check reproducible bench bench-long soak fuzz

export ARPENT_DATA := $(if $(ARPENT_DATA),$(abspath $(ARPENT_DATA)))
ifeq ($(ARPENT_DATA),)
unexport ARPENT_DATA
endif

# The programs contain no C, so that they are the same with and without a C compiler. The race detector needs one.
export CGO_ENABLED := 0

# What make run and make test compile has no tables for a debugger, and what does little of their work is compiled without inlining: a
# first build takes two fifths less processor time. The libraries that rows and answers pass through are inlined: without it statistics
# take a tenth longer. make build and the Dockerfile leave all of that to the compiler's defaults.
NOT_INLINED := $(addprefix arpent/,app/... auth/... billing/... mcp portal/... web/...) github.com/... google.golang.org/... golang.org/x/text/...
INLINED := $(addprefix github.com/,go-json-experiment/... gofiber/... jackc/... klauspost/... paulmach/... tidwall/... valyala/...)
# Compilers run too briefly to collect garbage, until a package takes a gigabyte.
QUICK := '-toolexec=env GOGC=1600 GOMEMLIMIT=1GiB' -gcflags=all=-dwarf=false $(foreach p,$(NOT_INLINED),'-gcflags=$(p)=-dwarf=false -l') \
	$(foreach p,$(INLINED),-gcflags=$(p)=-dwarf=false)

run: export ARPENT_MODE ?= development
run: export GOFLAGS += $(QUICK)
run:
	@.ci/install-system run
	@$(MAKE) -s --no-print-directory build PROGRAMS=./app/cmd/arpent
	@[ -z "$(DEPARTEMENT)" ] || bin/arpent fetch core parcels addresses sales --departement "$(DEPARTEMENT)" || \
		echo "not all of $(DEPARTEMENT) was fetched, see above: serving what is here; the same command asks again for the rest" >&2
	@exec bin/arpent serve

# Many tests wait for servers, browsers and answers that are held back: more of them are under way than there are processors. Three times as
# many as these, on two processors, made tests run into the deadlines of the service.
WAITING := 3
# The linters check every package concurrently with the tests, so go test need not vet again. Test programs have no tables for
# debuggers: that saves a third of the time of linking, sixty times.
# gotestsum runs go test and keeps its events in a file for each run; make test ends with what all of them skipped, and why.
EVENTS := .arpent/test-events
GO_TEST_FLAGS := -vet=off -ldflags=-s -timeout 30m
GO_TEST = bin/gotestsum --format pkgname --hide-summary skipped --jsonfile $(EVENTS)/$(1).json -- $(GO_TEST_FLAGS)
# Under the race detector libraries and our own packages are compiled without inlining: 30 % less for the compiler to do (136 and 95 seconds of
# processor for Stripe, Redis and Parquet, 60 and 44 for what is ours), for tests that take 3 and 9 % longer by the former (limits that are shared,
# keys) and no longer by the latter (limits, assistants, app). With Go's own packages too, 6 seconds less are compiled, and what counts and limits takes a quarter longer.
RACE := -race -short -gcflags=all=-dwarf=false -gcflags='github.com/...=-dwarf=false -l' -gcflags='arpent/...=-dwarf=false -l'

# Whatever the tests and linters compile has the same flags, or is compiled twice.
test: export GOFLAGS += $(QUICK)
# Tests that collect their garbage less often take up to a fifth less time.
test: export GOGC := 400
test:
	@rm -rf $(EVENTS) && mkdir -p $(EVENTS)
	@$(MAKE) -s --no-print-directory -j 3 -O test-plain test-race lint-offline
	@cat $(EVENTS)/*.json | bin/gotestsum --raw-command --format none -- cat

# What the groups need, side by side. They start with the same packages at the same moment, and go does not wait for another go
# that compiles the same: so one compiles them all first, while what is missing is installed. The race detector has its own.
.PHONY: installed compiled
installed:
	@.ci/install-system test

compiled:
	@go list -export -test ./... >/dev/null

bin/gotestsum: .ci/tools/go.mod
	@go -C .ci/tools build -o ../../bin/gotestsum gotest.tools/gotestsum

node_modules/.package-lock.json app/dev/judges/node_modules/.package-lock.json: | $(if $(filter test% lint-offline,$(MAKECMDGOALS)),installed)
test-race test-plain: bin/gotestsum
test-race: node_modules/.package-lock.json
test-plain lint-offline: compiled node_modules/.package-lock.json

# A test whose goroutines share memory has Concurrent in its name, and runs under the race detector alone, where
# everything takes five to ten times as long: with -short it takes fewer steps there. The packages without one are not compiled for it.
CONCURRENT = $(shell grep -rlE --include='*_test.go' --exclude-dir=node_modules '^func Test\w*Concurrent' . | xargs dirname | sort -u)
test-race:
	CGO_ENABLED=1 nice -n 5 $(call GO_TEST,raced) $(RACE) -p 2 -parallel $(WAITING) -run Concurrent $(CONCURRENT)

# What takes longest comes first. What test-race runs is left out: it would show the same without the race detector.
test-plain:
	$(call GO_TEST,plain) -p 3 -parallel $(WAITING) -skip Concurrent ./internal/opendata/... ./app/tests/... ./...

test-mcp:
	@.ci/install-system test
	@$(MAKE) -s --no-print-directory app/dev/judges/node_modules/.package-lock.json
	ARPENT_JUDGES=1 go test -run '^TestJudges' -count 1 -timeout 10m -v ./app/tests/contract

# The version is asked of git here: the toolchain's own stamp fails the build if git is missing or mistrusts the owner of the folder.
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)
PROGRAMS := ./app/cmd/...
build:
	@mkdir -p bin
	go build -buildvcs=false -ldflags "-X main.version=$(VERSION)" -o bin/ $(PROGRAMS)

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
	@go test -count 1 -v -run '^TestStyle' ./app/tests/checks

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
	bin/arpent-dev bench report --sizes $(SIZES)

# make soak also runs the tests that call testkit.Rounds, which then gives them all of their rounds.
ROUNDS = $(shell grep -rl --include='*_test.go' --exclude-dir=node_modules 'testkit\.Rounds' . | \
	xargs awk -F '[^A-Za-z0-9_]+' '/^func / { name = $$2 } /testkit\.Rounds/ { print "^" name "$$" }' | sort -u)
# HAProxy is in /usr/sbin.
soak: export PATH := $(PATH):/usr/sbin
soak:
	@.ci/install-system soak
	@$(MAKE) -s --no-print-directory node_modules/.package-lock.json
	go test -tags soak -run 'Soak|$(subst $(space),|,$(ROUNDS))' -count 1 -timeout 180m -v ./...

FUZZTIME ?= 60s
fuzz: export FUZZTIME := $(FUZZTIME)
fuzz:
	@.ci/install-system test
	@$(MAKE) -s --no-print-directory node_modules/.package-lock.json
	@.ci/fuzz
