/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Every bound on what comes from outside, in one place, each with its reason. A number, length or
 * count is checked against its line here before anything is allocated or looped over. */

/* --- JSON and the protocol --- */

/* One protocol line. The official SDKs cap their line buffer at 10 MiB; requests that carry a
 * draft with its text stay far below. A longer line is skipped and answered with an error. */
#define POSTBAG_LIMIT_LINE_BYTES (10 * 1024 * 1024)
/* Nesting of JSON from outside. json-glib recurses when it frees a tree; 128 levels fit the
 * smallest thread stack we use. */
#define POSTBAG_LIMIT_JSON_DEPTH 128
/* Values in one JSON document: bounds memory to a small multiple of the line. */
#define POSTBAG_LIMIT_JSON_VALUES 200000
/* Members of one object. GLib's string hash is not seeded: names made to collide cost the square
 * of this, about a second for the longest line. */
#define POSTBAG_LIMIT_JSON_MEMBERS 500
/* A JSON Schema of a tool, and how deep its evaluation may go ($ref loops end here). */
#define POSTBAG_LIMIT_SCHEMA_BYTES (256 * 1024)
#define POSTBAG_LIMIT_SCHEMA_DEPTH 64
#define POSTBAG_LIMIT_SCHEMA_NODES 20000
/* A toolset's words to the model: a page of text. */
#define POSTBAG_LIMIT_INSTRUCTIONS_BYTES (64 * 1024)
/* Accounts that these words name. */
#define POSTBAG_LIMIT_ACCOUNTS_TOLD 16
/* Subschemas evaluated for one value: a schema that refers to itself twice would double its work
 * at each level. Five for each value of the largest document. */
#define POSTBAG_LIMIT_SCHEMA_STEPS 1000000
/* Steps of one pattern match (PCRE match limit): a hostile string cannot make it exponential. */
#define POSTBAG_LIMIT_PATTERN_STEPS 100000
/* Text that is held against a pattern at all: the steps above count anew at each position. */
#define POSTBAG_LIMIT_PATTERN_TEXT_BYTES (64 * 1024)
/* Known names and allowed values that one validation problem lists. */
#define POSTBAG_LIMIT_PROBLEM_WORDS 20
/* How many validation problems are reported: a model mends a few at a time. */
#define POSTBAG_LIMIT_SCHEMA_PROBLEMS 8
/* Messages in one batch (2025-03-26): as many as the official SDK takes. */
#define POSTBAG_LIMIT_BATCH 100
/* Calls in flight in one session; the next is answered "busy". */
#define POSTBAG_LIMIT_CALLS_IN_FLIGHT 256
/* Memory that the requests of those calls hold; the next is answered "busy". One request takes at
 * most about half of it (a line, and a tree of POSTBAG_LIMIT_JSON_VALUES values). */
#define POSTBAG_LIMIT_REQUEST_BYTES (64 * 1024 * 1024)
/* Threads that run handlers: 32 for one account, a fifth for the others while it holds those. */
#define POSTBAG_LIMIT_CALL_THREADS 40
/* Resources that one session watches: an account lets no more than half of them be watched. */
#define POSTBAG_LIMIT_WATCHES 64
/* Open subscriptions/listen of one session: a client needs one, a few while it changes it. */
#define POSTBAG_LIMIT_LISTENS 16
/* A resource or list that changes on and on is told of this often: a model reads it no faster. */
#define POSTBAG_LIMIT_UPDATE_INTERVAL_MS 1000
/* Suggestions in one answer to completion/complete: what the protocol allows. */
#define POSTBAG_LIMIT_COMPLETIONS 100
/* An argument of a prompt: a mailbox, a topic, a few sentences. */
#define POSTBAG_LIMIT_PROMPT_ARGUMENT_CHARS 2000
/* Log messages of one call in a second: a person reads no faster. */
#define POSTBAG_LIMIT_LOG_MESSAGES 20
/* A resource's URI: three names of mailboxes, percent-encoded. */
#define POSTBAG_LIMIT_URI_BYTES 4096
/* Resources in one listing: as many as there may be mailboxes. */
#define POSTBAG_LIMIT_RESOURCES 1000
/* The newest messages that a mailbox's resource shows: what is new at a glance; list_messages pages
 * through the rest. */
#define POSTBAG_LIMIT_RESOURCE_MESSAGES 20
/* The number of a part in a URI, as in get_attachments. */
#define POSTBAG_LIMIT_PART_ID_CHARS 64
/* Tools on one page of tools/list: all four toolsets fit on one page, since clients and the
 * conformance suite look at the first page only. */
