/*
 * The requests PUT and DELETE (core/log/commit.ts), the transactions that outlive them, the
 * reconciler.
 */
#ifndef ATTEMPTS
#define ATTEMPTS 2
#endif

#define ABSENT 0
#define THERE 1
#define REMOVED 2
/* S3: the blob of each request, under a unique key. */
byte blob[REQUESTS];
/* The blob that the change at a cursor superseded: 1 + its request. Part of the entry. */
byte superseded[SLOTS];

/* A transaction that its writer no longer waits for and that DynamoDB may still commit. 0: none. */
byte late_cursor[REQUESTS];
byte late_read[REQUESTS];
byte late_version[REQUESTS];
/* How many transactions may be late: a bound of the search. */
#ifndef LATE
#define LATE 1
#endif
byte lates = 0;

/* The response to the client of each request, and whether its function still runs. */
byte acknowledged[REQUESTS];
bit refused[REQUESTS];
bit ended[REQUESTS];

#define IS_NAMED(w) \
  ((record_live[0] && record_blob[0] == (w)) || (record_live[KEYS - 1] && record_blob[KEYS - 1] == (w)))

/* Tables Objects and Changes agree (2), named blobs exist (4), responses stay true (5). */
inline check_store() {
  j = 0;
  do
  :: j < KEYS ->
    atomic_change = (record_cursor[j] == last_cursor[j] || (record_cursor[j] == 0 && last_cursor[j] < oldest));
    assert(atomic_change);
    immutable_content = (!record_live[j] || blob[record_blob[j]] == THERE);
    assert(immutable_content);
    j++
  :: else -> break
  od;
  j = 0;
  do
  :: j < WRITERS ->
    acknowledged_is_durable = (acknowledged[j] == 0 || (truth[acknowledged[j]] == CHANGE(j) &&
      (log[acknowledged[j]] == CHANGE(j) || acknowledged[j] < oldest) &&
      last_cursor[KEY(j)] >= acknowledged[j]));
    assert(acknowledged_is_durable);
    j++
  :: else -> break
  od;
  j = 0
}

/*
 * DynamoDB: TransactWriteItems: Put of the log entry if absent; Put of the record if its cursor is
 * the one that was read, and below the allocated one. All or nothing. With a previous record of 0:
 * if there is no record.
 */
#ifdef NO_CURSOR_GUARD
#define ABOVE(c, read) true
#else
#define ABOVE(c, read) ((read) < (c))
#endif
#ifdef COMMIT_OVERWRITES
#define FREE(c) true
#else
#define FREE(c) (log[c] == NONE)
#endif
#ifdef NO_VERSION_CHECK
#define UNCHANGED(w, read) true
#else
#define UNCHANGED(w, read) (record_cursor[KEY(w)] == (read))
#endif
#define ALLOWED(w, c, read) (FREE(c) && UNCHANGED(w, read) && ABOVE(c, read))

inline apply_entry(w, c, version) {
  write_entry(c, CHANGE(w));
  refused_is_not_done = !refused[w];
  assert(refused_is_not_done);
  /* 3: versions count along the log, and start again after a removed tombstone. */
  ordered_per_key = (c > last_cursor[KEY(w)] &&
    (version == last_version[KEY(w)] + 1 || (version == 1 && last_cursor[KEY(w)] < oldest)));
  assert(ordered_per_key);
  last_cursor[KEY(w)] = c;
  last_version[KEY(w)] = version;
  if
  :: record_live[KEY(w)] -> superseded[c] = 1 + record_blob[KEY(w)]
  :: else
  fi
}

inline apply_record(w, c, version) {
  record_cursor[KEY(w)] = c;
  record_version[KEY(w)] = version;
  record_live[KEY(w)] = !IS_DELETE(w);
  record_blob[KEY(w)] = (IS_DELETE(w) -> 0 : w);
  check_store()
}

/* A function may die between any two calls. */
#define OR_DIES :: true -> goto dead

