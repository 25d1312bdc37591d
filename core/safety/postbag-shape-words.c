/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The words of the shapes, as they are after folding: lower case, accents gone. English in full;
 * for "ignore the previous instructions" the largest other languages of mail as well. */

#include "safety/postbag-shapes-private.h"

#include "safety/postbag-fold-private.h"

#define OVERRIDE POSTBAG_WORD_OVERRIDE
#define PRIOR POSTBAG_WORD_PRIOR
#define INSTRUCTION POSTBAG_WORD_INSTRUCTION
#define ROLE POSTBAG_WORD_ROLE
#define DELIMITER POSTBAG_WORD_DELIMITER
#define ARMOR POSTBAG_WORD_ARMOR
#define CALL POSTBAG_WORD_CALL
#define TOOL POSTBAG_WORD_TOOL
#define SEND POSTBAG_WORD_SEND
#define TO POSTBAG_WORD_TO
#define REVEAL POSTBAG_WORD_REVEAL
#define CREDENTIAL POSTBAG_WORD_CREDENTIAL
#define API POSTBAG_WORD_API
#define KEY POSTBAG_WORD_KEY
#define VISIT POSTBAG_WORD_VISIT
#define URGENT POSTBAG_WORD_URGENT
#define RIGHT POSTBAG_WORD_RIGHT
#define NOW POSTBAG_WORD_NOW
#define NOT POSTBAG_WORD_NOT
#define TELL POSTBAG_WORD_TELL
#define WITHOUT POSTBAG_WORD_WITHOUT
#define ASKING POSTBAG_WORD_ASKING
#define DELETE POSTBAG_WORD_DELETE
#define DELETABLE POSTBAG_WORD_DELETABLE
#define HIDDEN POSTBAG_WORD_HIDDEN
#define ONLY POSTBAG_WORD_ONLY
#define AI POSTBAG_WORD_AI
#define NEW POSTBAG_WORD_NEW
#define POLICY POSTBAG_WORD_POLICY
#define MUST POSTBAG_WORD_MUST
#define NOTE POSTBAG_WORD_NOTE
#define ARTICLE POSTBAG_WORD_ARTICLE
#define NOUN POSTBAG_WORD_NOUN

typedef struct
{
  const char *word;
  guint64 words;
} Entry;