#define POSTBAG_LIMIT_TOOLS_PAGE 100
/* One answer stays under this: common clients drop a stdio server above 10 MiB. */
#define POSTBAG_LIMIT_ANSWER_BYTES (8 * 1024 * 1024)
/* Answers waiting for a client that does not read; beyond it reading from that client stops. */
#define POSTBAG_LIMIT_OUTPUT_QUEUE_BYTES (32 * 1024 * 1024)
/* An id or progress token: clients count or use a UUID; what is kept for each call stays small. */
#define POSTBAG_LIMIT_ID_BYTES 1024
/* A file in the contents of a resource: as base64 it fills three quarters of an answer. */
#define POSTBAG_LIMIT_RESOURCE_BYTES (POSTBAG_LIMIT_ANSWER_BYTES / 16 * 9)
/* Text of an error result: the mail server's words (POSTBAG_LIMIT_SERVER_TEXT_CHARS) and ours. */
#define POSTBAG_LIMIT_ERROR_CHARS 8000
/* What one answer tells of changes that were interrupted: half of an error, the rest of which is
 * the failure itself. */
#define POSTBAG_LIMIT_NOTES_CHARS 4000
/* How long a person may take to answer a question, and a confirmation token lives. */
#define POSTBAG_LIMIT_QUESTION_SECONDS (5 * 60)
/* How long the sealed state of a question lives: the person's five minutes and the client's own. */
#define POSTBAG_LIMIT_REQUEST_STATE_SECONDS (15 * 60)
/* A cursor is used right away or not at all. */
#define POSTBAG_LIMIT_CURSOR_SECONDS (60 * 60)
/* Something sealed that comes back: what we seal is a few hundred bytes. */
#define POSTBAG_LIMIT_SEALED_BYTES (64 * 1024)
/* Marks of used confirmations that are looked at in one sweep: one confirmation makes one mark, and
 * they vanish an hour after they expire. */
#define POSTBAG_LIMIT_SEAL_MARKS 10000
/* After the end of its input a stdio server lets calls finish this long, then cancels them. */
#define POSTBAG_LIMIT_DRAIN_SECONDS 5
/* How long the end of the program waits for threads whose calls were cancelled. */
#define POSTBAG_LIMIT_SHUT_DOWN_SECONDS 2
/* Progress notifications of one call come at least this far apart. */
#define POSTBAG_LIMIT_PROGRESS_INTERVAL_US 100000

/* --- results (contracts/guarded: result budget) --- */

/* Characters of one tool result's text. */
#define POSTBAG_LIMIT_RESULT_CHARS 200000
/* What a budgeted list leaves for the members that follow it (returned, next_offset, ...). */
#define POSTBAG_LIMIT_RESULT_RESERVE_CHARS 4000
/* Metadata block of get_message. */
#define POSTBAG_LIMIT_METADATA_CHARS 50000
/* Body text of one message or text attachment. */
#define POSTBAG_LIMIT_BODY_CHARS 50000
/* A text that is paged through slice by slice, and what one slice may become with its fence. */
#define POSTBAG_LIMIT_PAGED_TEXT_CHARS 1000000
#define POSTBAG_LIMIT_SLICE_CHARS 192000
/* Base64 of one attachment inside a result: half the budget, never cut. */
#define POSTBAG_LIMIT_INLINE_BASE64_CHARS 100000
/* One page of a listing. */
#define POSTBAG_LIMIT_LIST_MESSAGES 200
/* Messages of a conversation, and how many ids are searched for it. */
#define POSTBAG_LIMIT_THREAD_MESSAGES 50
#define POSTBAG_LIMIT_THREAD_IDS 5
#define POSTBAG_LIMIT_SUBJECT_CHARS 2000
#define POSTBAG_LIMIT_ADDRESS_LIST_CHARS 4000
/* An address that mail is written with (RFC 5321 section 4.5.3.1.3, without its brackets). */
#define POSTBAG_LIMIT_ADDRESS_BYTES 254
#define POSTBAG_LIMIT_MESSAGE_ID_CHARS 256
#define POSTBAG_LIMIT_NAME_CHARS 255
/* A foreign text quoted in an error. */
#define POSTBAG_LIMIT_QUOTE_CHARS 200
/* The mail server's words in an error. */
#define POSTBAG_LIMIT_SERVER_TEXT_CHARS 2000
#define POSTBAG_LIMIT_FLAGS_SHOWN 64
#define POSTBAG_LIMIT_FLAG_CHARS 99
#define POSTBAG_LIMIT_CAPABILITIES_SHOWN 100
/* Combining marks on one letter: what the Stream-Safe Text Format of UAX #15 allows. Sorting a
 * longer run would take quadratic time. */
#define POSTBAG_LIMIT_COMBINING_MARKS 30

/* --- mail --- */

