#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Installs Postbag into a prefix of its own, builds the two example plugins against it with
# pkg-config alone, and uses them. The install prefix is compiled in, so this is a build of its own:
# small, without sanitizers and tests.
#
# usage: run.sh SOURCE WORK BUILD    (BUILD: the build with the contract programs)

set -eu

source=$1
work=$2
contract=$3/tests/contract
prefix=$work/prefix
plugins=$work/plugins
number=0
failed=0

say() { # STATUS WHAT: a line of TAP, with the log where it failed
  number=$((number + 1))
  if [ "$1" -eq 0 ]; then
    echo "ok $number - $2"
  else
    echo "not ok $number - $2"
    sed 's/^/# /' "$work/log"
    failed=1
  fi
}

try() { # WHAT COMMAND...: has to succeed
  what=$1
  shift
  if "$@" >"$work/log" 2>&1; then say 0 "$what"; else say 1 "$what"; fi
}

holds() { # WHAT PATTERN: the last log has to hold it
  if grep -qE "$2" "$work/log"; then say 0 "$1"; else say 1 "$1"; fi
}

configure() {
  [ -f build/build.ninja ] && return 0
  rm -rf build
  meson setup build "$source" --prefix="$prefix" --libdir=lib --buildtype=plain -Dtests=disabled
}

# Two processes: the tests around this one need the machine too.
build() {
  cd "$work" && configure && ninja -C build -j2 && rm -rf "$prefix" \
    && meson install -C build --no-rebuild
}

# Nothing of ours from outside gets into what a stranger's author would see.
unset LD_LIBRARY_PATH CFLAGS LDFLAGS POSTBAG_PLUGIN_PATH POSTBAG_CONFIG POSTBAG_MAILDIR ASAN_OPTIONS
export XDG_CONFIG_HOME="$work/config" POSTBAG_STATE_DIR="$work/state"
mkdir -p "$work"
if [ "$(id -u)" -eq 0 ]; then umask 022; fi

try 'it can be installed' build
[ "$failed" -eq 0 ] || { echo "1..$number"; exit 1; }

PKG_CONFIG_PATH="$prefix/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
export PKG_CONFIG_PATH
rm -rf "$plugins"
mkdir -p "$plugins"
cp -R "$source/tests/plugins/words" "$source/tests/plugins/example" "$plugins"

try 'the toolset is built' make -C "$plugins/words" CFLAGS='-O1 -g -Wall -Wextra -Wno-unused-parameter -Werror'
try 'the extractor is built' make -C "$plugins/example" CFLAGS='-O1 -g -Wall -Wextra -Wno-unused-parameter -Werror'
[ "$failed" -eq 0 ] || { echo "1..$number"; exit 1; }
try 'the pkg-config file names the ABI of a toolset' pkg-config --variable=abi_toolset postbag-plugin-1
holds 'which is 0' '^0$'
try 'and that of an extractor' pkg-config --variable=abi_extractor postbag-plugin-1
holds 'which is 1' '^1$'

export POSTBAG_PLUGIN_PATH="$plugins"
for kind in toolset extractor transport; do
  try "the contract of each $kind is kept" "$contract/contract-$kind"
done

postbag=$prefix/bin/postbag
for page in man1/postbag.1 man5/postbag.conf.5; do
  try "the manual has $page" test -s "$prefix/share/man/$page"
done
try 'the program lists plugins' "$postbag" plugins
holds 'the toolset is ready' '^toolset +words +ready'
holds 'the extractor is ready' '^extractor +example +ready'
holds 'its own are found where they are installed' '^transport +stdio +ready'

try 'a tool of the toolset can be called' \
  "$postbag" --toolset words call count_words '{"text": "one two\nthree"}'
holds 'and counts right' '"words": ?3'
if "$postbag" --toolset words call count_words '{"txt": "x"}' >"$work/log" 2>&1; then status=1; else status=0; fi
say $status 'an unknown argument is refused'
holds 'with the nearest name' 'text'

make -C "$plugins/words" install >"$work/log" 2>&1 || failed=1
unset POSTBAG_PLUGIN_PATH
try 'it works from where it is installed' \
  "$postbag" --toolset words call count_words '{"text": ""}'
holds 'and counts nothing' '"words": ?0'

# Those modules are built as the tests are (perhaps with sanitizers), so that build opens them.
export POSTBAG_PLUGIN_PATH="$3/tests/plugins/broken"
try 'broken plugins do no harm' "$3/postbag" plugins
holds 'a wrong ABI is told' '^toolset +wrong-abi +unusable +.*ABI 99'
holds 'a missing symbol is told' '^toolset +no-symbol +unusable +.*postbag_plugin_descriptor'
holds 'garbage is told' '^toolset +garbage +unusable +.*cannot be opened'
holds 'the sound one is ready' '^toolset +sound +ready'
holds 'and so are our own' '^transport +stdio +ready'

chmod o+w "$plugins/example"
export POSTBAG_PLUGIN_PATH="$plugins"
try 'a folder that others may write does no harm' "$postbag" plugins
holds 'and is told' 'example +unusable +.*could be changed by somebody else'

echo "1..$number"
exit $failed