static const Entry entries[] = {
  { "ignore", OVERRIDE },
  { "ignoring", OVERRIDE },
  { "disregard", OVERRIDE },
  { "disregarding", OVERRIDE },
  { "forget", OVERRIDE },
  { "override", OVERRIDE },
  { "overrule", OVERRIDE },
  { "bypass", OVERRIDE },
  { "neglect", OVERRIDE },
  { "ignoriere", OVERRIDE },
  { "ignorieren", OVERRIDE },
  { "vergiss", OVERRIDE },
  { "missachte", OVERRIDE },
  { "ignorez", OVERRIDE },
  { "ignorer", OVERRIDE },
  { "oubliez", OVERRIDE },
  { "oublie", OVERRIDE },
  { "ignora", OVERRIDE },
  { "ignorad", OVERRIDE },
  { "olvida", OVERRIDE },
  { "olvide", OVERRIDE },
  { "ignorare", OVERRIDE },
  { "dimentica", OVERRIDE },
  { "esqueca", OVERRIDE },
  { "desconsidere", OVERRIDE },
  { "negeer", OVERRIDE },
  { "vergeet", OVERRIDE },
  { "игнорируй", OVERRIDE },
  { "игнорируйте", OVERRIDE },
  { "забудь", OVERRIDE },
  { "забудьте", OVERRIDE },
  { "zignoruj", OVERRIDE },
  { "previous", PRIOR },
  { "previously", PRIOR },
  { "prior", PRIOR },
  { "above", PRIOR },
  { "earlier", PRIOR },
  { "all", PRIOR | DELETABLE },
  { "preceding", PRIOR },
  { "foregoing", PRIOR },
  { "former", PRIOR },
  { "vorherigen", PRIOR },
  { "bisherigen", PRIOR },
  { "vorigen", PRIOR },
  { "fruheren", PRIOR },
  { "obigen", PRIOR },
  { "alle", PRIOR },
  { "precedentes", PRIOR },
  { "precedente", PRIOR },
  { "toutes", PRIOR },
  { "anteriores", PRIOR },
  { "anterior", PRIOR },
  { "todas", PRIOR },
  { "precedenti", PRIOR },
  { "tutte", PRIOR },
  { "vorige", PRIOR },
  { "eerdere", PRIOR },
  { "предыдущие", PRIOR },
  { "предыдущих", PRIOR },
  { "все", PRIOR },
  { "wszystkie", PRIOR },
  { "poprzednie", PRIOR },
  { "instruction", INSTRUCTION | DELIMITER | NOTE },
  { "instructions", INSTRUCTION | DELIMITER | NOTE },
  { "prompt", INSTRUCTION | DELIMITER },
  { "prompts", INSTRUCTION },
  { "rule", INSTRUCTION | POLICY },
  { "rules", INSTRUCTION | POLICY },
  { "direction", INSTRUCTION },
  { "directions", INSTRUCTION },
  { "directive", INSTRUCTION },
  { "directives", INSTRUCTION },
  { "guidelines", INSTRUCTION | POLICY },
  { "anweisung", INSTRUCTION },
  { "anweisungen", INSTRUCTION },
  { "regeln", INSTRUCTION },
  { "instrucciones", INSTRUCTION },
  { "instruccion", INSTRUCTION },
  { "istruzioni", INSTRUCTION },
  { "instrucoes", INSTRUCTION },
  { "instructies", INSTRUCTION },
  { "инструкции", INSTRUCTION },
  { "правила", INSTRUCTION },
  { "instrukcje", INSTRUCTION },
  { "system", ROLE | DELIMITER },
  { "assistant", ROLE | AI },
  { "developer", ROLE },
  { "begin", DELIMITER },
  { "end", DELIMITER },
  { "pgp", ARMOR },
  { "certificate", ARMOR },
  { "certificates", ARMOR },
  { "rsa", ARMOR },
  { "dsa", ARMOR },
  { "ec", ARMOR },
  { "ssh2", ARMOR },
  { "openssh", ARMOR },
  { "public", ARMOR },
  { "private", ARMOR },
  { "encrypted", ARMOR },
  { "forwarded", ARMOR },
  { "forward", ARMOR | SEND },
  { "original", ARMOR },
  { "included", ARMOR },
  { "include", ARMOR },
  { "x509", ARMOR },
  { "geek", ARMOR },
  { "privacy", ARMOR },
  { "message", ARMOR | DELETABLE | NOTE },
  { "dh", ARMOR },
  { "pkcs7", ARMOR },
  { "cms", ARMOR },
  { "call", CALL },
  { "invoke", CALL },
  { "run", CALL },
  { "execute", CALL },
  { "use", CALL },
  { "using", CALL },
  { "trigger", CALL },
  { "tool", TOOL },
  { "tools", TOOL },
  { "function", TOOL },
  { "functions", TOOL },
  { "command", TOOL },
  { "commands", TOOL },
  { "api", TOOL | API },
  { "send", SEND | REVEAL },
  { "email", SEND | DELETABLE | NOUN },
  { "mail", DELETABLE },
  { "post", SEND | NOUN },
  { "upload", SEND | NOUN },
  { "leak", SEND | REVEAL | NOUN },
  { "transmit", SEND },
  { "submit", SEND },
  { "exfiltrate", SEND },
  { "sende", SEND },
  { "schicke", SEND },
  { "envoyez", SEND },
  { "envoie", SEND },
  { "envia", SEND },
  { "reenvia", SEND },
  { "to", TO },
  { "at", TO },
  { "reveal", REVEAL },
  { "show", REVEAL },
  { "tell", REVEAL | TELL },
  { "give", REVEAL },
  { "share", REVEAL },
  { "disclose", REVEAL },
  { "print", REVEAL },
  { "output", REVEAL },
  { "display", REVEAL },
  { "expose", REVEAL },
  { "dump", REVEAL },
  { "provide", REVEAL },
  { "repeat", REVEAL },
  { "return", REVEAL },
  { "password", CREDENTIAL },
  { "passwords", CREDENTIAL },
  { "passphrase", CREDENTIAL },
  { "passcode", CREDENTIAL },
  { "secret", CREDENTIAL },
  { "secrets", CREDENTIAL },
  { "token", CREDENTIAL },
  { "tokens", CREDENTIAL },
  { "credential", CREDENTIAL },
  { "credentials", CREDENTIAL },
  { "apikey", CREDENTIAL },
  { "passwort", CREDENTIAL },
  { "kennwort", CREDENTIAL },
  { "key", KEY },
  { "keys", KEY },
  { "visit", VISIT },
  { "open", VISIT },
  { "fetch", VISIT },
  { "browse", VISIT },
  { "navigate", VISIT },
  { "urgent", URGENT },
  { "urgently", URGENT },
  { "immediately", URGENT },
  { "asap", URGENT },
  { "right", RIGHT },
  { "now", NOW },
  { "not", NOT },
  { "dont", NOT },
  { "never", NOT },
  { "cannot", NOT },
  { "mention", TELL },
  { "inform", TELL },
  { "alert", TELL },
  { "notify", TELL },
  { "without", WITHOUT },
  { "asking", ASKING },
  { "telling", ASKING },
  { "informing", ASKING },
  { "notifying", ASKING },
  { "mentioning", ASKING },
  { "confirming", ASKING },
  { "confirmation", ASKING },
  { "alerting", ASKING },
  { "delete", DELETE },
  { "remove", DELETE },
  { "erase", DELETE },
  { "wipe", DELETE },
  { "purge", DELETE },
  { "deleting", DELETE },
  { "every", DELETABLE },
  { "mails", DELETABLE },
  { "emails", DELETABLE },
  { "messages", DELETABLE | NOTE },
  { "inbox", DELETABLE },
  { "folder", DELETABLE },
  { "folders", DELETABLE },
  { "mailbox", DELETABLE },
  { "everything", DELETABLE },
  { "note", NOTE },
  { "notes", NOTE },
  { "hidden", HIDDEN },
  { "invisible", HIDDEN },
  { "only", ONLY },
  { "ai", AI },
  { "assistants", AI },
  { "model", AI },
  { "models", AI },
  { "llm", AI },
  { "llms", AI },
  { "new", NEW },
  { "updated", NEW },
  { "revised", NEW },
  { "policy", POLICY },
  { "policies", POLICY },
  { "guideline", POLICY },
  { "must", MUST },
  { "should", MUST },
  { "required", MUST },
  { "shall", MUST },
  { "a", ARTICLE },
  { "an", ARTICLE },
  { "any", ARTICLE },
  { "each", ARTICLE },
  { "her", ARTICLE },
  { "his", ARTICLE },
  { "my", ARTICLE },
  { "no", ARTICLE },
  { "of", ARTICLE },
  { "or", ARTICLE },
  { "our", ARTICLE },
  { "that", ARTICLE },
  { "the", ARTICLE },
  { "this", ARTICLE },
  { "via", ARTICLE },
  { "your", ARTICLE },
};

static gpointer
build_table (gpointer unused)
{
  GHashTable *table = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (entries); i++)
    g_hash_table_insert (table, postbag_fold (entries[i].word), (gpointer)&entries[i]);
  return table;
}

guint64
postbag_shape_words_find (const char *word)
{
  static GOnce once = G_ONCE_INIT;
  GHashTable *table = g_once (&once, build_table, NULL);
  const Entry *entry = g_hash_table_lookup (table, word);

  return entry != NULL ? entry->words : 0;
}