#define POSTBAG_LIMIT_MAILBOX_NAME_CHARS 255
/* Mailboxes in one listing. */
#define POSTBAG_LIMIT_MAILBOXES 1000
/* Mailboxes that get counts in one listing where each costs a round trip or a directory scan. */
#define POSTBAG_LIMIT_MAILBOX_STATUS 100
#define POSTBAG_LIMIT_MAILBOX_STATUS_SECONDS 20
/* Messages in one mailbox: beyond it a store says so instead of exhausting memory. */
#define POSTBAG_LIMIT_MAILBOX_MESSAGES 4000000
/* First bytes of a message that are fetched with its envelope: one round trip for an ordinary
 * mail. */
#define POSTBAG_LIMIT_PREFIX_BYTES (128 * 1024)
/* Source of a message that get_message reads at most. */
#define POSTBAG_LIMIT_MESSAGE_SOURCE_BYTES (2 * 1024 * 1024)
/* One part held in memory, whatever the configured ceilings say. */
#define POSTBAG_LIMIT_PART_BYTES (256 * 1024 * 1024)
/* A message file that is opened at all. */
#define POSTBAG_LIMIT_MESSAGE_FILE_BYTES (1024LL * 1024 * 1024)

/* Part number in a request: 50 levels of four digits. */
#define POSTBAG_LIMIT_PART_NUMBER_CHARS 250
/* Mailboxes whose UIDVALIDITY is remembered from their last listing. */
#define POSTBAG_LIMIT_REMEMBERED_MAILBOXES 20000
/* Questions whose mailboxes are remembered until they are answered: far more than a person has
 * before them; each is a digest. */
#define POSTBAG_LIMIT_REMEMBERED_QUESTIONS 1000

/* Messages of one change: several of a toolset's largest requests. */
#define POSTBAG_LIMIT_EFFECT_MESSAGES 1000
/* Messages that are moved or copied at once without somebody's consent. */
#define POSTBAG_LIMIT_EFFECT_UNASKED 50
/* Changes that were interrupted and are told in one call; more are told by the next. */
#define POSTBAG_LIMIT_JOURNAL_ENTRIES 64
/* Files of the journal that are looked through for them: also those of changes under way. */
#define POSTBAG_LIMIT_JOURNAL_NAMES 1024
/* One of them: the numbers of POSTBAG_LIMIT_EFFECT_MESSAGES messages and two mailbox names. */
#define POSTBAG_LIMIT_JOURNAL_BYTES (64 * 1024)
/* Searches for the messages of one interrupted change: each tells of one at least, mostly of all.
 */
#define POSTBAG_LIMIT_JOURNAL_LOOKS 50
/* How long the looks for all of them may take before a call goes on: a person waits for it. What
 * there is no time for is told by the next call. */
#define POSTBAG_LIMIT_JOURNAL_LOOK_US (10 * G_USEC_PER_SEC)

/* --- Maildir --- */

/* Folders that are looked into while listing a Maildir, and how deep: a root set to somebody's home
 * must not walk all of it. */
#define POSTBAG_LIMIT_MAILDIR_FOLDERS 20000
#define POSTBAG_LIMIT_MAILDIR_DEPTH 16
/* Messages in the directory listings kept in memory, over all mailboxes; about 80 bytes each. The
 * mailbox in use is kept whatever its size. */
#define POSTBAG_LIMIT_MAILDIR_CACHED_MESSAGES 150000
/* A folder's list of keyword names, and the list of subscriptions. */
#define POSTBAG_LIMIT_KEYWORDS_FILE_BYTES (64 * 1024)
#define POSTBAG_LIMIT_SUBSCRIPTIONS_BYTES (1024 * 1024)
/* How often a folder that moves under the reader is read again before what was seen is taken. */
#define POSTBAG_LIMIT_MAILDIR_RESCANS 4
/* Bytes of a message that are read to learn whether it has attachments, when its first
 * POSTBAG_LIMIT_PREFIX_BYTES do not tell. */
#define POSTBAG_LIMIT_SUMMARY_BYTES (8 * 1024 * 1024)
/* Bytes of a message that are read to know its parts. */
#define POSTBAG_LIMIT_STRUCTURE_BYTES (64 * 1024 * 1024)
/* One header field in the cache of headers; a message with a longer one is read again. */
#define POSTBAG_LIMIT_CACHED_FIELD_BYTES (16 * 1024)
/* The cache of headers on disk, some 400 bytes a message: a larger file starts over. */
#define POSTBAG_LIMIT_HEADER_CACHE_BYTES (1024LL * 1024 * 1024)
/* Headers kept in memory where there is no state folder: a few pages of listings. */
#define POSTBAG_LIMIT_HEADERS_IN_MEMORY 1000

/* --- MIME (Dovecot caps at ten times these) --- */

#define POSTBAG_LIMIT_HEADER_BLOCK_BYTES (1024 * 1024)
#define POSTBAG_LIMIT_HEADER_BYTES (64 * 1024)
#define POSTBAG_LIMIT_HEADER_LINES 1000
#define POSTBAG_LIMIT_MIME_DEPTH 50
#define POSTBAG_LIMIT_MIME_PARTS 1000
/* Messages inside each other in a transfer encoding, boundaries that turn out to be wrong: how
 * often all bytes of a message (or a header block's worth, if that is more) may be decoded or read
 * again.
 */
