/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-story.h"
#include "extract/postbag-xml.h"

G_BEGIN_DECLS

/* How text is formatted, or a style says that it is: what is unset is decided by what is around, or
 * by the style that it is made of. */
typedef enum
{
  POSTBAG_LOOK_UNSET,
  POSTBAG_LOOK_NO,
  POSTBAG_LOOK_YES,
} PostbagLookAnswer;

typedef struct
{
  PostbagLookAnswer hidden, white, tiny;
} PostbagLook;

PostbagLookAnswer postbag_look_answer (gboolean yes);
/* What is unset in @self is as in @other. */
void postbag_look_inherit (PostbagLook *self, const PostbagLook *other);

/**
 * PostbagTeller:
 * @markdown: where words go now: of the innermost story
 * @main: of the document
 * @budget: of stories, in bytes
 * @waiting: text of boxes that ended: told behind the paragraph that they stand in
 * @hidden_runs: pieces of text that are left out, or that nobody can see
 * @any_text: since the caller reset it
 *
 * What readers of texts in XML have in common, whatever the format: where words go, and what was
 * noticed that a reader of the text should know. First in the state of such a reader, so that the
 * actions below take it as their user data.
 */
typedef struct
{
  PostbagMarkdown *markdown;
  PostbagMarkdown *main;
  PostbagExtractOutput *output;
  gsize budget;
  GString *waiting;
  gint64 hidden_runs;
  gboolean has_body, any_text;
  gboolean was_left_out, was_unseen, has_pictures, was_cut, was_damaged;
} PostbagTeller;

void postbag_teller_init (PostbagTeller *self, PostbagExtractOutput *output);
void postbag_teller_clear (PostbagTeller *self);

/* Words that are not left out. */
void postbag_teller_say (PostbagTeller *self, const char *text, gsize length);
/* A piece of text that nobody sees. @counted: whether it has been; it is then */
void postbag_teller_count_hidden (PostbagTeller *self, gboolean left_out, gboolean *counted);
/* The same, where @look says so. */
void postbag_teller_count_look (PostbagTeller *self, const PostbagLook *look, gboolean *counted);
void postbag_teller_add_box (PostbagTeller *self, const char *text);
void postbag_teller_tell_boxes (PostbagTeller *self);
/* A heading, and what stands on the slide. */
void postbag_teller_tell_slide (PostbagTeller *self, guint number, const char *title,
                                gboolean is_hidden, const char *text);
/* How many slides are told, of those that the document says it has. */
void postbag_teller_count_slides (PostbagTeller *self, guint declared, guint told);
/* Counts, and remarks that hold for every format. */
void postbag_teller_tell_facts (PostbagTeller *self);

/* Actions of elements. Of these the first member alone has to be a teller's, @markdown. */
void postbag_teller_start_table (PostbagXml *xml, gpointer user_data);
void postbag_teller_end_table (gpointer user_data);
void postbag_teller_start_row (PostbagXml *xml, gpointer user_data);
void postbag_teller_end_row (gpointer user_data);
void postbag_teller_start_cell (PostbagXml *xml, gpointer user_data);
void postbag_teller_end_cell (gpointer user_data);

G_END_DECLS
