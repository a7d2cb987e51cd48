# kg: a kernel gym for the shell. 'make help' lists the targets.
#
#   DEVELOPER=1   warnings are errors
#   SANITIZE=1    AddressSanitizer and UndefinedBehaviorSanitizer, in a build folder of their own
#   CUDA_HOME     where the CUDA toolkit is; without its headers kg is built for the host only
#   PREFIX, DESTDIR   where 'make install' puts things

PREFIX    ?= /usr/local
CUDA_HOME ?= /usr/local/cuda
DEVELOPER ?= 0
SANITIZE  ?= 0
ifeq ($(SANITIZE),1)
BUILD     ?= build/asan
else
BUILD     ?= build
endif

VERSION   := 0.1.0
CC        ?= cc
CXX       ?= c++
OPTIMIZE  ?= -O2
WARNINGS  := -Wall -Wextra -Wshadow -Wpointer-arith -Wwrite-strings -Wno-unused-parameter -Wno-missing-field-initializers
WARN_C    := $(WARNINGS) -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wvla
ifeq ($(DEVELOPER),1)
WARN_C    += -Werror
WARN_CXX  := $(WARNINGS) -Werror
else
WARN_CXX  := $(WARNINGS)
endif
ifeq ($(SANITIZE),1)
SAN       := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
OPTIMIZE  := -O1
endif

HAVE_CUDA := $(if $(wildcard $(CUDA_HOME)/include/cuda.h),1,0)
DEFINES   := -DKG_VERSION='"$(VERSION)"' -DKG_HAVE_CUDA=$(HAVE_CUDA) -DKG_CUDA_HOME='"$(CUDA_HOME)"'

# -ffp-contract=off: sums must not depend on what the compiler fuses (equal rewards give exact zeros)
CFLAGS_ALL   = -std=c11 -g $(OPTIMIZE) -ffp-contract=off -fPIC -pthread $(SAN) $(WARN_C) $(DEFINES) -Ilib $(CFLAGS)
CXXFLAGS_ALL = -std=c++17 -g $(OPTIMIZE) -ffp-contract=off -fPIC -pthread $(SAN) $(WARN_CXX) $(DEFINES) -Ilib $(CXXFLAGS)
# host, judge, worker, compile, device and the process part of base need Linux's own calls
POSIX     := -D_POSIX_C_SOURCE=200809L
GNU       := -D_GNU_SOURCE
GNU_DIRS  := host judge worker device compile
CUDA_INC  := -isystem $(CUDA_HOME)/include -isystem $(CUDA_HOME)/extras/CUPTI/include