#define POSTBAG_LIMIT_MIME_REPARSED 8
#define POSTBAG_LIMIT_PARAMETERS 128
#define POSTBAG_LIMIT_PARAMETER_NAME_BYTES 64
#define POSTBAG_LIMIT_ADDRESSES 2000
/* All text of a message that is decoded: what get_message reads of its source. Converting and
 * cleaning cost some 50 ns a byte and up to fifteen times its memory. */
#define POSTBAG_LIMIT_MESSAGE_TEXT_BYTES POSTBAG_LIMIT_MESSAGE_SOURCE_BYTES
#define POSTBAG_LIMIT_REFERENCES 50
/* Texts of one message that are kept once they were read, since several questions need them: what
 * an ordinary message has, many times over. Longer ones are read again. */
#define POSTBAG_LIMIT_KEPT_TEXT_BYTES (256 * 1024)
/* HTML of a mail that is turned into text. */
#define POSTBAG_LIMIT_HTML_BYTES (1024 * 1024)
#define POSTBAG_LIMIT_HTML_DEPTH 512
#define POSTBAG_LIMIT_HTML_TAG_BYTES (16 * 1024)
/* Selectors of a mail's style sheets that are kept: the largest newsletters have some hundreds. */
#define POSTBAG_LIMIT_CSS_SELECTORS 20000
/* One selector between commas, also what a rule inside another one is written out to, and all of
 * these of a mail together: rules in rules in rules could grow with the square of their size. */
#define POSTBAG_LIMIT_CSS_SELECTOR_BYTES 1024
#define POSTBAG_LIMIT_CSS_NESTED_BYTES (256 * 1024)
/* Custom properties that hold at one place of a mail, what one value may grow to with others put
 * in, and all of a mail's together: each may hold the one before it twice. */
#define POSTBAG_LIMIT_CSS_VARIABLES 2000
#define POSTBAG_LIMIT_CSS_VALUE_BYTES 1024
#define POSTBAG_LIMIT_CSS_PUT_IN_BYTES (1024 * 1024)
/* Text that style sheets put into a mail: some words at a time, where a mail program shows them. */
#define POSTBAG_LIMIT_GENERATED_CHARS 2000
/* HTML that is gone through once more before it is read, for selectors that ask for other
 * attributes or count elements; streams of it that are gone through a third time, for those that
 * ask for what comes later on the page; and how many elements are kept then. Mail programs show no
 * more than some 100 KB of a mail. */
#define POSTBAG_LIMIT_HTML_AGAIN_BYTES (512 * 1024)
#define POSTBAG_LIMIT_HTML_SURVEY_BYTES (256 * 1024)
#define POSTBAG_LIMIT_CSS_ELEMENTS 50000
/* Steps that matching them against all elements of a mail may take: some 20 ms. */
#define POSTBAG_LIMIT_CSS_STEPS 2000000
/* Words that only somebody who cannot see the page is told (`alt`, text for screen readers): what
 * the guidelines for writing them allow at once, and all of a mail's that is for screen readers. */
#define POSTBAG_LIMIT_ALT_CHARS 125
#define POSTBAG_LIMIT_SPOKEN_CHARS 1000
/* Links that claim another host than they lead to: a reader is warned after the first. */
#define POSTBAG_LIMIT_LINK_MISMATCHES 50
/* Hosts of a mail that are written in letters and in ASCII: each conversion costs microseconds. */
#define POSTBAG_LIMIT_LINK_CONVERSIONS 500
/* Links of a mail that count from its base: each costs microseconds, too. */
#define POSTBAG_LIMIT_LINK_RELATIVES 10000
/* An address behind a link's text; what is longer carries tracking data that says nothing. */
#define POSTBAG_LIMIT_LINK_BYTES 1000

/* --- IMAP (RFC 9051) --- */

/* Text of one reply without its literals. A longer one is kept up to here and its rest skipped. A
 * server describes a part whose type and name a sender made 100 kB long in a line of 300 kB. */
#define POSTBAG_LIMIT_IMAP_LINE_BYTES (512 * 1024)
/* Where a number list (SEARCH, ESEARCH, VANISHED) is handed over in pieces: these
 * lines are bounded by POSTBAG_LIMIT_MAILBOX_MESSAGES numbers, not by their length. */
#define POSTBAG_LIMIT_IMAP_LIST_PIECE_BYTES (32 * 1024)
/* What is repeated in front of each piece: `* ESEARCH (TAG "a1") UID ALL `. */
#define POSTBAG_LIMIT_IMAP_LIST_HEAD_BYTES 512
/* What is skipped of one overlong reply before the connection is given up: real envelopes with
 * thousands of recipients stay below. */
