/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/* The twelve shapes of text that tries to steer its reader (contracts/guarded 4.4). */

typedef enum
{
  POSTBAG_SHAPE_INSTRUCTION_OVERRIDE,
  POSTBAG_SHAPE_ROLE_INJECTION,
  POSTBAG_SHAPE_FAKE_DELIMITER,
  POSTBAG_SHAPE_TOOL_COERCION,
  POSTBAG_SHAPE_EXFILTRATION,
  POSTBAG_SHAPE_CREDENTIAL_REQUEST,
  POSTBAG_SHAPE_URL_COMMAND,
  POSTBAG_SHAPE_URGENCY_PRESSURE,
  POSTBAG_SHAPE_DELETE_COMMAND,
  POSTBAG_SHAPE_HIDDEN_NOTE,
  POSTBAG_SHAPE_PROMPT_BOUNDARY,
  POSTBAG_SHAPE_POLICY_CLAIM,
  POSTBAG_N_SHAPES
} PostbagShape;

/* What a word can stand for in a shape; a word may be several. */
#define POSTBAG_WORD(n) (G_GUINT64_CONSTANT (1) << (n))
#define POSTBAG_WORD_OVERRIDE POSTBAG_WORD (0)
#define POSTBAG_WORD_PRIOR POSTBAG_WORD (1)
#define POSTBAG_WORD_INSTRUCTION POSTBAG_WORD (2)
#define POSTBAG_WORD_ROLE POSTBAG_WORD (3)
#define POSTBAG_WORD_DELIMITER POSTBAG_WORD (4)
#define POSTBAG_WORD_ARMOR POSTBAG_WORD (5) /* behind a delimiter: it is an ordinary one */
#define POSTBAG_WORD_CALL POSTBAG_WORD (6)
#define POSTBAG_WORD_TOOL POSTBAG_WORD (7)
#define POSTBAG_WORD_SEND POSTBAG_WORD (8)
#define POSTBAG_WORD_TO POSTBAG_WORD (9)
#define POSTBAG_WORD_ADDRESS POSTBAG_WORD (10) /* not a word: something@somewhere */
#define POSTBAG_WORD_REVEAL POSTBAG_WORD (11)
#define POSTBAG_WORD_CREDENTIAL POSTBAG_WORD (12)
#define POSTBAG_WORD_API POSTBAG_WORD (13)
#define POSTBAG_WORD_KEY POSTBAG_WORD (14)
#define POSTBAG_WORD_VISIT POSTBAG_WORD (15)
#define POSTBAG_WORD_URL POSTBAG_WORD (16) /* not a word: http://... */
#define POSTBAG_WORD_URGENT POSTBAG_WORD (17)
#define POSTBAG_WORD_RIGHT POSTBAG_WORD (18)
#define POSTBAG_WORD_NOW POSTBAG_WORD (19)
#define POSTBAG_WORD_NOT POSTBAG_WORD (20)
#define POSTBAG_WORD_TELL POSTBAG_WORD (21)
#define POSTBAG_WORD_WITHOUT POSTBAG_WORD (22)
#define POSTBAG_WORD_ASKING POSTBAG_WORD (23)
#define POSTBAG_WORD_DELETE POSTBAG_WORD (24)
#define POSTBAG_WORD_DELETABLE POSTBAG_WORD (25)
#define POSTBAG_WORD_HIDDEN POSTBAG_WORD (26)
#define POSTBAG_WORD_ONLY POSTBAG_WORD (27)
#define POSTBAG_WORD_AI POSTBAG_WORD (28)
#define POSTBAG_WORD_NEW POSTBAG_WORD (29)
#define POSTBAG_WORD_POLICY POSTBAG_WORD (30)
#define POSTBAG_WORD_MUST POSTBAG_WORD (31)
#define POSTBAG_WORD_NOTE POSTBAG_WORD (32)
#define POSTBAG_WORD_ARTICLE POSTBAG_WORD (33) /* makes a noun of the next word */
#define POSTBAG_WORD_NOUN POSTBAG_WORD (34) /* can be one: "this email was sent to" is no order */

/* What the lower-case @word stands for, 0 for most words. */
guint64 postbag_shape_words_find (const char *word);

/* The set of shapes (1 << PostbagShape) in @folded (postbag_fold()); linear. */
guint32 postbag_shapes_scan (const char *folded);

/* (transfer none): as the contract has it, "instruction-override" */
const char *postbag_shape_get_name (PostbagShape shape);

/* Whether @text holds a text in base64 or ROT13 that somebody hid there; @shapes: (inout): what was
 * found in it is added */
gboolean postbag_encoded_text_scan (const char *folded, guint32 *shapes);

G_END_DECLS
