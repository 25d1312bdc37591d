/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* From a parsed message to what its trustworthiness is judged by, and from there to the member
 * `security` of an answer. */

#include "mime/postbag-message-security.h"

#include "base/postbag-limits.h"
#include "safety/postbag-attachment-policy.h"
#include "safety/postbag-clean.h"

/* Fewer characters of words differ between honest alternatives: "view in browser". */
#define LEAST_DIFFERENCE 60

/* (transfer container): names of attachments, the message's id */
static GPtrArray *
collect_strings (PostbagMessage *message, const PostbagPart *structure)
{
  GPtrArray *strings = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) attachments = postbag_attachments_walk (structure, NULL);

  for (guint i = 0; i < attachments->len; i++)
    {
      const PostbagAttachment *attachment = g_ptr_array_index (attachments, i);

      if (attachment->part->filename != NULL)
        g_ptr_array_add (strings, g_strdup (attachment->part->filename));
    }
  if (postbag_message_get_message_id (message) != NULL)
    g_ptr_array_add (strings, g_strdup (postbag_message_get_message_id (message)));
  g_ptr_array_add (strings, NULL);
  return strings;
}

/* (transfer container) (element-type utf8): values that live as long as the message */
static GPtrArray *
collect_results (PostbagMessage *message)
{
  GPtrArray *fields = g_ptr_array_new ();
  const char *field = NULL;

  for (guint i = 0; i < POSTBAG_LIMIT_AUTH_RESULTS; i++)
    {
      field = postbag_message_get_header (message, "Authentication-Results", i);
      if (field == NULL)
        break;
      g_ptr_array_add (fields, (gpointer)field);
    }
  g_ptr_array_add (fields, NULL);
  return fields;
}

/* Both forms of the text, and what each says that the other does not. */
typedef struct
{
  PostbagBody *plain; /* (nullable): where there are not two */
  PostbagBody *html;  /* (nullable) */
  gboolean unknown;   /* there are two, and they cannot be compared */
} Forms;

