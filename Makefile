# One-word commands over the CMake presets. ./dev WORD installs what a word needs first. `make help` lists them.
PYTHON ?= python3
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
export CTEST_PARALLEL_LEVEL ?= $(JOBS)

.DEFAULT_GOAL := help
.PHONY: help build dev run test findings check-deep unit api conform model stress soak fault fuzz mutate coverage conditions lto lint format tidy asan tsan clang cross docs bench published many bench-guard costs stacks site cluster install abi wheel tarball deb release clean

# $(call configure-and-build,PRESET[,targets]): configures a build folder once, and builds it. Both
# say what they are at.
configure = $(call may-build,$(1)) && \
	{ test -f build/$(1)/build.ninja || { echo "configuring build/$(1)"; cmake --preset $(1); }; }
# Whether this user may write to a build folder.
may-build = { { mkdir -p build/$(1) && test -w build/$(1) && { test ! -e build/$(1)/.ninja_log || test -w build/$(1)/.ninja_log; }; } 2>/dev/null || \
	{ echo "make: build/$(1) belongs to another user; remove it as that user (make clean), or work in a clone of your own" >&2; false; }; }
configure-and-build = @$(call configure,$(1)) && \
	cmake --build --preset $(1) -j $(JOBS) $(if $(2),--target $(2))
what-is-installed = weft weft_static $(patsubst %/CMakeLists.txt,%/all,$(wildcard net/CMakeLists.txt dist/CMakeLists.txt faces/CMakeLists.txt lang/CMakeLists.txt tools/weft/CMakeLists.txt))
shared-libraries = weft weft_abt weft_alpi weft_qthread weft_threads weft_dist weft_tascell
what-ships = $(what-is-installed) $(patsubst %/CMakeLists.txt,%/all,$(wildcard examples/CMakeLists.txt))
some-tests = ctest --preset $(1) --no-tests=error -L '^($(2))$$'

help: ## lists these words
	@sed -n 's/^\([a-z -]*\):.*## /  \1: /p' Makefile

build: ## builds what ships: libraries, the weft command, examples (build/release)
	$(call configure-and-build,release,$(what-ships))

dev: ## builds for the debugger, misuse is named (build/dev)
	$(call configure-and-build,dev)

prefix = $(shell realpath -ms -- '$(PREFIX)')
weft-command = build/release/tools/weft/weft

run: build ## the demonstration: real programs with checked answers [DIR=folder to hash] [ARGS=options of weft demo]
	@test -x $(weft-command) || { echo "make run: the weft command is not there (tools/weft)"; false; }
	$(weft-command) demo $(if $(DIR),--dir '$(DIR)') $(ARGS)

bench: ## compares Weft with the other runtimes that are installed, in tables and pictures [ARGS=options of bench/matrix/matrix.py]
	@$(call may-build,bench)
	@echo "configuring build/bench"; cmake --preset bench >build/bench.log 2>&1 || { cat build/bench.log; false; } # always: a rival may have been installed since
	cmake --build --preset bench -j $(JOBS) --target weft_command bench/all
	$(PYTHON) bench/matrix/matrix.py build/bench $(ARGS)
	$(if $(ARGS),,$(PYTHON) bench/micro/loops.py build/bench)
	$(if $(ARGS),,$(PYTHON) bench/micro/loops.py build/bench --workers $$((4 * $$(nproc))) --loops 16x1 64x1)

published: ## repeats published experiments, the published figures beside ours [NAME=all] [ARGS=options of bench/published/published.py]
	@$(call may-build,bench)
	@echo "configuring build/bench"; cmake --preset bench >build/bench.log 2>&1 || { cat build/bench.log; false; }
	cmake --build --preset bench -j $(JOBS) --target weft_command bench/all
	$(PYTHON) bench/published/published.py build/bench $(or $(NAME),all) $(ARGS)

CPUS ?= 16
PROGRAM ?= fib 27
rivals-of-many = $(foreach rival,LACE TBB,$(if $(MANY_$(rival)),-DMANY_$(rival)='$(MANY_$(rival))'))
many: ## runs a program on a machine of many CPUs in virtual time, and says where the time went [CPUS=16] [PROGRAM='fib 27'] [MANY_LACE=folder of sources] [MANY_TBB=folder] [ARGS=options of tests/many/many.py]
	@$(call may-build,many)
	@echo "configuring build/many"; cmake --preset many $(rivals-of-many) >build/many.log 2>&1 || { cat build/many.log; false; }
	cmake --build --preset many -j $(JOBS) --target tests/many/all
	@$(PYTHON) -B tests/many/many.py build/many '$(PROGRAM)' --cpus $(CPUS) $(if $(MANY_LACE)$(MANY_TBB),--against $(if $(MANY_LACE),lace) $(if $(MANY_TBB),tbb)) $(ARGS)

