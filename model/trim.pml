/* Forgetting history (core/log/trim.ts), and fencing by whoever meets a hole (core/log/feed.ts, core/maintenance/housekeeping.ts). */

#ifdef WITH_COMMIT
#define IN_NETWORK(c) (late_number[0] == (c) || late_number[1] == (c) || late_number[2] == (c))
#else
#define IN_NETWORK(c) false
#endif
#define EXPIRED(c) (log[c] != NONE && (c) <= delivered && !HELD(c) && !IN_NETWORK(c))
#if defined(DELETE_FIRST)
#define DELETABLE(c) (GONE(c) && log[c] != NONE || (c) == oldest && EXPIRED(c))
#define RAISABLE (oldest <= delivered && log[oldest] == NONE)
#elif defined(VANISH)
#define DELETABLE(c) EXPIRED(c)
#define RAISABLE false
#else
#define DELETABLE(c) (GONE(c) && log[c] != NONE)
#define RAISABLE (oldest <= delivered && EXPIRED(oldest))
#endif

#ifdef WITH_COMMIT
#define MAKES_TOMBSTONE(c) \
  (log[c] > VOID && IS_DELETE(WRITER(log[c])) && record_cursor[KEY(WRITER(log[c]))] == (c) && !record_live[KEY(WRITER(log[c]))])
#endif

/* Without blobs and records, deleting an entry is one call. */
#ifdef WITH_COMMIT
#define CHOOSE(n) :: d_step { c == 0 && DELETABLE(n) -> c = n }
#else
#define CHOOSE(n) :: d_step { DELETABLE(n) -> log[n] = NONE }
#endif

/*
 * Fanout after a batch, or the janitor. It dies where it likes: all that it knows is in the tables, so dying and
 * beginning again is the same as going on.
 */
proctype trimmer() {
  byte c = 0;
end:
  do
  :: d_step { RAISABLE -> oldest++ } /* Buckets: UpdateItem, oldest = :next if it is lower */
  CHOOSE(1)
  CHOOSE(2)
#if N >= 3
  CHOOSE(3)
#endif
#if N >= 4
  CHOOSE(4)
#endif
#ifdef WITH_COMMIT
  :: d_step { c != 0 && superseded[c] != 0 -> /* S3: DeleteObjects: what the change superseded */
      blob[superseded[c] - 1] = REMOVED;
      superseded[c] = 0;
      check_store()
    }
  :: d_step { c != 0 && superseded[c] == 0 && MAKES_TOMBSTONE(c) -> /* Objects: DeleteItem if it is this tombstone */
      i = KEY(WRITER(log[c]));
      record_cursor[i] = 0;
      record_version[i] = 0;
      i = 0;
      check_store()
    }
  :: d_step { c != 0 && superseded[c] == 0 && !MAKES_TOMBSTONE(c) -> log[c] = NONE; c = 0 } /* Changes: BatchWriteItem */
#endif
  od
}

#define HOLE(c) ((c) <= cursor && log[c] == NONE)

/*
 * Whoever meets a hole, at any moment: sees it, reads `oldest`, puts a void if there is nothing. That it is always
 * there in the end is the scheduled retry of the design.
 */
proctype fencer() {
  byte c = 0;
  byte found = NONE;
end:
  do
  :: atomic { c == 0 && HOLE(1) && !GONE(1) -> c = 1; STARTS(OF_FENCE) }
#if N >= 2
  :: atomic { c == 0 && HOLE(2) && !GONE(2) -> c = 2; STARTS(OF_FENCE) }
#endif
#if N >= 3
  :: atomic { c == 0 && HOLE(3) && !GONE(3) -> c = 3; STARTS(OF_FENCE) }
#endif
#if N >= 4
  :: atomic { c == 0 && HOLE(4) && !GONE(4) -> c = 4; STARTS(OF_FENCE) }
#endif
  :: d_step { c != 0 -> fill(c, found); found = NONE; c = 0; ENDS(OF_FENCE) }
  od
}
