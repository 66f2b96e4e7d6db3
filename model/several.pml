/*
 * Commits of two changes (core/log/commit.ts, cursor-block.ts, if-cursor.ts) and a reader that must
 * not see a part of one (core/log/reader.ts); with TRIM the trimming of both (core/log/trim.ts). A
 * model of its own: cursors, transactions and gap fills as in store.pml and commit.pml, without
 * blobs and fanout. README.md describes the names in capitals that may be set with -D, and the
 * variants.
 */
#ifndef N
#define N 5 /* cursors that the bucket allocates */
#endif
#ifndef ATTEMPTS
#define ATTEMPTS 2
#endif
#ifndef LATE
#define LATE 1
#endif
/* Which requests commit two changes, and which have `if_cursor` 0: a bit each. */
#ifndef PAIRS
#define PAIRS 3
#endif
#ifndef GUARDED
#define GUARDED 0
#endif
#define WRITERS 2
#define SIZE(w) (1 + ((PAIRS >> (w)) & 1))
#define IS_GUARDED(w) ((GUARDED >> (w)) & 1)

/* An entry of the log: the first or the second change of a request. */
#define NONE 0
#define NOOP 1
#define FIRST(w) (2 + 2 * (w))
#define SECOND(w) (3 + 2 * (w))
#define IS_SECOND(e) ((e) > NOOP && (e) % 2 == 1)
#define GOES_ON(e) ((e) > NOOP && (e) % 2 == 0 && SIZE(((e) - 2) / 2) == 2)

byte cursor = 0;
/* Every entry that was ever written; `removed`: those that the trimmer has deleted. */
byte log[N + 3];
#ifdef TRIM
byte oldest = 1;
bit removed[N + 3];
#define STORED(c) (removed[c] -> NONE : log[c])
#define GONE(c) ((c) < oldest)
#else
#define STORED(c) log[c]
#define GONE(c) false
#endif
/*
 * The cursors of the records. Two changes concern two keys, a single one the second of these; with
 * APART the requests have no key in common.
 */
#ifdef APART
#define KEY_0(w) (2 * (w))
#else
#define KEY_0(w) 0
#endif
#define KEY_1(w) (KEY_0(w) + 1)
byte record[4];

/* The first cursor that each writer has allocated and not used. 0: none. */
byte block[WRITERS];

/* Transactions that their writers no longer wait for. 0: none. */
byte late_first[WRITERS];
byte late_read_0[WRITERS];
byte late_read_1[WRITERS];
byte lates = 0;

/* For the checks: where a request was committed, whether it was refused, how far the reader is. */
byte made[WRITERS];
bit refused[WRITERS];
bit bounded = 0;
byte shown = 0;

hidden byte dense = 1;
hidden byte atomic_commit = 1;
hidden byte ordered_per_key = 1;
hidden byte acknowledged_is_durable = 1;
hidden byte refused_is_not_done = 1;
hidden byte nothing_changed_since = 1;
hidden byte whole_commits = 1;
hidden byte one_succeeds = 1;
hidden byte nothing_lost = 1;
hidden byte i;

#ifdef CALM
#define OR_DIES
#else
#define OR_DIES :: true -> goto dead
#endif

/* No other change is between the cursor of a guarded commit and that commit: before, or later. */
#define BREAKS_GUARD(c, e, w) ((e) > NOOP && IS_GUARDED(w) && made[w] != 0 && (c) < made[w])

inline write_entry(c, e) {
  dense = (c >= 1 && c <= cursor && log[c] == NONE);
  assert(dense);
  nothing_changed_since = (!BREAKS_GUARD(c, e, 0) && !BREAKS_GUARD(c, e, 1));
  assert(nothing_changed_since);
  log[c] = e
}

/* Changes: PutItem with attribute_not_exists; returns the entry that is there afterwards. */
inline fill(c, there) {
  if
  :: STORED(c) == NONE -> write_entry(c, NOOP); there = NOOP
  :: else -> there = log[c]
  fi
}