bench-guard: ## counts the instructions of hot operations, compares them with those noted [ARGS=--write, or --traced]
	$(call configure-and-build,release,guard-weft)
	$(PYTHON) bench/guard/guard.py build/release/bench/guard/guard-weft $(ARGS)

costs: build ## what a child costs here as plain call, fork and thread [ARGS=options of weft costs]
	@test -x $(weft-command) || { echo "make costs: the weft command is not there (tools/weft)"; false; }
	$(weft-command) costs $(ARGS)

stacks: ## how much stack calls of common libraries take inside threads, as a table [ARGS=--only and some of the libraries]
	$(call configure-and-build,release,weft weft_command)
	$(PYTHON) tools/stacks/table.py build/release $(ARGS)

test: ## everything: lints, all kinds of tests, sanitizers, clang, aarch64; ends with counts
	@$(call may-build,checked)
	@$(PYTHON) tools/test/run.py --jobs $(JOBS) $(ARGS)

quick-targets = weft weft_static tests/unit/all api_c_family_shared api_cpp_threads_family_shared
quick: ## what a changed line of the core may break first: unit tests, and C and C++ programs on the shared library [TEST=those whose names match]
	$(call configure-and-build,checked,$(quick-targets))
	@ctest --preset checked --no-tests=error -L '^(unit|c_family|cpp_threads_family)$$' -E '_static$$|_schedules$$' $(if $(TEST),-R '$(TEST)') -j $$((3 * $(JOBS))) \
	  || { echo "repeat: ctest --preset checked --rerun-failed --output-on-failure"; exit 1; }

check-deep: ## models, mutations, schedules, stress and sanitizers in depth, two and a half hours; ends with figures [ARGS=options of tools/test/deep.py]
	@$(call may-build,checked)
	@$(PYTHON) tools/test/deep.py --jobs $(JOBS) $(ARGS)

findings: ## programs of findings/ that show what other software does: which of it still holds [NAME=one of them] [ARGS=options of tools/test/findings.py]
	@$(PYTHON) tools/test/findings.py $(NAME) $(ARGS)

unit api conform fault: ## the tests of one kind (optimised, checked build)
	$(call configure-and-build,checked)
	$(call some-tests,checked,$@)

stress: ## races and oversubscription for long [STRESS_SECONDS=30 a test] [STRESS_SEED=n]
	$(call configure-and-build,checked)
	STRESS_SECONDS=$(or $(STRESS_SECONDS),30) STRESS_SEED=$(STRESS_SEED) ctest --preset checked --no-tests=error -L '^stress$$' -j 1

soak: ## random programs on any number of workers, one after the other [SOAK_SECONDS=60] [ARGS=options of tests/stress/soak.py]
	$(call configure-and-build,checked,tests/stress/all)
	$(PYTHON) tests/stress/soak.py build/checked --seconds $(or $(SOAK_SECONDS),60) $(ARGS)

fuzz: ## the Tascell compiler on programs made of damaged ones: no crash, no hang, no silence [SECONDS=60] [SEED=n]
	$(call configure-and-build,checked,lang_fuzz)
	build/checked/tests/lang/lang_fuzz $(or $(SECONDS),60) tests/lang $(SEED)

model: ## explores the protocols' interleavings in depth, half an hour or more [EXECUTIONS=2000000 of a model at most]
	$(call configure-and-build,model)
	@ls build/model/tests/model/model_* | xargs -P $(JOBS) -I{} sh -c '{} --deep --executions $(or $(EXECUTIONS),2000000)'

mutate: ## changes statements, one by one: does a test notice? [OF=src|include|dist|net|lang|faces|all] [N=15] [SEED=n] [ARGS=options of tools/test/mutate_source.py]
	@$(call may-build,mutate)
	$(PYTHON) tools/test/mutate_source.py --of $(or $(OF),src) --sample $(or $(N),15) $(if $(SEED),--seed $(SEED)) --jobs $(JOBS) $(ARGS)

coverage: ## which lines and branches of the core the tests reach, by layer and kind [ARGS=options of tools/test/coverage.py]
	@$(call may-build,coverage)
	$(PYTHON) tools/test/coverage.py --jobs $(JOBS) $(ARGS)

conditions: ## which conditions never decided by themselves, by clang 19 [ARGS=options of tools/test/conditions.py]
	@$(call may-build,conditions-checked)
	$(PYTHON) tools/test/conditions.py --jobs $(JOBS) $(ARGS)

lto: ## the weft command, with its library optimised as one program at link time, and its demonstration in small sizes
	$(call configure-and-build,lto,weft_command)
	build/lto/tools/weft/weft demo --quick $(ARGS)

