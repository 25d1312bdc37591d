/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The table of everything that can be configured. A row is one setting: its key in the file, its
 * environment variable, what it may hold. `config show`, the README's table and the checks all come
 * from here. */

typedef enum
{
  POSTBAG_CONFIG_CORE,    /* group [postbag] */
  POSTBAG_CONFIG_ACCOUNT, /* groups [account NAME] */
  POSTBAG_CONFIG_GUARDED, /* group [toolset guarded] */
} PostbagConfigScope;

typedef enum
{
  POSTBAG_CONFIG_LINE,        /* one line of text */
  POSTBAG_CONFIG_PASSWORD,    /* one line of any bytes, never shown */
  POSTBAG_CONFIG_INTEGER,     /* from minimum to maximum */
  POSTBAG_CONFIG_BOOLEAN,     /* true or false, in any letter case; anything else is refused */
  POSTBAG_CONFIG_LOCK,        /* true unless it is literally “false”: a typo fails closed */
  POSTBAG_CONFIG_RELEASE,     /* false unless it is literally “true”: likewise */
  POSTBAG_CONFIG_WORD,        /* one of the row's words */
  POSTBAG_CONFIG_NAME,        /* a name that a plugin gives */
  POSTBAG_CONFIG_HOST,        /* a host name or an address */
  POSTBAG_CONFIG_HOSTS,       /* a list of them */
  POSTBAG_CONFIG_AUTHSERV_ID, /* shaped like a host name */
  POSTBAG_CONFIG_ADDRESS,     /* of a person, without a name */
  POSTBAG_CONFIG_MAILBOX,
  POSTBAG_CONFIG_KEYWORD, /* an IMAP keyword */
  POSTBAG_CONFIG_MEDIA_TYPES,
  POSTBAG_CONFIG_FOLDER,          /* a path, made absolute */
  POSTBAG_CONFIG_EXISTING_FOLDER, /* a path that has to be there, stored as its real path */
  POSTBAG_CONFIG_EXISTING_FILE,
  POSTBAG_CONFIG_COMMAND, /* a program and its arguments, quoted as for a shell, which runs none */
  POSTBAG_CONFIG_PINS,    /* a list of keys of servers */
  POSTBAG_CONFIG_NAMES,   /* a list of toolsets */
  POSTBAG_CONFIG_TOOLS,   /* a list of tool names and patterns, judged when the tools are known */
  POSTBAG_CONFIG_N_TYPES
} PostbagConfigType;

typedef enum
{
  POSTBAG_CONFIG_PLAIN = 0,
  POSTBAG_CONFIG_CLAMPED = 1 << 0,          /* above the maximum means the maximum */
  POSTBAG_CONFIG_EMPTY_IS_OFF = 1 << 1,     /* an empty value is not the default but “off” */
  POSTBAG_CONFIG_ENVIRONMENT_ONLY = 1 << 2, /* has no key in the file */
} PostbagConfigFlags;

typedef struct
{
  PostbagConfigScope scope;
  const char *key;
  const char *variable; /* (nullable) */
  const char *dialect;  /* (nullable): the toolset whose dialect the variable belongs to */
  PostbagConfigType type;
  PostbagConfigFlags flags;
  const char *fallback; /* (nullable): the default */
  gint64 minimum;
  gint64 maximum;
  const char *const *words;
  const char *description;
} PostbagConfigRow;

/* Rows are numbered from 0; the number stays valid for the life of the process. */
guint postbag_config_table_get_size (void);
const PostbagConfigRow *postbag_config_table_get_row (guint index);
/* @index: (out): set when the row exists */
gboolean postbag_config_table_find (PostbagConfigScope scope, const char *key, guint *index);
/* (transfer container) (array zero-terminated=1): the keys that a group of the file may hold */
const char **postbag_config_table_list_keys (PostbagConfigScope scope);

/* Variables of a dialect that no longer exist: to be refused, with the sentence to say. */
typedef struct
{
  const char *variable;
  const char *dialect;
  const char *refusal;
} PostbagConfigRemoved;

const PostbagConfigRemoved *postbag_config_table_get_removed (gsize *count);

G_END_DECLS