/* DynamoDB: TransactWriteItems: entries if absent, records if unchanged and below the entries. */
#define FREE(w, c) (STORED(c) == NONE && (SIZE(w) == 1 || STORED((c) + 1) == NONE))
#define READ_0(w, c, read) (SIZE(w) == 1 || (record[KEY_0(w)] == (read) && (read) < (c)))
#define READ_1(w, c, read) (record[KEY_1(w)] == (read) && (read) < (c))
#define ALLOWED(w, c, read_0, read_1) (FREE(w, c) && READ_0(w, c, read_0) && READ_1(w, c, read_1))

inline write_record(key, c) {
  ordered_per_key = (record[key] < c);
  assert(ordered_per_key);
  record[key] = c
}

inline apply_first(w, c) {
  refused_is_not_done = !refused[w];
  assert(refused_is_not_done);
  atomic_commit = (made[w] == 0);
  assert(atomic_commit);
  write_entry(c, FIRST(w));
  i = 1;
  do
  :: i < c ->
    nothing_changed_since = (!IS_GUARDED(w) || log[i] <= NOOP);
    assert(nothing_changed_since);
    i++
  :: else -> break
  od;
  i = 0;
  made[w] = c;
  if
  :: SIZE(w) == 2 -> write_record(KEY_0(w), c)
  :: else -> write_record(KEY_1(w), c)
  fi
}

inline apply_second(w, c) {
  if
  :: SIZE(w) == 2 ->
    write_entry(c + 1, SECOND(w));
    write_record(KEY_1(w), c + 1)
  :: else
  fi
}

proctype writer(byte w) {
  byte read_0 = 0;
  byte read_1 = 0;
  byte unchanged = 0; /* nothing has changed up to here */
  byte attempts = 0;
  byte found = NONE;
  byte other = NONE;
  bit refuse = 0;

again: /* Objects: BatchGetItem, each item consistent, not a snapshot */
  if
  :: read_0 = record[KEY_0(w)]
  OR_DIES
  fi;
  atomic {
    read_1 = record[KEY_1(w)];
    refuse = attempts == ATTEMPTS || (IS_GUARDED(w) && (read_0 > 0 || read_1 > 0));
    bounded = bounded || attempts == ATTEMPTS
  }
  if
  :: block[w] != 0 && (refuse || read_0 >= block[w] || read_1 >= block[w]) -> goto release
  :: block[w] == 0 && refuse -> goto refusal
  :: block[w] != 0 && !refuse && read_0 < block[w] && read_1 < block[w] -> goto transact
  :: block[w] == 0 && !refuse
  OR_DIES
  fi;
allocate: /* Buckets: UpdateItem, ADD cursor, with `if_cursor` under the condition cursor = :cursor */
#ifdef CHECKS_EARLY
  if
  :: IS_GUARDED(w) && cursor != unchanged -> goto look
  :: !IS_GUARDED(w) || cursor == unchanged
  OR_DIES
  fi;
#define IS_AT true
#else
#define IS_AT (!IS_GUARDED(w) || cursor == unchanged)
#endif
  if
  :: atomic { IS_AT && cursor + SIZE(w) <= N -> block[w] = cursor + 1; cursor = cursor + SIZE(w) }
  :: atomic { IS_AT && cursor + SIZE(w) > N -> bounded = 1; goto refusal }
  :: !IS_AT -> goto look
  OR_DIES
  fi;
transact:
  attempts++;
  if
#ifdef SEPARATE_WRITES
  :: d_step { ALLOWED(w, block[w], read_0, read_1) -> apply_first(w, block[w]) }
    if
    :: d_step { SIZE(w) == 1 || log[block[w] + 1] == NONE -> apply_second(w, block[w]) }
    OR_DIES
    fi;
#else
  :: d_step {
      ALLOWED(w, block[w], read_0, read_1) ->
      apply_first(w, block[w]);
      apply_second(w, block[w])
    }
#endif
    if
    :: goto done
    :: goto release /* committed, but the response was lost */
    OR_DIES
    fi
  :: d_step { /* in flight for longer than the writer waits */
      lates < LATE && late_first[w] == 0 ->
      lates++;
      late_first[w] = block[w];
      late_read_0[w] = read_0;
      late_read_1[w] = read_1
    }
    if
#ifdef UNKNOWN_IS_REFUSED
    :: goto refusal
#else
    :: goto release
#endif
    OR_DIES
    fi
  :: atomic {
      !ALLOWED(w, block[w], read_0, read_1) ->
      found = log[block[w]];
      if
      :: found == NONE && SIZE(w) == 2 -> found = log[block[w] + 1]
      :: else
      fi
    }
    if
    :: found == NONE -> goto again
    :: found != NONE -> goto release
    fi
  OR_DIES
  fi;

release: /* what is at the first cursor decides about both; no reader waits for them */
  if
  :: d_step { fill(block[w], found) }
  OR_DIES
  fi;
#ifndef FILLS_ONE
  if
  :: d_step { SIZE(w) == 2 -> fill(block[w] + 1, other); other = NONE }
  :: SIZE(w) == 1
  OR_DIES
  fi;
#endif
  if
  :: found == FIRST(w) -> goto done
  :: found != FIRST(w) && refuse -> goto refusal
  :: found != FIRST(w) && !refuse -> block[w] = 0; goto again
  fi;

look: /* Changes: Query: no-op entries are passed over, a gap is waited for */
  if
  :: atomic { unchanged < cursor && log[unchanged + 1] == NOOP -> unchanged++ } goto look
  :: unchanged < cursor && log[unchanged + 1] > NOOP -> goto refusal
#ifdef PASSES_GAPS
  :: atomic { unchanged < cursor && log[unchanged + 1] == NONE -> unchanged++ } goto look
#endif
  :: unchanged == cursor -> goto allocate
  OR_DIES
  fi;

done:
  acknowledged_is_durable = (made[w] != 0 && log[made[w]] == FIRST(w) &&
    (SIZE(w) == 1 || log[made[w] + 1] == SECOND(w)));
  assert(acknowledged_is_durable);
  goto dead;

refusal:
  atomic {
    refused_is_not_done = (made[w] == 0);
    assert(refused_is_not_done);
    refused[w] = 1
  }

dead:
  atomic {
    block[w] = 0;
    read_0 = 0; read_1 = 0; unchanged = 0; attempts = 0; found = 0; refuse = 0
  }
}