static void
clear_forms (Forms *self)
{
  g_clear_pointer (&self->plain, postbag_body_free);
  g_clear_pointer (&self->html, postbag_body_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Forms, clear_forms)

/* @whole: (nullable): structure of a message of which either form may be cut, or not be there */
static void
read_forms (Forms *forms, PostbagMessage *message, const PostbagPart *whole,
            PostbagMessageSecurity *self)
{
  if (!postbag_message_read_alternatives (message, &forms->plain, &forms->html))
    {
      forms->unknown = whole != NULL && postbag_part_has_alternatives (whole);
      return;
    }
  forms->unknown = !forms->plain->complete || !forms->html->complete;
  if (forms->unknown)
    return;
  postbag_alternatives_compare (forms->plain->text, forms->html->text, &self->only_plain,
                                &self->only_html);
  if (MAX (self->only_plain, self->only_html) < LEAST_DIFFERENCE)
    self->only_plain = self->only_html = 0;
}

/* Of the form that is shown, and of the HTML where that is the other one. */
static void
take_reports (PostbagMessageSecurity *self, const PostbagBody *body, const Forms *forms)
{
  self->report = postbag_html_report_new ();
  if (body->report != NULL)
    postbag_html_report_merge (self->report, body->report);
  if (forms->html != NULL && !body->is_html)
    postbag_html_report_merge (self->report, forms->html->report);
}

/* The codes of the message and of its text first, those of the examination behind them. */
static void
add_warnings (PostbagMessageSecurity *self, PostbagMessage *message, const PostbagBody *body,
              gboolean is_cut, gboolean not_compared)
{
  const char *const *codes = postbag_message_get_warnings (message);
  PostbagSecurity *security = self->security;
  g_autoptr (GPtrArray) examined = security->warnings;

  security->warnings = g_ptr_array_new_with_free_func (g_free);
  for (gsize i = 0; codes[i] != NULL; i++)
    if (!is_cut || strcmp (codes[i], "unclosed_multipart") != 0)
      postbag_security_warn (security, codes[i]);
  for (gsize i = 0; body->warnings != NULL && body->warnings[i] != NULL; i++)
    postbag_security_warn (security, body->warnings[i]);
  if (!body->complete)
    postbag_security_warn (security, "text_incomplete");
  if (self->only_plain + self->only_html > 0)
    postbag_security_warn (security, "text_html_differ");
  if (not_compared)
    postbag_security_warn (security, "text_html_not_compared");
  for (guint i = 0; i < examined->len; i++)
    postbag_security_warn (security, g_ptr_array_index (examined, i));
}

PostbagMessageSecurity *
postbag_message_examine (PostbagMessage *message, const PostbagBody *body,
                         const PostbagMessageContext *context)
{
  PostbagMessageSecurity *self = g_new0 (PostbagMessageSecurity, 1);
  const PostbagPart *structure =
      context->whole != NULL ? context->whole : postbag_message_get_structure (message);
  g_autoptr (GPtrArray) strings = collect_strings (message, structure);
  g_autoptr (GPtrArray) results = collect_results (message);
  g_auto (Forms) forms = { 0 };
  const PostbagBody *other;
  const char *texts[] = { body->text, NULL, NULL };
  PostbagSecurityInput input = {
    .from = postbag_message_get_addresses (message, "From"),
    .reply_to = postbag_message_get_addresses (message, "Reply-To"),
    .subject = postbag_message_get_subject (message),
    .texts = texts,
    .strings = (const char *const *)strings->pdata,
    .authentication_results = (const char *const *)results->pdata,
    .own_address = context->own_address,
    .trusted_authserv_id = context->trusted_authserv_id,
    .first_time_sender = context->first_time_sender,
    .contacts = context->contacts,
  };

  read_forms (&forms, message, context->whole, self);
  other = body->is_html ? forms.plain : forms.html;
  texts[1] = other != NULL ? other->text : NULL;
  self->security = postbag_security_examine (&input);
  take_reports (self, body, &forms);
  add_warnings (self, message, body, context->whole != NULL, forms.unknown);
  return self;
}

void
postbag_message_security_free (PostbagMessageSecurity *self)
{
  if (self == NULL)
    return;
  postbag_security_free (self->security);
  postbag_html_report_free (self->report);
  g_free (self);
}

/* --- writing --- */

static void
write_strings (PostbagResult *result, const char *name, GPtrArray *strings)
{
  postbag_result_begin_array (result, name);
  for (guint i = 0; i < MIN (strings->len, POSTBAG_LIMIT_WARNINGS_SHOWN); i++)
    {
      g_autofree char *clean = postbag_clean (g_ptr_array_index (strings, i), POSTBAG_CLEAN_LINE,
                                              POSTBAG_LIMIT_FLAG_CHARS, NULL);

      postbag_result_string (result, NULL, clean);
    }
  postbag_result_end_array (result);
}

static void
write_auth (PostbagResult *result, const PostbagSecurity *security)
{
  postbag_result_begin_object (result, "auth");
  postbag_result_string (result, "spf", security->spf);
  postbag_result_string (result, "dkim", security->dkim);
  postbag_result_string (result, "dmarc", security->dmarc);
  if (security->authserv_id != NULL)
    postbag_result_string (result, "authservId", security->authserv_id);
  postbag_result_boolean (result, "forgeable", security->forgeable);
  postbag_result_end_object (result);
}

static void
write_hidden (PostbagResult *result, const PostbagHtmlReport *report)
{
  if (report->hidden_chars == 0)
    return;
  postbag_result_begin_object (result, "hidden_text");
  postbag_result_int (result, "chars", (gint64)report->hidden_chars);
  postbag_result_begin_array (result, "reasons");
  for (guint i = 0; i < report->hidden->len; i++)
    {
      const PostbagHiddenText *hidden = &g_array_index (report->hidden, PostbagHiddenText, i);

      postbag_result_begin_object (result, NULL);
      postbag_result_string (result, "reason", hidden->reason);
      postbag_result_int (result, "chars", (gint64)hidden->chars);
      postbag_result_end_object (result);
    }
  postbag_result_end_array (result);
  postbag_result_end_object (result);
}

static void
write_mismatch (PostbagResult *result, const PostbagLinkMismatch *mismatch)
{
  g_autofree char *text =
      postbag_clean (mismatch->text, POSTBAG_CLEAN_LINE, POSTBAG_LIMIT_QUOTE_CHARS, NULL);
  g_autofree char *host =
      postbag_clean (mismatch->host, POSTBAG_CLEAN_LINE, POSTBAG_LIMIT_NAME_CHARS, NULL);

  postbag_result_begin_object (result, NULL);
  postbag_result_string (result, "text", text);
  postbag_result_string (result, "leads_to", host);
  postbag_result_end_object (result);
}

static void
write_report (PostbagResult *result, const PostbagHtmlReport *report)
{
  write_hidden (result, report);
  if (report->mismatches->len > 0)
    {
      postbag_result_begin_array (result, "links");
      for (guint i = 0; i < MIN (report->mismatches->len, POSTBAG_LIMIT_WARNINGS_SHOWN); i++)
        write_mismatch (result, g_ptr_array_index (report->mismatches, i));
      postbag_result_end_array (result);
    }
  if (report->tracking_images > 0)
    postbag_result_int (result, "trackingImages", report->tracking_images);
}

void
postbag_message_security_write (const PostbagMessageSecurity *self, PostbagResult *result)
{
  postbag_result_begin_object (result, "security");
  write_strings (result, "suspicious", self->security->suspicious);
  write_strings (result, "scriptMix", self->security->script_mix);
  write_auth (result, self->security);
  write_strings (result, "warnings", self->security->warnings);
  if (self->only_plain + self->only_html > 0)
    {
      postbag_result_begin_object (result, "text_html_differ");
      postbag_result_int (result, "only_text", (gint64)self->only_plain);
      postbag_result_int (result, "only_html", (gint64)self->only_html);
      postbag_result_end_object (result);
    }
  write_report (result, self->report);
  postbag_result_end_object (result);
}
