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
INJECTED  := $(basename $(notdir $(wildcard lib/worker/so/*.c)))

csrc       = $(wildcard lib/$(1)/*.c)
cxxsrc     = $(wildcard lib/$(1)/*.cpp)
asmsrc     = $(wildcard lib/$(1)/*.S)
objs       = $(patsubst lib/%.c,$(BUILD)/obj/%.o,$(call csrc,$(1))) \
             $(patsubst lib/%.cpp,$(BUILD)/obj/%.o,$(call cxxsrc,$(1))) \
             $(patsubst lib/%.S,$(BUILD)/obj/%.o,$(call asmsrc,$(1)))
archive    = $(BUILD)/lib/libkg-$(1).a

# link order: a library stands before what it uses
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

level = $(if $(filter $(GNU_DIRS),$(firstword $(subst /, ,$(1)))),$(GNU),$(POSIX))
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

# what runs beside a candidate: no simdjson, no YAML; exports its symbols to the candidate
$(BUILD)/libexec/kg/%: $(BUILD)/obj/worker/bin/%.o $(call archives,worker host device base)
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(SAN) -pthread -rdynamic -o $@ $< -Wl,--start-group $(call archives,worker host device base) -Wl,--end-group \
		-Wl,--as-needed -lseccomp -ldl -lm $(LDFLAGS)

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

$(BUILD)/unit/%: tests/unit/%.c Makefile $(call archives,$(LIBS))
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(GNU) $(CFLAGS_ALL) $(if $(filter 1,$(HAVE_CUDA)),$(CUDA_INC)) -Itests/unit -MMD -MP -MF $@.d -c -o $@.o $<
	@$(CXX) $(SAN) -pthread -rdynamic -o $@ $@.o -Wl,--start-group \
		$(call archives,$(BELOW_$(firstword $(subst /, ,$*)))) -Wl,--end-group -Wl,--as-needed $(LDLIBS) $(LDFLAGS)

unit: $(UNIT_BIN)
.PHONY: unit

include tests/tests.mk

clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
