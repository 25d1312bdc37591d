/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mcp/postbag-resource.h"

G_BEGIN_DECLS

/* URIs of resources (RFC 3986) and the templates that name families of them (RFC 6570, level 1:
 * `{variable}` for one segment). */

/* Whether it may be looked at at all: bounded, a scheme, only the characters of RFC 3986, whole
 * percent escapes, nowhere a segment `.` or `..`, escaped ones and those inside a segment included,
 * no escaped control character. */
POSTBAG_API gboolean postbag_resource_uri_is_well_formed (const char *uri);
/* (transfer full) (nullable): %NULL when @uri, well formed, is not of that template; a template
 * without variables is compared whole */
POSTBAG_API PostbagResourceUri *postbag_resource_uri_match (const char *uri,
                                                            const char *uri_template);
POSTBAG_API void postbag_resource_uri_free (PostbagResourceUri *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagResourceUri, postbag_resource_uri_free)

G_END_DECLS