/* The network: a late transaction is committed after all, or never. */
proctype network(byte w) {
end:
  do
  :: d_step {
      late_first[w] != 0 && ALLOWED(w, late_first[w], late_read_0[w], late_read_1[w]) ->
      apply_first(w, late_first[w]);
      apply_second(w, late_first[w]);
      late_first[w] = 0; late_read_0[w] = 0; late_read_1[w] = 0
    }
  :: d_step { late_first[w] != 0 -> late_first[w] = 0; late_read_0[w] = 0; late_read_1[w] = 0 }
  od
}

/*
 * Reads pages of one or two cursors, whose shards are read at different times in any order, and
 * shows them. At any gap it stops, or fills it. What has been trimmed is no gap: it starts over
 * with the state before `oldest`, as every new reader may.
 */
#ifdef FILLS_BLINDLY
#define MISSED(c) false
#else
#define MISSED(c) GONE(c)
#endif
proctype reader() {
  byte one = NONE;
  byte two = NONE;
  byte to = 0;

end:
next:
  atomic { cursor > shown -> to = shown + 1 }
  if
  :: one = STORED(shown + 1)
  :: atomic { cursor > shown + 1 -> to = shown + 2 } /* a page of two */
    if
    :: one = STORED(shown + 1); two = STORED(shown + 2)
    :: two = STORED(shown + 2); one = STORED(shown + 1)
    fi
  fi;
  if
#ifdef TRIM
  :: one == NONE && MISSED(shown + 1) -> goto over
#endif
  :: one == NONE && !MISSED(shown + 1) && !IS_SECOND(two) -> /* a gap */
    if
    :: STORED(shown + 1) != NONE || MISSED(shown + 1) -> goto again /* asks again */
#ifndef NO_GAP_FILL
    :: d_step { !MISSED(shown + 1) -> fill(shown + 1, one) }
#endif
    fi
  :: d_step { one == NONE && !MISSED(shown + 1) && IS_SECOND(two) -> fill(shown + 1, one) }
  :: one != NONE
  fi;
  if
  :: to == shown + 1
#ifdef TORN_IS_GAP
  :: to == shown + 2 && two == NONE -> to = shown + 1; goto page
#else
  :: to == shown + 2 && two == NONE && !GOES_ON(one) -> to = shown + 1
#ifdef TRIM
  :: to == shown + 2 && two == NONE && GOES_ON(one) && MISSED(shown + 2) -> goto over
#endif
  :: d_step {
      to == shown + 2 && two == NONE && GOES_ON(one) && !MISSED(shown + 2) ->
      fill(shown + 2, two)
    }
#endif
  :: to == shown + 2 && two != NONE
  fi;
#ifndef ENDS_ANYWHERE
  if
  :: to == shown + 2 && GOES_ON(two) -> to = shown + 1
#ifdef TRIM
  :: to == shown + 1 && GOES_ON(one) && MISSED(shown + 2) -> goto over
#endif
  :: d_step {
      to == shown + 1 && GOES_ON(one) && !MISSED(shown + 2) ->
      fill(shown + 2, two);
      to = shown + 2
    }
  :: else
  fi;
#endif
page:
  atomic {
    shown = to;
    whole_commits = !GOES_ON(log[shown]);
    assert(whole_commits);
    atomic_commit = (!GOES_ON(log[shown - 1]) || IS_SECOND(log[shown]));
    assert(atomic_commit)
  }
again:
  atomic { one = NONE; two = NONE; to = 0; goto next }
#ifdef TRIM
over: /* Buckets: GetItem: `oldest` */
  atomic {
    shown = oldest - 1;
    whole_commits = !GOES_ON(log[shown]);
    assert(whole_commits);
    goto again
  }
#endif
}

