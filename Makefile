# Farfield: a thin front over CMake presets. `make` alone prints what there is.
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
.PHONY: help setup build run test python docs bench asan tsan fuzz tidy format format-check check-house clean

# The main job: the galaxies of the README, or your own particles with INPUT=file.
INPUT     ?=
N         ?= 60000
TOLERANCE ?= 1e-6
PRESET    ?= release
# CUDA is compiled for the GPU that is here, and left out where there is none. ARCH=90 compiles it for that architecture
# all the same, ARCH=all for all from sm_75 to sm_120. A build folder remembers it until another ARCH is given.
ARCH      ?= $(if $(wildcard /dev/nvidia[0-9]*),native)
SECONDS   ?= 20
JOBS      ?= $(shell nproc 2>/dev/null || echo 2)

FARFIELD  := build/$(PRESET)/cli/farfield
for_arch   = $(if $(filter all,$(ARCH)),-DFARFIELD_CUDA=ON -UCMAKE_CUDA_ARCHITECTURES,-DCMAKE_CUDA_ARCHITECTURES=$(ARCH))
CONFIGURE  = cmake --preset $(PRESET) $(if $(ARCH),$(for_arch))
BUILD      = cmake --build --preset $(PRESET) --parallel $(JOBS)

help:
	@echo 'make run                 install what is missing (Debian), build, sum over two galaxies, draw them: out/'
	@echo 'make run INPUT=file      the same for your particles (csv, npy, npz, GADGET, ScaFaCoS xml)'
	@echo 'make run N=1000000       more stars; TOLERANCE=1e-9 is another accuracy'
	@echo 'make test                build and run all tests; ends with "N passed, N failed, N skipped"'
	@echo 'make python              the Python package in build/python/venv, and its tests'
	@echo 'make docs                the site of docs/, with its examples run: build/docs/html/index.html'
	@echo 'make build               only build: build/release/cli/farfield and libfarfield'
	@echo 'make bench               measure speed and accuracy'
	@echo 'make asan                the tests under AddressSanitizer and UndefinedBehaviorSanitizer'
	@echo 'make tsan                tests with threads under ThreadSanitizer (clang)'
	@echo 'make fuzz                each fuzzer for SECONDS=20 (clang)'
	@echo 'make tidy                clang-tidy over all sources'
	@echo 'make format-check        are the sources formatted (make format: format them)'
	@echo 'make check-house         rules of the code base that a compiler does not know'
	@echo 'make clean               remove build/ and out/'
	@echo 'PRESET=dev|cuda|shared   another configuration of CMakePresets.json; JOBS=n processes'

setup:
	@scripts/setup

build: setup
	@$(CONFIGURE)
	@$(BUILD)
	@cat build/$(PRESET)/built.txt

# Only what the main job needs: the tests take longer to compile than all the rest.
run: setup
	@$(CONFIGURE)
	@$(BUILD) --target farfield_cli
	@cat build/$(PRESET)/built.txt
	@scripts/run $(FARFIELD) '$(INPUT)' $(N) $(TOLERANCE)

test: build
	@scripts/setup python
	@scripts/test-all build/$(PRESET)

python: setup
	@scripts/setup python
	@$(CONFIGURE)
	@$(BUILD) --target farfield_installed
	@scripts/python build/$(PRESET)

docs: setup
	@scripts/setup docs
	@$(CONFIGURE)
	@$(BUILD) --target farfield_installed
	@scripts/docs build/$(PRESET)

bench: build
	@scripts/bench $(FARFIELD)

asan:
	@$(MAKE) setup
	@scripts/setup fuzz
	@cmake --preset asan
	@cmake --build --preset asan --parallel $(JOBS) --target asan_tests
	@LSAN_OPTIONS=print_suppressions=0:suppressions=$(CURDIR)/tests/support/leaks.supp scripts/test build/asan -L asan

tsan:
	@scripts/setup tsan
	@cmake --preset tsan
	@cmake --build --preset tsan --parallel $(JOBS) --target test_threads tree_test test_ranks test_devices
	@scripts/tsan build/tsan

fuzz:
	@scripts/setup fuzz
	@cmake --preset asan
	@cmake --build --preset asan --parallel $(JOBS) --target fuzzers
	@scripts/fuzz $(SECONDS)

tidy:
	@scripts/setup check
	@$(MAKE) build PRESET=tidy

format:
	@scripts/setup check
	@git ls-files '*.hpp' '*.cpp' '*.h' '*.c' '*.cu' '*.cuh' | xargs clang-format -i

format-check:
	@scripts/setup check
	@git ls-files '*.hpp' '*.cpp' '*.h' '*.c' '*.cu' '*.cuh' | xargs clang-format --dry-run --Werror

check-house:
	@scripts/check-house

clean:
	rm -rf build out
