/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a library does when memory is refused differs: it aborts, throws, returns half a document,
 * or none with success. So that this is told apart from a crash and from an empty document, the
 * program stands in front of malloc() and ends a child at the first refusal. With sanitizers the
 * allocator is theirs, and there is no limit to hit. */

#include "extract/postbag-worker-private.h"

#include <errno.h>
#include <features.h>
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

#include "extract/postbag-wire-private.h"

static gboolean ends_when_exhausted;

void
postbag_allocation_end_when_exhausted (void)
{
  ends_when_exhausted = TRUE;
}

#if defined(__GLIBC__) && defined(POSTBAG_OWN_ALLOCATION)

extern void *__libc_malloc (size_t size);
extern void *__libc_calloc (size_t count, size_t size);
extern void *__libc_realloc (void *memory, size_t size);
extern void *__libc_memalign (size_t alignment, size_t size);

static void *
check (void *memory, size_t size)
{
  if (memory == NULL && size > 0 && ends_when_exhausted)
    _exit (POSTBAG_CHILD_MEMORY);
  return memory;
}

POSTBAG_API void *
malloc (size_t size)
{
  return check (__libc_malloc (size), size);
}

POSTBAG_API void *
calloc (size_t count, size_t size)
{
  return check (__libc_calloc (count, size), count > 0 ? size : 0);
}

POSTBAG_API void *
realloc (void *memory, size_t size)
{
  return check (__libc_realloc (memory, size), size);
}

POSTBAG_API void *
memalign (size_t alignment, size_t size)
{
  return check (__libc_memalign (alignment, size), size);
}

/* GLib's slices come from here. */
POSTBAG_API int
posix_memalign (void **memory, size_t alignment, size_t size)
{
  void *made = check (__libc_memalign (alignment, size), size);

  if (made == NULL && size > 0)
    return ENOMEM;
  *memory = made;
  return 0;
}

POSTBAG_API void *
aligned_alloc (size_t alignment, size_t size)
{
  return check (__libc_memalign (alignment, size), size);
}

#endif
