/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "postbag-ole-readers.h"

G_BEGIN_DECLS

/* Types of records ([MS-PPT] 2.13.24, [MS-ODRAW] 2.2 from 0xf000 on). */
enum
{
  POSTBAG_PPT_DOCUMENT = 0x03e8,
  POSTBAG_PPT_SLIDE = 0x03ee,
  POSTBAG_PPT_SLIDE_ATOM = 0x03ef,
  POSTBAG_PPT_NOTES = 0x03f0,
  POSTBAG_PPT_SLIDE_PERSIST = 0x03f3,
  POSTBAG_PPT_SHOW_INFO = 0x03f9,
  POSTBAG_PPT_LINKS = 0x0409,
  POSTBAG_PPT_DRAWING = 0x040c,
  POSTBAG_PPT_DOCUMENT_INFO = 0x07d0,
  POSTBAG_PPT_PLACEHOLDER = 0x0bc3,
  POSTBAG_PPT_OUTLINE_REFERENCE = 0x0f9e,
  POSTBAG_PPT_TEXT_HEADER = 0x0f9f,
  POSTBAG_PPT_TEXT_WIDE = 0x0fa0,
  POSTBAG_PPT_TEXT_STYLES = 0x0fa1,
  POSTBAG_PPT_TEXT_NARROW = 0x0fa8,
  POSTBAG_PPT_NUMBERING = 0x0fac,
  POSTBAG_PPT_NUMBERINGS_OF_SLIDES = 0x0fae,
  POSTBAG_PPT_NUMBERING_OF_SLIDE = 0x0faf,
  POSTBAG_PPT_STRING = 0x0fba,
  POSTBAG_PPT_LINK_ATOM = 0x0fd3,
  POSTBAG_PPT_LINK = 0x0fd7,
  POSTBAG_PPT_META_NUMBER = 0x0fd8,
  POSTBAG_PPT_LINK_RANGE = 0x0fdf,
  POSTBAG_PPT_SLIDE_LIST = 0x0ff0,
  POSTBAG_PPT_LINK_INFO = 0x0ff2,
  POSTBAG_PPT_LINK_INFO_ATOM = 0x0ff3,
  POSTBAG_PPT_EDIT = 0x0ff5,
  POSTBAG_PPT_META_DATE = 0x0ff7,
  POSTBAG_PPT_META_FOOTER = 0x0ffa, /* 0x0ff8: another date, 0x0ff9: the header */
  POSTBAG_PPT_META_RTF_DATE = 0x1015,
  POSTBAG_PPT_TAGS = 0x1388,
  POSTBAG_PPT_TAG = 0x138a,
  POSTBAG_PPT_TAG_DATA = 0x138b,
  POSTBAG_PPT_PERSIST_DIRECTORY = 0x1772,
  POSTBAG_PPT_CRYPT = 0x2f14,
  POSTBAG_PPT_SHAPES = 0xf002,
  POSTBAG_PPT_GROUP = 0xf003,
  POSTBAG_PPT_SHAPE = 0xf004,
  POSTBAG_PPT_SHAPE_ATOM = 0xf00a,
  POSTBAG_PPT_PROPERTIES = 0xf00b,
  POSTBAG_PPT_TEXT_BOX = 0xf00d,
  POSTBAG_PPT_CHILD_ANCHOR = 0xf00f,
  POSTBAG_PPT_CLIENT_DATA = 0xf011,
  POSTBAG_PPT_MORE_PROPERTIES = 0xf122,
};

typedef struct
{
  guint instance;
  guint type;
  PostbagOleBytes bytes; /* of its content, within those of the record around it */
} PostbagPptRecord;

/* Returns: %FALSE at the end. @at: of the next record */
gboolean postbag_ppt_next (const PostbagOleBytes *bytes, gsize *at, PostbagPptRecord *record);
/* The first of that type, not inside others. */
gboolean postbag_ppt_find (const PostbagOleBytes *bytes, guint type, PostbagPptRecord *record);

/**
 * PostbagPptFile:
 *
 * Which of the objects in a stream are alive: a save appends what it changed, with a directory of
 * it, and leads to the directory before ([MS-PPT] 2.1.2).
 */
typedef struct
{
  const PostbagOleBytes *stream;
  GHashTable *places; /* by their ids: offsets + 1 */
  guint32 document;   /* id */
  gboolean encrypted;
} PostbagPptFile;

/* @user: the stream "Current User", empty where there is none */
void postbag_ppt_file_open (PostbagPptFile *self, const PostbagOleBytes *stream,
                            const PostbagOleBytes *user);
void postbag_ppt_file_close (PostbagPptFile *self);
/* Returns: %FALSE where there is none of that id, or of another type */
gboolean postbag_ppt_file_get (const PostbagPptFile *self, guint32 id, guint type,
                               PostbagPptRecord *record);

G_END_DECLS
