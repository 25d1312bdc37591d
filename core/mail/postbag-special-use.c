/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mail/postbag-special-use.h"

#include <string.h>

/* Exactly as programs and providers write them; whoever knows another one adds a line. The order is
 * that of preference. */
static const struct
{
  const char *name;
  const char *use;
} well_known[] = {
  { "Sent", "\\Sent" },
  { "Sent Items", "\\Sent" },
  { "Sent Messages", "\\Sent" },
  { "Sent Mail", "\\Sent" },
  { "Gesendet", "\\Sent" },
  { "Gesendete Elemente", "\\Sent" },
  { "Gesendete Objekte", "\\Sent" },
  { "Gesendete Nachrichten", "\\Sent" },
  { "Envoyés", "\\Sent" },
  { "Éléments envoyés", "\\Sent" },
  { "Messages envoyés", "\\Sent" },
  { "Enviados", "\\Sent" },
  { "Elementos enviados", "\\Sent" },
  { "Enviadas", "\\Sent" },
  { "Itens Enviados", "\\Sent" },
  { "Posta inviata", "\\Sent" },
  { "Inviati", "\\Sent" },
  { "Inviata", "\\Sent" },
  { "Verzonden", "\\Sent" },
  { "Verzonden items", "\\Sent" },
  { "Verzonden objecten", "\\Sent" },
  { "Wysłane", "\\Sent" },
  { "Elementy wysłane", "\\Sent" },
  { "Skickat", "\\Sent" },
  { "Skickade objekt", "\\Sent" },
  { "Sendt", "\\Sent" },
  { "Sendte elementer", "\\Sent" },
  { "Sendt post", "\\Sent" },
  { "Lähetetyt", "\\Sent" },
  { "Odeslané", "\\Sent" },
  { "Odeslaná pošta", "\\Sent" },
  { "Odoslané", "\\Sent" },
  { "Elküldött", "\\Sent" },
  { "Elküldött elemek", "\\Sent" },
  { "Trimise", "\\Sent" },
  { "Elemente trimise", "\\Sent" },
  { "Gönderilmiş", "\\Sent" },
  { "Gönderilmiş Öğeler", "\\Sent" },
  { "Απεσταλμένα", "\\Sent" },
  { "Отправленные", "\\Sent" },
  { "Надіслані", "\\Sent" },
  { "送信済み", "\\Sent" },
  { "送信済みアイテム", "\\Sent" },
  { "送信済みメール", "\\Sent" },
  { "已发送", "\\Sent" },
  { "已发送邮件", "\\Sent" },
  { "寄件備份", "\\Sent" },
  { "보낸편지함", "\\Sent" },
  { "보낸메일함", "\\Sent" },
  { "Drafts", "\\Drafts" },
  { "Draft", "\\Drafts" },
  { "Entwürfe", "\\Drafts" },
  { "Entwurf", "\\Drafts" },
  { "Brouillons", "\\Drafts" },
  { "Borradores", "\\Drafts" },
  { "Rascunhos", "\\Drafts" },
  { "Bozze", "\\Drafts" },
  { "Concepten", "\\Drafts" },
  { "Kopie robocze", "\\Drafts" },
  { "Wersje robocze", "\\Drafts" },
  { "Szkice", "\\Drafts" },
  { "Robocze", "\\Drafts" },
  { "Utkast", "\\Drafts" },
  { "Kladder", "\\Drafts" },
  { "Luonnokset", "\\Drafts" },
  { "Koncepty", "\\Drafts" },
  { "Rozpracované", "\\Drafts" },
  { "Piszkozatok", "\\Drafts" },
  { "Ciorne", "\\Drafts" },
  { "Schițe", "\\Drafts" },
  { "Taslaklar", "\\Drafts" },
  { "Πρόχειρα", "\\Drafts" },
  { "Черновики", "\\Drafts" },
  { "Чернетки", "\\Drafts" },
  { "下書き", "\\Drafts" },
  { "草稿", "\\Drafts" },
  { "草稿箱", "\\Drafts" },
  { "임시보관함", "\\Drafts" },
  { "임시 보관함", "\\Drafts" },
  { "Trash", "\\Trash" },
  { "Deleted Items", "\\Trash" },
  { "Deleted Messages", "\\Trash" },
  { "Deleted", "\\Trash" },
  { "Bin", "\\Trash" },
  { "Papierkorb", "\\Trash" },
  { "Gelöschte Elemente", "\\Trash" },
  { "Gelöschte Objekte", "\\Trash" },
  { "Gelöscht", "\\Trash" },
  { "Corbeille", "\\Trash" },
  { "Éléments supprimés", "\\Trash" },
  { "Papelera", "\\Trash" },
  { "Elementos eliminados", "\\Trash" },
  { "Lixo", "\\Trash" },
  { "Lixeira", "\\Trash" },
  { "Itens Excluídos", "\\Trash" },
  { "Itens Eliminados", "\\Trash" },
  { "Cestino", "\\Trash" },
  { "Posta eliminata", "\\Trash" },
  { "Prullenbak", "\\Trash" },
  { "Verwijderde items", "\\Trash" },
  { "Kosz", "\\Trash" },
  { "Elementy usunięte", "\\Trash" },
  { "Papperskorgen", "\\Trash" },
  { "Borttagna objekt", "\\Trash" },
  { "Papirkurv", "\\Trash" },
  { "Slettede elementer", "\\Trash" },
  { "Slettet post", "\\Trash" },
  { "Roskakori", "\\Trash" },
  { "Poistetut", "\\Trash" },
  { "Koš", "\\Trash" },
  { "Odstraněná pošta", "\\Trash" },
  { "Kôš", "\\Trash" },
  { "Odstránená pošta", "\\Trash" },
  { "Kuka", "\\Trash" },
  { "Törölt elemek", "\\Trash" },
  { "Coș de gunoi", "\\Trash" },
  { "Elemente șterse", "\\Trash" },
  { "Çöp Kutusu", "\\Trash" },
  { "Çöp", "\\Trash" },
  { "Silinmiş Öğeler", "\\Trash" },
  { "Κάδος", "\\Trash" },
  { "Διαγραμμένα", "\\Trash" },
  { "Корзина", "\\Trash" },
  { "Удаленные", "\\Trash" },
  { "Удалённые", "\\Trash" },
  { "Кошик", "\\Trash" },
  { "Видалені", "\\Trash" },
  { "ゴミ箱", "\\Trash" },
  { "削除済みアイテム", "\\Trash" },
  { "已删除", "\\Trash" },
  { "已删除邮件", "\\Trash" },
  { "废件箱", "\\Trash" },
  { "垃圾桶", "\\Trash" },
  { "휴지통", "\\Trash" },
  { "지운편지함", "\\Trash" },
  { "Junk", "\\Junk" },
  { "Spam", "\\Junk" },
  { "Junk E-mail", "\\Junk" },
  { "Junk Email", "\\Junk" },
  { "Junk-E-Mail", "\\Junk" },
  { "Bulk Mail", "\\Junk" },
  { "Spamverdacht", "\\Junk" },
  { "Unerwünscht", "\\Junk" },
  { "Courrier indésirable", "\\Junk" },
  { "Indésirables", "\\Junk" },
  { "Pourriel", "\\Junk" },
  { "Correo no deseado", "\\Junk" },
  { "Lixo Eletrônico", "\\Junk" },
  { "Lixo Eletrónico", "\\Junk" },
  { "Lixo eletrônico", "\\Junk" },
  { "Posta indesiderata", "\\Junk" },
  { "Ongewenste e-mail", "\\Junk" },
  { "Wiadomości-śmieci", "\\Junk" },
  { "Niechciane", "\\Junk" },
  { "Skräppost", "\\Junk" },
  { "Søppelpost", "\\Junk" },
  { "Uønsket mail", "\\Junk" },
  { "Uønsket e-mail", "\\Junk" },
  { "Roskaposti", "\\Junk" },
  { "Nevyžádaná pošta", "\\Junk" },
  { "Nevyžiadaná pošta", "\\Junk" },
  { "Levélszemét", "\\Junk" },
  { "Önemsiz", "\\Junk" },
  { "Önemsiz E-posta", "\\Junk" },
  { "Ανεπιθύμητα", "\\Junk" },
  { "Спам", "\\Junk" },
  { "Нежелательная почта", "\\Junk" },
  { "Небажана пошта", "\\Junk" },
  { "迷惑メール", "\\Junk" },
  { "垃圾邮件", "\\Junk" },
  { "垃圾郵件", "\\Junk" },
  { "스팸메일함", "\\Junk" },
  { "스팸", "\\Junk" },
  { "Archive", "\\Archive" },
  { "Archives", "\\Archive" },
  { "Archiv", "\\Archive" },
  { "Archivo", "\\Archive" },
  { "Arquivo", "\\Archive" },
  { "Archivio", "\\Archive" },
  { "Archief", "\\Archive" },
  { "Archiwum", "\\Archive" },
  { "Arkiv", "\\Archive" },
  { "Arkisto", "\\Archive" },
  { "Archív", "\\Archive" },
  { "Archívum", "\\Archive" },
  { "Arhivă", "\\Archive" },
  { "Arşiv", "\\Archive" },
  { "Αρχείο", "\\Archive" },
  { "Архив", "\\Archive" },
  { "Архів", "\\Archive" },
  { "アーカイブ", "\\Archive" },
  { "存档", "\\Archive" },
  { "归档", "\\Archive" },
  { "封存", "\\Archive" },
  { "보관함", "\\Archive" },
  { "All Mail", "\\All" },
  { "Alle Nachrichten", "\\All" },
  { "Tous les messages", "\\All" },
  { "Todos", "\\All" },
  { "Tutti i messaggi", "\\All" },
  { "Вся почта", "\\All" },
  { "Starred", "\\Flagged" },
  { "Markiert", "\\Flagged" },
  { "Suivis", "\\Flagged" },
  { "Destacados", "\\Flagged" },
  { "Speciali", "\\Flagged" },
};

