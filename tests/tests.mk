# The tests; included by the Makefile. 'make check' needs no GPU, network or Torch.

RUN := KG_BUILD=$(BUILD) tests/run

# all processors, unless -j was said
PARALLEL = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))

deps:
	@tests/tools/deps

# a program is built in a second make, so that deps may install what the build needs first
check: deps
	@$(MAKE) $(PARALLEL) --no-print-directory all unit
	@mkdir -p $(BUILD)
	@bash -c 'set -o pipefail; $(RUN) bats lint unit cases golden | tee $(BUILD)/check.log'; \
		status=$$?; tail -n 1 $(BUILD)/check.log >$(BUILD)/check.summary; exit $$status

check-unit: unit
	@$(RUN) unit
check-cases: all
	@$(RUN) cases
check-bats: all
	@$(RUN) bats
check-golden: all
	@$(RUN) golden
check-gpu: all unit
	@$(RUN) -j 1 gpu
check-python: all
	@$(RUN) -j 1 python
lint:
	@$(RUN) lint
update-cases: all
	@$(RUN) -u cases

# the same tests, every program built with the sanitizers
asan:
	@$(MAKE) $(PARALLEL) --no-print-directory SANITIZE=1 all unit
	@ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1 \
		KG_BUILD=build/asan KG_SANITIZED=1 tests/run unit cases bats

demo: deps
	@$(MAKE) $(PARALLEL) --no-print-directory all
	@PATH="$(abspath $(BUILD))/bin:$$PATH" share/kg/examples/demo

# clang's libFuzzer where it is; FUZZ_SECONDS for all fuzzers together
fuzz:
	@KG_BUILD=$(BUILD) tests/fuzz/run

bench: all
	@KG_BUILD=$(BUILD) tests/bench/run
bench-gpu: all
	@KG_BUILD=$(BUILD) tests/bench/gpu
