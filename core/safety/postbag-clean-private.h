/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The pieces of cleaning, each one linear pass. */

/* A reader sees nothing of it: default-ignorable, bidirectional or a Unicode tag. U+200C, U+200D
 * and U+FE0F count too; postbag_clean_keeps_joiner() makes the exceptions. */
gboolean postbag_clean_is_invisible (gunichar c);
/* C0 (but not TAB and LF), DEL, C1. */
gboolean postbag_clean_is_control (gunichar c);
/* The length of the letter at @text that is not ASCII, is seen, and is as NFC has it whatever
 * stands beside it: Latin from U+00C0 to U+023F, Cyrillic to U+047F, ideographs from U+4000 to
 * U+9FFF; 0 if it is another one or none. */
gsize postbag_clean_measure_letter (const char *text);
/* A blank inside a line, whatever its width. */
gboolean postbag_clean_is_blank (gunichar c);
/* Whether @joiner (U+200C, U+200D or U+FE0F) means something between its neighbours. */
gboolean postbag_clean_keeps_joiner (gunichar previous, gunichar joiner, gunichar next);

/* The ASCII punctuation that compatibility normalisation makes of @c (`！` is `!`), else 0. */
char postbag_clean_fold_punctuation (gunichar c);

/* (transfer full): @text (well-formed) with Markdown and HTML taken out of action. */
char *postbag_clean_defuse (const char *text);

/* (transfer full): well-formed, NFC, without invisible characters and controls, line ends LF. */
char *postbag_clean_strip (const char *text);

/* (transfer full): like postbag_clean_filename(), but not cut */
char *postbag_clean_filename_whole (const char *name);

G_END_DECLS
