/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-xls-parts.h"

const char *
postbag_xls_show_error (guint code)
{
  switch (code)
    {
    case 0x00:
      return "#NULL!";
    case 0x07:
      return "#DIV/0!";
    case 0x0f:
      return "#VALUE!";
    case 0x17:
      return "#REF!";
    case 0x1d:
      return "#NAME?";
    case 0x24:
      return "#NUM!";
    default:
      return "#N/A";
    }
}