#define POSTBAG_LIMIT_IMAP_SKIPPED_BYTES (16 * 1024 * 1024)
/* A literal the server announces, unless configured otherwise. */
#define POSTBAG_LIMIT_IMAP_LITERAL_BYTES (64 * 1024 * 1024)
/* All literals of one reply that are kept in memory; parts are fetched in ranges below this. */
#define POSTBAG_LIMIT_IMAP_KEPT_BYTES (4 * 1024 * 1024)
/* One range of a large part. */
#define POSTBAG_LIMIT_IMAP_RANGE_BYTES (1024 * 1024)
/* Brackets within brackets in a reply that are followed; deeper ones are skipped. */
#define POSTBAG_LIMIT_IMAP_NESTING 32
/* Entries of one list in a reply: capabilities, flags of a message, addresses have their own. */
#define POSTBAG_LIMIT_IMAP_WORDS 1000
/* A string of an envelope or body structure; longer ones are cut. */
#define POSTBAG_LIMIT_IMAP_STRING_BYTES (64 * 1024)

/* Connecting, TLS and login together; a stalled one must not hold up a good one, so few at once. */
#define POSTBAG_LIMIT_IMAP_CONNECT_MS 15000
#define POSTBAG_LIMIT_IMAP_CONNECTING 8
/* Without a byte from the server while it owes an answer. */
#define POSTBAG_LIMIT_IMAP_SILENCE_MS 30000
/* One request in all, however slowly it drips: a search in a large mailbox without an index takes
 * minutes on real servers. */
#define POSTBAG_LIMIT_IMAP_REQUEST_MS 180000
/* Large messages of which is remembered where their text ends: some pages of a list. */
#define POSTBAG_LIMIT_IMAP_HINTS 1000
/* Connections an account: several processes share a server's limit. */
#define POSTBAG_LIMIT_IMAP_CONNECTIONS 2
/* Unused connections are closed after this. */
#define POSTBAG_LIMIT_IMAP_IDLE_MS (5 * 60 * 1000)
/* How long a refused login is remembered, so that a wrong password does not lock an account. */
#define POSTBAG_LIMIT_IMAP_REFUSED_MS 10000
/* Requests written and not yet answered on one connection. */
#define POSTBAG_LIMIT_IMAP_PIPELINE 64
/* Replies that one request keeps, and replies nobody asked for while it waits. */
#define POSTBAG_LIMIT_IMAP_REPLIES 20000
#define POSTBAG_LIMIT_IMAP_UNASKED 100000
#define POSTBAG_LIMIT_IMAP_REQUEST_BYTES (16 * 1024 * 1024)
/* How long a mailbox that we changed is selected anew for reading. */
#define POSTBAG_LIMIT_IMAP_CHANGED_MS 10000
/* What is read and thrown away of a cancelled request before its connection is closed. */
#define POSTBAG_LIMIT_IMAP_DRAIN_BYTES (1024 * 1024)
/* Charsets that are tried where a server refuses UTF-8. */
#define POSTBAG_LIMIT_IMAP_CHARSETS 20
/* Registered names of charsets have at most 40 characters (RFC 2978). */
#define POSTBAG_LIMIT_CHARSET_BYTES 40
/* Where a server has no charset for a text: how many candidates are compared here, how many in one
 * round trip, and what of their text parts is fetched: in all, in one write, of one message, of one
 * part. A minute's worth over a slow line. */
#define POSTBAG_LIMIT_IMAP_FILTER_MESSAGES 2000
#define POSTBAG_LIMIT_IMAP_FILTER_BATCH 100
#define POSTBAG_LIMIT_IMAP_FILTER_BYTES (32 * 1024 * 1024)
#define POSTBAG_LIMIT_IMAP_FILTER_WRITE_BYTES (2 * 1024 * 1024)
#define POSTBAG_LIMIT_IMAP_FILTER_PARTS 10
#define POSTBAG_LIMIT_IMAP_FILTER_PART_BYTES (256 * 1024)
/* Namespaces that are listed by themselves: real servers have three. */
#define POSTBAG_LIMIT_IMAP_NAMESPACES 16
/* Mailboxes of an account that are watched, each by a thread, and who is told of one. */
#define POSTBAG_LIMIT_IMAP_WATCHES 32
#define POSTBAG_LIMIT_IMAP_LISTENERS 256
/* Connections of an account that only wait; other mailboxes are asked about now and then. */
#define POSTBAG_LIMIT_IMAP_WATCH_CONNECTIONS 2
/* A delivery is several replies: told once they pause, and not without end. */
#define POSTBAG_LIMIT_IMAP_WATCH_PAUSE_MS 250
#define POSTBAG_LIMIT_IMAP_WATCH_GAP_MS 1000
/* A server may close a connection that is silent for 30 minutes (RFC 2177), some after 29. */
#define POSTBAG_LIMIT_IMAP_WATCH_ROUND_MS (25 * 60 * 1000)
/* Without IDLE: whoever waits for a mail hears of it within this. */
#define POSTBAG_LIMIT_IMAP_WATCH_POLL_MS (20 * 1000)
/* What breaks sooner than this is as good as none. */
#define POSTBAG_LIMIT_IMAP_WATCH_STEADY_MS (60 * 1000)
/* Between two attempts to connect. */
#define POSTBAG_LIMIT_IMAP_WATCH_RETRY_MS 1000
#define POSTBAG_LIMIT_IMAP_WATCH_RETRY_MOST_MS (10 * 60 * 1000)
/* Where a server gives one connection in all, it goes to who waits for news once calls have paused
 * so long, and back at once. */
