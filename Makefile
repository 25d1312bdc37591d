# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A thin front to meson, so that the usual words work. Everything is done by .ci/ and meson.

PREFIX ?= /usr/local
BUILD ?= build

.PHONY: help demo build install uninstall check check-long fuzz bench clean

help:
	@echo 'make demo        build Postbag and show a conversation over a demo mailbox'
	@echo 'make build       build $(BUILD)/postbag'
	@echo 'make install     install it (PREFIX=$(PREFIX), DESTDIR=)'
	@echo 'make uninstall   remove what was installed last'
	@echo 'make check       build with sanitizers, run every test, print a summary'
	@echo 'make check-long  the same, with the long versions of the tests'
	@echo 'make fuzz        fuzz the parsers for a while (needs clang)'
	@echo 'make bench       measure, and print the table of the README'
	@echo 'make clean       remove the build folders'
	@echo
	@echo 'On Debian, as root or with sudo, missing packages are installed; elsewhere they are named.'

demo: build
	@$(BUILD)/postbag demo

build:
	@.ci/build '$(BUILD)' '$(PREFIX)'

install: build
	@DESTDIR='$(DESTDIR)' .ci/install '$(BUILD)' '$(PREFIX)'

uninstall:
	@.ci/uninstall '$(BUILD)'

check:
	@.ci/check

check-long:
	@POSTBAG_LONG=1 .ci/check

fuzz:
	@.ci/fuzz

bench: build
	@.ci/bench '$(BUILD)'

clean:
	rm -rf '$(BUILD)' build-check build-fuzz build-bench
