/*
 * What is stored, and the calls that change it. The body of each inline is one AWS call: callers
 * put it into `atomic` or `d_step` because DynamoDB and S3 apply it at once, and put nothing else
 * there.
 *
 * README.md describes the names in capitals that may be set with -D, and the variants, each of
 * which omits one rule.
 */
#ifndef N
#define N 3 /* cursors that the bucket allocates */
#endif
#ifndef KEYS
#define KEYS 2
#endif
#define SLOTS (N + 1)

/* An entry of the log. A change is identified by its request. */
#define NONE 0
#define NOOP 1
#define CHANGE(w) (2 + (w))
#define WRITER(entry) ((entry) - 2)
/* Requests 0 and 1 concern key 0, request 2 key 1; DELETES tells which are deletes (a bit each). */
#ifndef DELETES
#define DELETES 2
#endif
#define KEY(w) (KEYS == 2 && (w) == 2)
#define IS_DELETE(w) ((DELETES >> (w)) & 1)
#define REQUESTS 3

/* Table Buckets: the hot item and the stats. `counted`: entries in the counters. */
byte cursor = 0;
byte oldest = 1;
byte published = 0;
byte counted = 0;
/* Table Changes. */
byte log[SLOTS];
/* Table Objects: the cursor of 0 is no record. `live` is not set: a tombstone. */
byte record_cursor[KEYS];
byte record_version[KEYS];
byte record_blob[KEYS];
bit record_live[KEYS];

/* How many functions other than writers may die. */
#ifndef KILLS
#define KILLS 1
#endif
byte kills = 0;

/* For the checks only: the first entry at each cursor, and each key's last one. */
byte truth[SLOTS];
byte last_cursor[KEYS];
byte last_version[KEYS];

/*
 * The one assumption about time. An entry expires one retention (at least an hour) after it was
 * written; a function or a request in the network lives for at most 15 minutes. So no entry is
 * trimmed while anything runs that was running when the entry was written. An entry that is
 * published late may be trimmed at once. witness[x] is bit 0 = x runs, bit c = entry c was written
 * meanwhile.
 */
#define OF_WRITER(w) (w)
#define OF_FANOUT(f) (3 + (f))
#define OF_CHANNEL 5
#define OF_GAP_FILL 6
#define WITNESSES 7
byte witness[WITNESSES];
#define STARTS(x) witness[x] = 1
#define ENDS(x) witness[x] = 0
#ifdef SHORT_RETENTION
#define HELD(c) false
#else
#define HELD(c) \
  (((witness[0] | witness[1] | witness[2] | witness[3] | witness[4] | witness[5] | witness[6]) >> (c)) & 1)
#endif

/* The invariants of the protocol; an assertion names the one that broke. Not part of the state. */
hidden byte dense = 1;
hidden byte atomic_change = 1;
hidden byte ordered_per_key = 1;
hidden byte immutable_content = 1;
hidden byte acknowledged_is_durable = 1;
hidden byte refused_is_not_done = 1;
hidden byte applied_once_in_order = 1;
hidden byte applied_what_was_written = 1;
hidden byte list_then_follow_misses_nothing = 1;
hidden byte counted_once = 1;
hidden byte nothing_lost = 1;
hidden byte i;
hidden byte j;

#ifdef LEASE
/* A batch of the stream, or a deferred task, will invoke fanout. */
bit due = 0;
#define INVOKE due = 1
#else
#define INVOKE skip
#endif

/* Puts an entry at a cursor, whatever is there. 1: an entry never changes. */
inline write_entry(c, entry) {
  INVOKE;
  dense = (c >= 1 && c <= cursor && log[c] == NONE && (c < oldest || truth[c] == NONE));
  assert(dense);
  log[c] = entry;
  if
  :: truth[c] == NONE -> truth[c] = entry
  :: else
  fi;
  i = 0;
  do
  :: i < WITNESSES ->
    if
    :: witness[i] -> witness[i] = witness[i] | (1 << (c))
    :: else
    fi;
    i++
  :: else -> break
  od;
  i = 0
}

/* Changes: PutItem with attribute_not_exists; returns the entry that is there afterwards. */
inline fill(c, there) {
  if
#ifdef GAP_FILL_OVERWRITES
  :: true ->
#else
  :: log[c] == NONE ->
#endif
    write_entry(c, NOOP);
    there = NOOP
#ifndef GAP_FILL_OVERWRITES
  :: else -> there = log[c]
#endif
  fi
}

#define GONE(c) ((c) < oldest)
/* Table Subscriptions, the channel and the client's replica are in follow.pml. */