proctype writer(byte w) {
  byte allocated = 0;
  byte read = 0;
  byte version = 0;
  bit live = 0;
  byte attempts = 0;
  byte found = NONE;
  bit refuse = 0;

  STARTS(OF_WRITER(w));
  if
  :: IS_DELETE(w)
  :: atomic { /* S3: PutObject, If-None-Match: * */
      !IS_DELETE(w) ->
      immutable_content = (blob[w] == ABSENT);
      assert(immutable_content);
      blob[w] = THERE
    }
  OR_DIES
  fi;

again:
  atomic { /* Objects: GetItem, consistent */
    read = record_cursor[KEY(w)];
    version = record_version[KEY(w)] + 1;
    live = record_live[KEY(w)];
    /* The caller's condition; here, DELETE of a missing object: 404. */
    refuse = (IS_DELETE(w) && !live) || attempts == ATTEMPTS
  }
#ifdef NO_CURSOR_GUARD
  if
  :: allocated != 0 && refuse -> goto abandon
#else
  if
  :: allocated != 0 && (refuse || read >= allocated) -> goto abandon
#endif
  :: allocated == 0 && refuse -> goto refusal
  :: allocated != 0 && !refuse && ABOVE(allocated, read)
  :: allocated == 0 && !refuse ->
    if
    :: atomic { cursor < N -> cursor++; allocated = cursor } /* Buckets: UpdateItem, ADD cursor 1 */
    :: cursor == N -> goto refusal /* the bound of the search; as if the bucket were closing */
    OR_DIES
    fi
  OR_DIES
  fi;

  attempts++;
  if
#ifdef TWO_WRITES
  :: atomic { ALLOWED(w, allocated, read) -> d_step { apply_entry(w, allocated, version); check_store() } }
    if
    :: d_step { apply_record(w, allocated, version) }
    OR_DIES
    fi;
    goto done
#else
  :: d_step { ALLOWED(w, allocated, read) -> apply_entry(w, allocated, version); apply_record(w, allocated, version) }
    if
    :: goto done
    :: goto unknown /* committed, but the response was lost */
    OR_DIES
    fi
#endif
  :: d_step { /* in flight for longer than the writer waits */
      lates < LATE && late_cursor[w] == 0 ->
      lates++;
      late_cursor[w] = allocated;
      late_read[w] = read;
      late_version[w] = version
    }
    if
    :: goto unknown
    OR_DIES
    fi
  :: atomic { !ALLOWED(w, allocated, read) -> found = log[allocated] }
    if
    :: found == NOOP -> allocated = 0
    :: found == CHANGE(w) -> goto done
    :: found == NONE || (found != NOOP && found != CHANGE(w))
    fi;
    goto again
  OR_DIES
  fi;

unknown: /* was it committed? A gap fill decides it */
#ifdef UNKNOWN_IS_REFUSED
  goto refusal;
#endif
  if
  :: d_step { fill(allocated, found) }
    if
    :: found == CHANGE(w) -> goto done
    :: found == NOOP -> allocated = 0; goto again
    fi
  OR_DIES /* response 500: the outcome is open */
  fi;

abandon: /* so that no follower waits for the cursor */
  if
  :: d_step { fill(allocated, found) }
    allocated = 0;
    if
    :: found == CHANGE(w) -> goto done
    :: found == NOOP && refuse -> goto refusal
    :: found == NOOP && !refuse -> goto again
    fi
  OR_DIES
  fi;

done:
  atomic { /* 200, 201, 204 */
    if
    :: allocated != 0 -> acknowledged[w] = allocated
    :: else /* found by the gap fill: it is in the log */
    fi;
    check_store()
  }
  goto dead;

refusal:
  atomic { /* 404, 503: certain, nothing was changed */
    refused[w] = 1;
    i = 1;
    do
    :: i <= N -> refused_is_not_done = (truth[i] != CHANGE(w)); assert(refused_is_not_done); i++
    :: else -> break
    od;
    i = 0
  }
  if
  :: d_step { blob[w] == THERE -> blob[w] = REMOVED; check_store() } /* S3: DeleteObject */
  :: blob[w] != THERE
  OR_DIES
  fi;

dead:
  atomic { ENDS(OF_WRITER(w)); ended[w] = 1; allocated = 0; read = 0; version = 0; live = 0; attempts = 0; found = 0; refuse = 0 }
}

/* The network: a late transaction is committed after all, or never. */
proctype network(byte w) {
end:
  do
  :: d_step {
      late_cursor[w] != 0 && ALLOWED(w, late_cursor[w], late_read[w]) ->
      apply_entry(w, late_cursor[w], late_version[w]);
      apply_record(w, late_cursor[w], late_version[w]);
      late_cursor[w] = 0;
      late_read[w] = 0;
      late_version[w] = 0
    }
  :: d_step { late_cursor[w] != 0 -> late_cursor[w] = 0; late_read[w] = 0; late_version[w] = 0 }
  od
}

/*
 * The reconciler removes unreferenced blobs that are a day old: no request that might name them
 * runs.
 */
#define HISTORY_NAMES(w) \
  (superseded[1] == (w) + 1 || superseded[2] == (w) + 1 || superseded[3] == (w) + 1)
#ifdef RECONCILE_YOUNG
#define OLD(w) true
#else
#define OLD(w) (ended[w] && late_cursor[w] == 0)
#endif
#define ORPHAN(w) (blob[w] == THERE && !IS_NAMED(w) && !HISTORY_NAMES(w))
proctype reconciler(byte w) {
end:
  do
  :: d_step { ORPHAN(w) && OLD(w) -> blob[w] = REMOVED; check_store() }
  od
}
