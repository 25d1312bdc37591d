/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "base/postbag-api.h"
#include "extract/postbag-extractor.h"

G_BEGIN_DECLS

/* What the server and the worker say to each other. Sequenced packets, so that each message is
 * whole; both sides are the same build, so that numbers travel as they lie in memory. What a child
 * sends is hostile: it has read the document.
 *
 * Server to zygote: one byte, "give me a child". Zygote to server: a kind and text; with
 * POSTBAG_WIRE_CHILD two descriptors: the child's own socket, and a leash. Closing the leash kills
 * the child; its wait status comes over it.
 *
 * Child to server: READY first (or NO_CAGE), before any document is sent; the server sends one job
 * with the document's memfd; then TEXT, COUNT and NOTE, and DONE or FAIL. */

typedef enum
{
  /* zygote to server */
  POSTBAG_WIRE_LOADING = 1, /* text: a plugin's name, before it is opened */
  POSTBAG_WIRE_BROKEN,      /* text: a plugin's name; it cannot be used */
  POSTBAG_WIRE_STARTED,     /* all plugins were tried */
  POSTBAG_WIRE_CHILD,       /* with the descriptors */
  POSTBAG_WIRE_NO_CHILD,    /* value: an errno */
  /* child to server */
  POSTBAG_WIRE_READY,   /* value: PostbagCageLayers that are closed */
  POSTBAG_WIRE_NO_CAGE, /* text: which layer; value: an errno */
  POSTBAG_WIRE_TEXT,
  POSTBAG_WIRE_COUNT, /* text: the name; value */
  POSTBAG_WIRE_NOTE,
  POSTBAG_WIRE_DONE, /* value: whether the text was cut */
  POSTBAG_WIRE_FAIL, /* value: a PostbagExtractReason */
} PostbagWireKind;

#define POSTBAG_WIRE_TEXT_BYTES (32 * 1024)

typedef struct
{
  guint32 kind;
  guint32 length; /* of @text */
  gint64 value;
  char text[POSTBAG_WIRE_TEXT_BYTES];
} PostbagWireMessage;

/* One document to read; the memfd travels beside it. Strings end in NUL. */
typedef struct
{
  guint32 magic;
  guint32 limits; /* PostbagExtractLimits */
  guint64 length;
  char content_type[128];
  char charset[64];
  char member[1024];
} PostbagWireJob;

#define POSTBAG_WIRE_MAGIC 0x70624a31

/* How a child says with its exit status what it was caught at. */
typedef enum
{
  POSTBAG_CHILD_FINISHED = 0,
  POSTBAG_CHILD_MEMORY = 101,
  POSTBAG_CHILD_EXEC = 102,
  POSTBAG_CHILD_FORK = 103,
  POSTBAG_CHILD_FORBIDDEN = 104,
} PostbagChildExit;

/* The layers of the cage. */
typedef enum
{
  POSTBAG_CAGE_PRIVILEGES = 1 << 0, /* none, and none to be gained; not readable by others */
  POSTBAG_CAGE_LIMITS = 1 << 1,     /* processor time, files, descriptors, processes */
  POSTBAG_CAGE_MEMORY = 1 << 2,
  POSTBAG_CAGE_CALLS = 1 << 3,   /* seccomp */
  POSTBAG_CAGE_FILES = 1 << 4,   /* Landlock */
  POSTBAG_CAGE_NETWORK = 1 << 5, /* Landlock, from Linux 6.7 on */
  POSTBAG_CAGE_SCOPE = 1 << 6,   /* Landlock, from Linux 6.12 on: signals, abstract sockets */
} PostbagCageLayers;

/* Both: whether it went out or came in whole; else %FALSE with errno. @message of a fitting
 * @length only. @fds: up to two, -1 for none; received ones are the caller's. */
POSTBAG_API gboolean postbag_wire_send (int fd, const void *packet, gsize length, const int *fds,
                                        gsize n_fds);
/* @fds: two, set to -1 where none came; %NULL refuses descriptors. At the end of the stream %FALSE
 * with errno 0; for a packet that is too long EMSGSIZE. */
POSTBAG_API gboolean postbag_wire_receive (int fd, void *packet, gsize size, gsize *length,
                                           int *fds);
/* Fills and sends a message. @length at most POSTBAG_WIRE_TEXT_BYTES. */
POSTBAG_API gboolean postbag_wire_say (int fd, PostbagWireKind kind, gint64 value, const char *text,
                                       gsize length, const int *fds, gsize n_fds);
/* Receives one and checks that its length is true. */
POSTBAG_API gboolean postbag_wire_hear (int fd, PostbagWireMessage *message, int *fds);

G_END_DECLS
