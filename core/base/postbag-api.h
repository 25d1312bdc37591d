/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/**
 * POSTBAG_API:
 *
 * Marks a function that leaves its library; everything else is hidden. A function is part of the
 * plugin ABI when its header is installed, which private headers (`-private.h`) never are.
 */
#define POSTBAG_API __attribute__ ((visibility ("default")))