#define POSTBAG_LIMIT_IMAP_WATCH_REST_MS (60 * 1000)
/* How long a call waits for that. */
#define POSTBAG_LIMIT_IMAP_WATCH_YIELD_MS 2000
/* What a server may send in one round: flags of some ten thousand messages. */
#define POSTBAG_LIMIT_IMAP_WATCH_BYTES (4 * 1024 * 1024)
/* Rounds of SCRAM (RFC 7677 asks for 4096): libgsasl takes any number, ten million cost seven
 * seconds. */
#define POSTBAG_LIMIT_SCRAM_ITERATIONS_LEAST 4096
#define POSTBAG_LIMIT_SCRAM_ITERATIONS 600000
/* Challenges of one login: the longest mechanism we speak has three. */
#define POSTBAG_LIMIT_IMAP_CHALLENGES 20
/* One challenge, decoded: an error of an OAuth server is the longest there is. */
#define POSTBAG_LIMIT_SASL_CHALLENGE_BYTES (64 * 1024)

/* --- signals (contracts/guarded 4.4) --- */

/* Results in one Authentication-Results field: real ones have fewer than ten, a signature each. */
#define POSTBAG_LIMIT_AUTH_RESULTS 100
/* Words of mixed scripts that are named, and how much of each. */
#define POSTBAG_LIMIT_SCRIPT_MIX 5
#define POSTBAG_LIMIT_SCRIPT_MIX_CHARS 40
/* Warning codes, and links that are not what they look like, told with one message. */
#define POSTBAG_LIMIT_WARNINGS_SHOWN 50
/* Senders whose names and domains are examined: a message has one, a forged one may have many. */
#define POSTBAG_LIMIT_SENDERS_EXAMINED 20

/* --- attachments (contracts/guarded 4.1) --- */

#define POSTBAG_LIMIT_ATTACHMENT_DEPTH 5
#define POSTBAG_LIMIT_ATTACHMENTS 50
#define POSTBAG_LIMIT_FILENAME_CHARS 120
#define POSTBAG_LIMIT_FILENAME_BYTES 200
#define POSTBAG_LIMIT_SAVE_NAME_TRIES 50
/* What one process saves in a day: a model in a loop fills no disk. */
#define POSTBAG_LIMIT_SAVED_FILES_A_DAY 2000
#define POSTBAG_LIMIT_SAVED_BYTES_A_DAY (8LL * 1024 * 1024 * 1024)

/* --- documents (contracts/guarded 4.2) --- */

/* One cell of a table: a sheet whose every cell repeats one long shared string ends here. */
#define POSTBAG_LIMIT_CELL_CHARS 4096
/* Columns of a table that are shown, and rows of a sheet: one may declare 16,384 by a million. */
#define POSTBAG_LIMIT_SHEET_COLUMNS 128
#define POSTBAG_LIMIT_SHEET_ROWS 5000
/* Groups in groups of an RTF file: word processors nest some twenty. And fonts of its table: Word
 * writes some hundred. */
#define POSTBAG_LIMIT_RTF_DEPTH 1000
#define POSTBAG_LIMIT_RTF_FONTS 4096
/* Files inside a letter or an archive that are listed (archive 10). */
#define POSTBAG_LIMIT_MEMBERS 500
/* Attributes of a TNEF stream: some thirty of the letter, a dozen of each file. */
#define POSTBAG_LIMIT_TNEF_ATTRIBUTES 8000
/* One file of an archive, and how many times its packed size it may become: text reaches ten times
 *. */
#define POSTBAG_LIMIT_ARCHIVE_MEMBER_BYTES (64 * 1024 * 1024)
#define POSTBAG_LIMIT_ARCHIVE_RATIO 100
/* The text of a letter that Outlook packed: its pictures are not in it. */
#define POSTBAG_LIMIT_LETTER_RTF_BYTES (32 * 1024 * 1024)
/* Pages, sheets and slides of a document that are read. */
#define POSTBAG_LIMIT_DOCUMENT_PAGES 100
#define POSTBAG_LIMIT_DOCUMENT_SHEETS 32
#define POSTBAG_LIMIT_DOCUMENT_SLIDES 200
/* Entries of an OLE compound file: a letter has some twenty for each file and recipient. And links
 * from one to the next, which the library follows by recursion. */