#ifdef TRIM
/*
 * No entry is trimmed while its writer runs, or its transaction is late: the assumption about time.
 * Of a run of expired entries, here one or two, only whole commits are trimmed.
 */
#define COVERS(w, at, c) ((at) != 0 && (at) <= (c) && (c) < (at) + SIZE(w))
#define HELD(c) (COVERS(0, block[0], c) || COVERS(1, block[1], c) || \
  COVERS(0, late_first[0], c) || COVERS(1, late_first[1], c))
#define EXPIRED(c) ((c) <= cursor && log[c] != NONE && !HELD(c))
#ifdef TRIMS_PARTS
#define END(c) (c)
#else
#define END(c) (GOES_ON(log[(c) - 1]) -> (c) - 1 : (c))
#endif
proctype trimmer() {
  byte c = 1;
end:
  do
  :: d_step { EXPIRED(oldest) -> oldest = END(oldest + 1) } /* Buckets: UpdateItem */
  :: d_step { EXPIRED(oldest) && EXPIRED(oldest + 1) -> oldest = END(oldest + 2) }
  :: d_step { c < oldest -> removed[c] = 1; c++ } /* Changes: BatchWriteItem */
  od
}
#endif

/* Any other reader fills any gap at any moment. */
#ifndef NO_GAP_FILL
proctype gap_filler() {
  byte c = 1;
  byte found = NONE;
end:
  do
  :: d_step { c <= cursor && !MISSED(c) && STORED(c) == NONE -> fill(c, found); found = NONE }
  :: d_step { c <= cursor && log[c] != NONE -> c++ }
  od
}
#endif

/* When no process can take a step. */
proctype verdict() {
  byte c = 1;
end:
  timeout;
  do
  :: c <= cursor -> nothing_lost = (log[c] != NONE); assert(nothing_lost); c++
  :: else -> break
  od;
  nothing_lost = (shown == cursor);
  assert(nothing_lost);
#ifdef CALM
  one_succeeds = (bounded || GUARDED != 3 || (made[0] != 0) + (made[1] != 0) == 1);
  assert(one_succeeds)
#endif
}

init {
  atomic {
    run writer(0);
    run network(0);
    run writer(1);
    run network(1);
    run reader();
#ifdef TRIM
    run trimmer();
#endif
#ifndef NO_GAP_FILL
    run gap_filler();
#endif
    run verdict();
  }
}
