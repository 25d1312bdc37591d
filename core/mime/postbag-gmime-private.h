/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gmime/gmime.h>

/* The cleanups that GMime lacks. */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GMimeStream, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GMimeParser, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GMimeObject, g_object_unref)
