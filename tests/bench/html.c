/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Prints the milliseconds that the slowest shape of one megabyte of hostile HTML takes to become
 * text, and which shape that is. */

#include <stdio.h>

#include "safety/postbag-html.h"

#include "../hostile-html.h"

#define SIZE 1000000
#define TIMES 3

int
main (void)
{
  const char *name = "";
  gint64 worst = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (hostile_shapes); i++)
    {
      g_autofree char *html = make_hostile_html (&hostile_shapes[i], SIZE);
      gsize length = strlen (html);
      gint64 best = G_MAXINT64;

      for (guint time = 0; time < TIMES; time++)
        {
          gint64 start = get_processor_time ();
          g_autofree char *text = postbag_html_to_text (html, length, NULL);

          best = MIN (best, get_processor_time () - start);
        }
      if (best > worst)
        name = hostile_shapes[i].name;
      worst = MAX (worst, best);
    }
  printf ("%.2f %s\n", (double)worst / 1000, name);
  return 0;
}
