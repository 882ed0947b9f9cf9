# SPDX-License-Identifier: Apache-2.0
#
# `make` alone lists the targets. Each is one step that a script or SwiftPM does.

.DEFAULT_GOAL := help
.PHONY: help run kill-test race-test simulate mutants setup build release install test lint format bench sanitize fuzz clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Check for Swift, install missing Debian or Ubuntu packages
	@Scripts/setup

build: setup ## Build for development
	swift build

run: setup ## Build, then play the demo and leave its server up; ARGS=--exit ends after the story
	swift build --product counterfoil
	@.build/debug/counterfoil demo $(ARGS)

release: setup ## Build the program for use; it needs no Swift where it runs
	swift build -c release --static-swift-stdlib --product counterfoil
	@install -D -m 755 .build/release/counterfoil .build/install/counterfoil
	@! ldd .build/install/counterfoil | grep -E 'libswift|libdispatch|libFoundation|libBlocksRuntime'

install: ## Copy what `make release` built to PREFIX/bin, by default /usr/local/bin
	install -D -m 755 .build/install/counterfoil $(DESTDIR)$(or $(PREFIX),/usr/local)/bin/counterfoil

test: setup ## Build, run all tests, lint
	@Scripts/test

kill-test: setup ## Kill the server KILLS times (200 by default) under load, compare its books
	swift build --build-tests
	KILLS=$(or $(KILLS),200) Scripts/with-postgres swift test --skip-build \
	    --filter 'ABusyServerDeliversOnce|AShopLosesNothingWhenItsServerDies'

race-test: setup ## Hand in each of TRIALS purchases (100,000 by default) by two callers at once
	swift build -c release --product counterfoil
	swift build -c release --product counterfoil-bench
	.build/release/counterfoil-bench --race $(or $(TRIALS),100000)
	Scripts/with-postgres sh -c '.build/release/counterfoil-bench \
	    --race $(or $(TRIALS),100000) --postgres "$$COUNTERFOIL_TEST_POSTGRES"'

simulate: setup ## Play SEEDS stories (1,000 by default) against the model, or SEED=n alone
	swift build -c release --product counterfoil-simulate
	@SEEDS=$(or $(SEEDS),1000) $(if $(SEED),SEED=$(SEED)) $(if $(BEATS),BEATS=$(BEATS)) \
		.build/release/counterfoil-simulate

mutants: setup ## Plant known faults one by one and show that each is found
	@Scripts/mutants

lint: setup ## Hold the sources against .swift-format
	@Scripts/lint

format: setup ## Rewrite the sources as .swift-format says
	@Scripts/format

bench: setup ## Measure against the C libraries; docs/performance.md says how
	swift build -c release --product counterfoil
	swift build -c release --product counterfoil-bench
	.build/release/counterfoil-bench
	POSTGRES_FSYNC=on Scripts/with-postgres sh -c '.build/release/counterfoil-bench \
	    --only "purchase through" --postgres "$$COUNTERFOIL_TEST_POSTGRES"'

sanitize: setup ## Run all tests under the thread sanitizer, then the address sanitizer
	@Scripts/sanitize

fuzz: setup ## Throw hostile bytes at every reader, SECONDS=60 for each
	@SECONDS_EACH=$(or $(SECONDS),60) Scripts/fuzz

clean: ## Remove what was built
	rm -rf .build .build-thread .build-address .build-fuzz .build-mutants