#define POSTBAG_LIMIT_OLE_ENTRIES 16384
#define POSTBAG_LIMIT_OLE_DEPTH 4096
/* Recipients of a letter of Outlook that are named: its head is a page at most. */
#define POSTBAG_LIMIT_MSG_RECIPIENTS 500
/* Lists of a Word document before 2007, and places that name them: Word stops at some two thousand.
 */
#define POSTBAG_LIMIT_DOC_LISTS 4096
/* PowerPoint before 2007: saves that are followed back, each of which appended what it changed; and
 * groups of shapes in groups, which PowerPoint's own menus make some ten deep. */
#define POSTBAG_LIMIT_PPT_EDITS 1000
#define POSTBAG_LIMIT_PPT_GROUPS 32
/* Slides and sheets that a document may declare at all. */
#define POSTBAG_LIMIT_DOCUMENT_PARTS 512
/* What one stream of a PDF may become, and all of them, pictures apart: three megabytes can become
 * two gigabytes in a second. The longest honest page has a few megabytes. */
#define POSTBAG_LIMIT_PDF_STREAM_BYTES (32 * 1024 * 1024)
#define POSTBAG_LIMIT_PDF_STREAMS_BYTES (128 * 1024 * 1024)
/* How much of what the streams of a PDF draw is looked through for text outside the pages. */
#define POSTBAG_LIMIT_PDF_DRAWN_BYTES (4 * 1024 * 1024)
/* Streams of which it is known what a page draws before them: a number each, a few hundred
 * kilobytes. Longer documents have more; what lies behind the text of those is not known. */
#define POSTBAG_LIMIT_PDF_DRAWN_STREAMS 20000
/* Objects of a PDF that are a number and no more: lengths of streams, one each. */
#define POSTBAG_LIMIT_PDF_NUMBERS 20000
/* Documents that are zip containers: files in one (pictures count), and how many are read. */
#define POSTBAG_LIMIT_ZIP_ENTRIES 10000
#define POSTBAG_LIMIT_ZIP_READS 1600
/* How much is unpacked of one file and of all that are read (contracts/guarded 4.2), and how much
 * tighter than 1:1 a file may be packed that is not small: XML of honest documents is below 1:50.
 */
#define POSTBAG_LIMIT_ZIP_ENTRY_BYTES (16 * 1024 * 1024)
#define POSTBAG_LIMIT_ZIP_TOTAL_BYTES (48 * 1024 * 1024)
#define POSTBAG_LIMIT_ZIP_RATIO 100
#define POSTBAG_LIMIT_ZIP_SMALL_BYTES (1024 * 1024)
#define POSTBAG_LIMIT_ZIP_PIECE_BYTES (128 * 1024)
/* XML in them: open elements (a table in a table in a text box needs fifty), attributes of one
 * tag, whose names the library compares each with each, and bytes of one that are looked at. */
#define POSTBAG_LIMIT_XML_DEPTH 256
#define POSTBAG_LIMIT_XML_ATTRIBUTES 256
#define POSTBAG_LIMIT_XML_VALUE_BYTES 4096
/* What stands beside the text (a note, a comment, a text box, a slide), one of them and all. */
#define POSTBAG_LIMIT_STORY_BYTES (256 * 1024)
#define POSTBAG_LIMIT_STORIES_BYTES (8 * 1024 * 1024)
/* Tables of a document that its text refers to: relations, styles, lists, number formats. */
#define POSTBAG_LIMIT_DOCUMENT_ROWS 20000
/* Strings that the cells of a workbook share, and their bytes together. */
#define POSTBAG_LIMIT_SHARED_STRINGS 200000
#define POSTBAG_LIMIT_SHARED_STRING_BYTES (48 * 1024 * 1024)
/* One document in the cage: what a reader may take before it is ended (contracts/guarded 4.2,
 * archive 10); its addresses hold its libraries, too. The longest honest documents need a tenth of
 * each. */