asan: ## unit, api, conform and stress tests under AddressSanitizer and UndefinedBehaviorSanitizer
	$(call configure-and-build,asan)
	$(call some-tests,asan,unit|api|conform|stress)

tsan: ## the same under ThreadSanitizer
	$(call configure-and-build,tsan)
	$(call some-tests,tsan,unit|api|conform|stress)

clang: ## unit, api, conform and stress tests of a clang build; the C++ tests of the interface with clang and libc++
	$(call configure-and-build,clang)
	$(call some-tests,clang,unit|api|conform|stress)
	$(call configure-and-build,clang-libcxx)
	$(call some-tests,clang-libcxx,api)

cross: ## unit, api and conform tests of an aarch64 build under qemu
	$(call configure-and-build,cross-aarch64)
	$(call some-tests,cross-aarch64,unit|api|conform)

lint: ## layers, symbols, sizes, headers, comments, prose, memory orders, the fault seam, format
	@$(call configure,checked)
	@cmake --build --preset checked -j $(JOBS) --target weft weft_static; built=$$?; \
	$(call some-tests,checked,lint) && exit $$built

tidy: ## clang-tidy over the core
	@$(call configure,clang)
	$(call some-tests,clang,tidy)

format: ## rewrites the sources as .clang-format says
	$(PYTHON) tools/lint/format.py --write

docs: ## runs what README and the guide show, and makes the reference of the public headers (build/docs/html)
	$(call configure-and-build,release)
	$(call some-tests,release,docs)
	doxygen docs/Doxyfile

site: ## makes a site of the guide, the reference, decisions and protocols, with a search [FOLDER=build/site]
	@$(call may-build,site)
	@$(PYTHON) tools/docs/make_site.py '$(or $(FOLDER),build/site)'

N ?= 2
RANKS ?= $(N)
MPI ?= mpirun
cluster: ## starts ranks on N nodes that namespaces make of this machine, as root [N=2] [RANKS=N] [MPI=mpirun] [ARGS=program; else what the ranks reach each other by]
	$(call configure-and-build,release,net/all dist/all tools/weft/all)
	$(PYTHON) -B tools/test/cluster.py $(weft-command) $(N) $(RANKS) $(MPI) $(or $(ARGS),info)

install: ## installs headers, libraries and the weft command, says how they are found [PREFIX=/usr/local] [DESTDIR=]
	@$(PYTHON) tools/setup/prefix.py may-write '$(prefix)'
	@$(call may-build,release)
	@echo "configuring build/release"; cmake --preset release -DCMAKE_INSTALL_PREFIX='$(prefix)' >/dev/null
	$(call configure-and-build,release,$(what-is-installed) weft_checked weft_checked_static)
	cmake --install build/release >/dev/null
	cmake --install build/release --component checked >/dev/null
	@$(PYTHON) tools/setup/prefix.py words '$(prefix)'

abi: ## compares the binary interface of the shared libraries with what abi/ notes of it [ARGS=--write: notes it]
	$(call configure-and-build,release,$(shared-libraries))
	@$(PYTHON) tools/package/abi.py build/release $(ARGS)

# What a variable is given by the command line alone: the environment may have one of that name for something else.
is-given = $(filter command,$(origin $(1)))
given = $(if $(is-given),$($(1)))

wheel: ## builds a wheel for pip of the sources here [FOLDER=build/wheels] [MACHINE=x86_64 or aarch64, for glibc 2.28 or later, by zig] [ZIG=zig]
	@$(call may-build,wheel)
	@$(PYTHON) tools/package/wheel.py '$(or $(FOLDER),build/wheels)' $(if $(call given,MACHINE),--machine '$(MACHINE)') $(if $(ZIG),--zig '$(ZIG)')

tarball: ## builds tarballs for machines with glibc 2.28 or later [FOLDER=build/tarballs] [MACHINE='x86_64 aarch64'] [ZIG=zig]
	@$(PYTHON) tools/package/tarball.py '$(or $(FOLDER),build/tarballs)' $(patsubst %,--machine %,$(call given,MACHINE)) $(if $(ZIG),--zig '$(ZIG)')

release: ## makes a release from a tag: its sources, checksums, a bill of materials [TAG=vVERSION] [FOLDER=build/releases]
	@$(PYTHON) tools/package/make_release.py '$(or $(FOLDER),build/releases)' $(if $(call is-given,TAG),--tag '$(TAG)')

deb: ## builds Debian packages of the sources here [FOLDER=build/deb]
	@$(PYTHON) tools/setup/deb.py '$(or $(FOLDER),build/deb)'

clean: ## removes build/
	rm -rf build