# ---- what there is: every file is found, none is listed by hand -----------------------------
LIBS      := base record score rl task device host compile worker judge
PROGRAMS  := $(basename $(notdir $(wildcard cmd/*.c)))
RUNNERS   := $(basename $(notdir $(wildcard lib/worker/bin/*.c)))
INJECTED  := $(if $(filter 1,$(HAVE_CUDA)),$(basename $(notdir $(wildcard lib/worker/so/*.c))))

csrc       = $(wildcard lib/$(1)/*.c)
cxxsrc     = $(wildcard lib/$(1)/*.cpp)
asmsrc     = $(wildcard lib/$(1)/*.S)
objs       = $(patsubst lib/%.c,$(BUILD)/obj/%.o,$(call csrc,$(1))) \
             $(patsubst lib/%.cpp,$(BUILD)/obj/%.o,$(call cxxsrc,$(1))) \
             $(patsubst lib/%.S,$(BUILD)/obj/%.o,$(call asmsrc,$(1)))
archive    = $(BUILD)/lib/libkg-$(1).a

# link order: a library stands before what it uses
comma      := ,
archives   = $(foreach l,$(1),$(call archive,$(l)))
ALL_LIBS  := judge worker compile host device task rl score record base
LDLIBS    := -lsimdjson -lyaml -lseccomp -ldl -lm

.DEFAULT_GOAL := all
.PHONY: all deps demo check check-unit check-cases check-bats check-golden check-gpu check-python lint \
        asan fuzz bench bench-gpu install uninstall dist clean help completions update-cases

all: $(PROGRAMS:%=$(BUILD)/bin/%) $(RUNNERS:%=$(BUILD)/libexec/kg/%) $(INJECTED:%=$(BUILD)/libexec/kg/%.so)

define lib_rules
$(call archive,$(1)): $(call objs,$(1))
	@mkdir -p $$(@D)
	@rm -f $$@
	@$$(AR) rcs $$@ $$(filter %.o,$$^)
endef
$(foreach l,$(LIBS),$(eval $(call lib_rules,$(l))))

GNU_FILES := base/proc% base/sandbox%
level = $(if $(filter $(GNU_DIRS),$(firstword $(subst /, ,$(1)))),$(GNU),$(if $(filter $(GNU_FILES),$(1)),$(GNU),$(POSIX)))
cudainc = $(if $(filter device worker,$(firstword $(subst /, ,$(1)))),$(if $(filter 1,$(HAVE_CUDA)),$(CUDA_INC)))

$(BUILD)/obj/%.o: lib/%.c Makefile
	@mkdir -p $(@D)
	@echo "  CC $<"
	@$(CC) $(call level,$*) $(CFLAGS_ALL) $(call cudainc,$*) -MMD -MP -c -o $@ $<

$(BUILD)/obj/%.o: lib/%.cpp Makefile
	@mkdir -p $(@D)
	@echo "  CXX $<"
	@$(CXX) $(CXXFLAGS_ALL) -MMD -MP -c -o $@ $<

$(BUILD)/obj/%.o: lib/%.S Makefile
	@mkdir -p $(@D)
	@echo "  AS $<"
	@$(CC) $(SAN) -g -c -o $@ $<

# the GPU kernels' source is part of the program (.incbin)
$(BUILD)/obj/judge/space_text.o: lib/judge/space_kernels.cu lib/base/philox.h lib/base/mix.h \
	$(wildcard lib/task/*_core.h) lib/task/kinds.h

$(BUILD)/obj/cmd/%.o: cmd/%.c Makefile
	@mkdir -p $(@D)
	@echo "  CC $<"
	@$(CC) $(POSIX) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

# programs of the scoring half link only what is pure: no compiler, no judge, nothing of CUDA
PURE      := kg-reward kg-advantage kg-sample kg-report
PURE_LIBS := rl score record base

# links a program from its object, the first prerequisite, and the libraries $(1)
define link_program
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CXX) $(SAN) -pthread -o $@ $< -Wl,--start-group $(call archives,$(1)) -Wl,--end-group \
		-Wl,--as-needed $(LDLIBS) $(LDFLAGS)
endef

$(filter $(PURE:%=$(BUILD)/bin/%),$(PROGRAMS:%=$(BUILD)/bin/%)): $(BUILD)/bin/%: $(BUILD)/obj/cmd/%.o \
		$(call archives,$(PURE_LIBS))
	$(call link_program,$(PURE_LIBS))

$(BUILD)/bin/%: $(BUILD)/obj/cmd/%.o $(call archives,$(ALL_LIBS))
	$(call link_program,$(ALL_LIBS))

# what a candidate on host calls, and all that it can find in its worker by name
ABI      := $(wildcard share/kg/include/kg/*.h)
ABI_LIST := $(BUILD)/obj/worker/abi.list
$(ABI_LIST): $(ABI) Makefile
	@mkdir -p $(@D)
	@{ echo '{'; grep -oh 'kg_host_[a-z0-9_]*' $(ABI) | LC_ALL=C sort -u | sed 's/$$/;/'; echo '};'; } >$@

# what runs beside a candidate: no simdjson, no YAML; the worker has the whole runtime of the host device
$(BUILD)/libexec/kg/kg-worker: WHOLE := $(call archive,host)
$(BUILD)/libexec/kg/kg-worker: EXPORT := -Wl,--dynamic-list=$(ABI_LIST)
$(BUILD)/libexec/kg/kg-worker: $(ABI_LIST)
$(BUILD)/libexec/kg/%: $(BUILD)/obj/worker/bin/%.o $(call archives,worker host device base)
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CXX) $(SAN) -pthread $(EXPORT) -o $@ $< $(if $(WHOLE),-Wl$(comma)--whole-archive $(WHOLE) -Wl$(comma)--no-whole-archive) \
		-Wl,--start-group $(call archives,worker host device base) -Wl,--end-group \
		-Wl,--as-needed -lseccomp -ldl -lm $(LDFLAGS)

# what builds sandboxes: small and static, for it starts before every compiler and worker
KG_INIT := $(BUILD)/libexec/kg/kg-init
$(KG_INIT): $(BUILD)/obj/worker/bin/kg-init.o $(call archive,base)
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(SAN) $(if $(SAN),,-static) -pthread -o $@ $< $(call archive,base) $(LDFLAGS)

$(BUILD)/libexec/kg/%.so: $(BUILD)/obj/worker/so/%.o
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) -shared -pthread -o $@ $< -ldl -lm $(LDFLAGS)

# ---- unit tests: tests/unit/LIB/NAME.c links LIB and what stands below it, nothing else ------
BELOW_base    := base
BELOW_record  := record base
BELOW_score   := score base
BELOW_rl      := rl score record base
BELOW_task    := task base
BELOW_device  := device base
BELOW_host    := host base
BELOW_compile := compile host device task record score base
BELOW_worker  := worker compile host device task record base
BELOW_judge   := judge worker compile host device task record score base
UNIT_SRC := $(wildcard tests/unit/*/*.c)
UNIT_BIN := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(UNIT_SRC))

# objects stay, also those of one program
.SECONDARY:
.SECONDEXPANSION:
$(BUILD)/unit/%: tests/unit/%.c Makefile $$(call archives,$$(BELOW_$$(firstword $$(subst /, ,$$*)))) | $(KG_INIT)
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(GNU) $(CFLAGS_ALL) $(if $(filter 1,$(HAVE_CUDA)),$(CUDA_INC)) -Itests/unit -MMD -MP -MF $@.d -c -o $@.o $<
	@$(CXX) $(SAN) -pthread -rdynamic -o $@ $@.o -Wl,--start-group \
		$(call archives,$(BELOW_$(firstword $(subst /, ,$*)))) -Wl,--end-group -Wl,--as-needed $(LDLIBS) $(LDFLAGS)

unit: $(UNIT_BIN)
.PHONY: unit

include tests/tests.mk

# ---- install: everything is found from the place of the program, so any prefix works ------------
MAN1 := $(wildcard man/*.1)
MAN5 := $(wildcard man/*.5)
MAN7 := $(wildcard man/*.7)
SHARED := $(shell find share/kg -type f 2>/dev/null)
D    := $(DESTDIR)$(PREFIX)

install: all
	install -d $(D)/bin $(D)/libexec/kg $(D)/share/man/man1 $(D)/share/man/man5 $(D)/share/man/man7 \
		$(D)/share/bash-completion/completions $(D)/share/zsh/site-functions \
		$(D)/share/fish/vendor_completions.d
	install -m 755 $(PROGRAMS:%=$(BUILD)/bin/%) $(D)/bin
	$(if $(RUNNERS)$(INJECTED),install -m 755 $(RUNNERS:%=$(BUILD)/libexec/kg/%) $(INJECTED:%=$(BUILD)/libexec/kg/%.so) $(D)/libexec/kg)
	for f in $(SHARED); do \
		if [ -x $$f ]; then m=755; else m=644; fi; install -D -m $$m $$f $(D)/$$f || exit 1; done
	install -m 644 $(MAN1) $(D)/share/man/man1
	install -m 644 $(MAN5) $(D)/share/man/man5
	install -m 644 $(MAN7) $(D)/share/man/man7
	for p in $(PROGRAMS); do \
		install -m 644 completions/kg.bash $(D)/share/bash-completion/completions/$$p && \
		install -m 644 completions/kg.fish $(D)/share/fish/vendor_completions.d/$$p.fish || exit 1; done
	install -m 644 completions/_kg $(D)/share/zsh/site-functions/_kg

uninstall:
	rm -f $(PROGRAMS:%=$(D)/bin/%) $(MAN1:man/%=$(D)/share/man/man1/%) \
		$(MAN5:man/%=$(D)/share/man/man5/%) $(MAN7:man/%=$(D)/share/man/man7/%) \
		$(PROGRAMS:%=$(D)/share/bash-completion/completions/%) \
		$(PROGRAMS:%=$(D)/share/fish/vendor_completions.d/%.fish) $(D)/share/zsh/site-functions/_kg
	rm -rf $(D)/libexec/kg $(D)/share/kg

dist:
	@mkdir -p $(BUILD)
	git archive --format=tar.gz --prefix=kg-$(VERSION)/ -o $(BUILD)/kg-$(VERSION).tar.gz HEAD
	@echo $(BUILD)/kg-$(VERSION).tar.gz

# the words of the completions come from the programs' own option tables
completions: all
	@PATH="$(abspath $(BUILD))/bin:$$PATH" tests/tools/make-completions completions $(PROGRAMS)

help:
	@echo 'make            build everything into build/'
	@echo 'make deps       install what building and testing needs (apt-get)'
	@echo 'make demo       the whole pipeline on example rollouts, ends with a table'
	@echo 'make check      all tests that need no GPU; also check-unit check-cases check-bats check-golden lint'
	@echo 'make check-gpu check-python    tests that need a GPU, or Torch'
	@echo 'make asan       the tests under AddressSanitizer and UndefinedBehaviorSanitizer'
	@echo 'make fuzz       a minute of fuzzing'
	@echo 'make bench bench-gpu   speed, as ratios to other tools in the same run'
	@echo 'make install uninstall   PREFIX=$(PREFIX) DESTDIR='
	@echo 'make completions update-cases   rewrite what is generated, then look at git diff'
	@echo 'make dist clean'
	@echo 'DEVELOPER=1 SANITIZE=1 BUILD=dir CUDA_HOME=dir'

clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