#define POSTBAG_LIMIT_EXTRACT_ADDRESS_BYTES (512 * 1024 * 1024)
#define POSTBAG_LIMIT_EXTRACT_HEAP_BYTES (256 * 1024 * 1024)
#define POSTBAG_LIMIT_EXTRACT_CPU_SECONDS 15
#define POSTBAG_LIMIT_EXTRACT_WALL_MS 20000
/* The same where a whole mailbox is indexed and nobody waits. */
#define POSTBAG_LIMIT_EXTRACT_ARCHIVE_HEAP_BYTES (512 * 1024 * 1024)
#define POSTBAG_LIMIT_EXTRACT_ARCHIVE_CPU_SECONDS 30
#define POSTBAG_LIMIT_EXTRACT_ARCHIVE_WALL_MS 60000
#define POSTBAG_LIMIT_EXTRACT_ARCHIVE_CHARS 20000000
/* Descriptors of a child: its socket, the document, a table or two of its library. */
#define POSTBAG_LIMIT_EXTRACT_FILES 16
/* Children at one time: those that work, the warm stock, and some that are dying. */
#define POSTBAG_LIMIT_EXTRACT_CHILDREN 16
/* Documents read at one time, and with them those that wait; the next is answered "busy". */
#define POSTBAG_LIMIT_EXTRACT_RUNNING 2
#define POSTBAG_LIMIT_EXTRACT_IN_FLIGHT 8
/* Children that wait warm, and how long; then how long the worker itself stays without work. */
#define POSTBAG_LIMIT_EXTRACT_WARM 2
#define POSTBAG_LIMIT_EXTRACT_WARM_SECONDS 60
#define POSTBAG_LIMIT_EXTRACT_IDLE_SECONDS 300
/* How long the worker may take to open its readers, and to give a child. */
#define POSTBAG_LIMIT_EXTRACT_START_MS 20000
#define POSTBAG_LIMIT_EXTRACT_CHILD_MS 5000
/* Documents in documents: a letter in an archive, its text, and the page that this wraps. */
#define POSTBAG_LIMIT_EXTRACT_DEPTH 3
/* What a reader says beside the text: names of counts, how many, remarks. */
#define POSTBAG_LIMIT_EXTRACT_NAME_BYTES 40
#define POSTBAG_LIMIT_EXTRACT_COUNTS 16
#define POSTBAG_LIMIT_EXTRACT_NOTES 32
#define POSTBAG_LIMIT_EXTRACT_NOTE_BYTES 400
/* Results kept, and places in the mail that lead to one, so that reading on costs no second run: a
 * few documents being paged through. */
#define POSTBAG_LIMIT_EXTRACT_CACHE_BYTES (8 * 1024 * 1024)
#define POSTBAG_LIMIT_EXTRACT_CACHE_ENTRIES 16
/* Documents up to here are digested in less time than a thread of its own would take. */
#define POSTBAG_LIMIT_EXTRACT_DIGEST_BYTES (32 * 1024)

/* --- plugins and configuration --- */

#define POSTBAG_LIMIT_MANIFEST_BYTES (64 * 1024)
/* Folders searched upwards for the marker of a build tree: test programs lie that deep. */
#define POSTBAG_LIMIT_MARKER_LEVELS 6
#define POSTBAG_LIMIT_PLUGINS 256
/* Folders below a folder of the search path: kind, then plugin; one more for a packager. */
#define POSTBAG_LIMIT_PLUGIN_DEPTH 3
/* How long a module that is only tried may take to open, and what is read of the reason it is
 * refused for. */
#define POSTBAG_LIMIT_PLUGIN_TRY_MS 10000
#define POSTBAG_LIMIT_PLUGIN_REASON_BYTES 4096
/* Folders looked into in one scan, and names in one of them. */
#define POSTBAG_LIMIT_PLUGIN_FOLDERS 1024
#define POSTBAG_LIMIT_PLUGIN_FOLDER_ENTRIES 4096
/* Tools, types or backends of one plugin. */
#define POSTBAG_LIMIT_MANIFEST_ENTRIES 256
#define POSTBAG_LIMIT_PLUGIN_NAME_BYTES 40
/* What clients take; the names of the conformance suite need it. Our own stay within 40. */
#define POSTBAG_LIMIT_TOOL_NAME_BYTES 64
#define POSTBAG_LIMIT_CONFIG_BYTES (1024 * 1024)
#define POSTBAG_LIMIT_ACCOUNTS 64
#define POSTBAG_LIMIT_SETTING_BYTES 4096
#define POSTBAG_LIMIT_ACCOUNT_NAME_CHARS 64
/* What a command prints, or a file holds, in front of which a password or a token stands: tokens
 * of large organisations have some thousand bytes. */
#define POSTBAG_LIMIT_SECRET_BYTES (64 * 1024)
/* How long a command may take to print a secret. */
#define POSTBAG_LIMIT_SECRET_COMMAND_MS 10000
/* RFC 1035: a name on the wire has at most 255 octets, written 253 characters. */
#define POSTBAG_LIMIT_HOST_CHARS 253
#define POSTBAG_LIMIT_KEYWORD_CHARS 64
/* Variables that look like ours, compared with the known ones to find misspelt ones. */
#define POSTBAG_LIMIT_VARIABLES_CHECKED 256
#define POSTBAG_LIMIT_VARIABLE_NAME_BYTES 64
/* One line on stderr: with what stands before it less than PIPE_BUF, which a pipe that is ready
 * takes without blocking. */
#define POSTBAG_LIMIT_LOG_LINE_BYTES 4000
