/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract-fixture.h"

/* A number of @size bytes, the lowest first. */
void ole_append (GByteArray *bytes, guint64 number, guint size);
/* Reads @stream with every byte changed, and cut off at each: nothing of memory may go wrong. */
void ole_try_damaged (ExtractReader reader, GByteArray *stream);

/* A compound file to be, written by libgsf. */
typedef struct _OleFixture OleFixture;

OleFixture *ole_fixture_new (void);
/* @path: of a stream, with "/" behind each storage it is in */
void ole_fixture_add (OleFixture *self, const char *path, gconstpointer data, gsize length);
/* (transfer full): the file; @self is freed */
GByteArray *ole_fixture_finish (OleFixture *self);