/* With the delimiter behind them. */
static const char *const parents[] = { "INBOX", "[Gmail]", "[Google Mail]" };

static const char *
skip_parent (const char *path, char delimiter)
{
  for (gsize i = 0; delimiter != 0 && i < G_N_ELEMENTS (parents); i++)
    {
      gsize length = strlen (parents[i]);

      if (strncmp (path, parents[i], length) == 0 && path[length] == delimiter)
        return path + length + 1;
    }
  return path;
}

/* The place of each name: made once, thousands of mailboxes may be asked about. */
static GHashTable *
get_ranks (void)
{
  static gsize ranks = 0;

  if (g_once_init_enter (&ranks))
    {
      GHashTable *table = g_hash_table_new (g_str_hash, g_str_equal);

      for (guint i = 0; i < G_N_ELEMENTS (well_known); i++)
        g_hash_table_insert (table, (gpointer)well_known[i].name, GUINT_TO_POINTER (i + 1));
      g_once_init_leave (&ranks, (gsize)table);
    }
  return (GHashTable *)ranks;
}

GPtrArray *
postbag_special_use_guess (const GPtrArray *paths, char delimiter)
{
  GPtrArray *uses = g_ptr_array_sized_new (paths->len);
  guint best[G_N_ELEMENTS (well_known)] = { 0 }; /* index into @paths and one, by rank */
  const char *taken = NULL;

  g_ptr_array_set_size (uses, (int)paths->len);
  for (guint i = 0; i < paths->len; i++)
    {
      const char *name = skip_parent (g_ptr_array_index (paths, i), delimiter);
      guint rank = GPOINTER_TO_UINT (g_hash_table_lookup (get_ranks (), name));

      if (rank > 0 && best[rank - 1] == 0)
        best[rank - 1] = i + 1;
    }
  /* The names of one use stand together. */
  for (guint i = 0; i < G_N_ELEMENTS (well_known); i++)
    if (best[i] != 0 && g_strcmp0 (taken, well_known[i].use) != 0)
      {
        taken = well_known[i].use;
        uses->pdata[best[i] - 1] = (gpointer)taken;
      }
  return uses;
}
