/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>
#include <poppler.h>

G_BEGIN_DECLS

/* The maps that say which letters the codes of a Chinese, Japanese or Korean font mean. Where a
 * font has none of its own the library reads them from files of the package poppler-data. */

/* (transfer full) (nullable): never with a password */
PopplerDocument *postbag_pdf_open (gconstpointer data, gsize length, GError **error);

/* Once, before the cage is closed: what can be loaded ahead is loaded and kept. */
void postbag_pdf_maps_prepare (void);

/**
 * PostbagPdfMapsWatch:
 *
 * Hears the library say that it has no map; nothing that it says is printed meanwhile, since it may
 * quote the document.
 */
typedef struct
{
  guint handler;
  gboolean missed; /* letters were left out */
} PostbagPdfMapsWatch;

void postbag_pdf_maps_watch (PostbagPdfMapsWatch *self);
void postbag_pdf_maps_unwatch (PostbagPdfMapsWatch *self);

G_END_DECLS
