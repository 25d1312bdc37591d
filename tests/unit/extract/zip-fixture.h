/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract-fixture.h"

/* Writes zip containers (APPNOTE 6.3), honest or not, file by file. */
typedef struct _ZipFixture ZipFixture;

ZipFixture *zip_fixture_new (void);
/* Packed; its size is told as it is. */
void zip_fixture_add (ZipFixture *self, const char *name, const char *text);
/* Packed; @size is what the container says of it. @flags: bit 0 for an encrypted one */
void zip_fixture_add_forged (ZipFixture *self, const char *name, const void *data, gsize length,
                             guint32 size, guint16 flags);
/* (transfer full) */
GBytes *zip_fixture_finish (ZipFixture *self);

/* Runs an extractor over a container. @files: names and contents, ended by NULL */
ExtractResult *zip_fixture_extract (const PostbagExtractorImplementation *implementation,
                                    const char *content_type, const char *const *files);
