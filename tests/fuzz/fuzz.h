/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* What libFuzzer and the replay call. Returns 0. */
int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);
