/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract-fixture.h"

/* A number of @size bytes, the lowest first. */
void ole_append (GByteArray *bytes, guint64 number, guint size);
/* Reads @stream with every byte changed, and cut off at each: nothing of memory may go wrong. */
void ole_try_damaged (ExtractReader reader, GByteArray *stream);
