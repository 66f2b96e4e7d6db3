/* Trimming (core/log/trim.ts), and gap fills by readers (core/log/, core/maintenance/). */

#ifdef WITH_COMMIT
#define IN_NETWORK(c) (late_cursor[0] == (c) || late_cursor[1] == (c) || late_cursor[2] == (c))
#else
#define IN_NETWORK(c) false
#endif
#define EXPIRED(c) (log[c] != NONE && (c) <= published && !HELD(c) && !IN_NETWORK(c))
#if defined(DELETE_FIRST)
#define DELETABLE(c) (GONE(c) && log[c] != NONE || (c) == oldest && EXPIRED(c))
#define RAISABLE (oldest <= published && log[oldest] == NONE)
#elif defined(VANISH)
#define DELETABLE(c) EXPIRED(c)
#define RAISABLE false
#else
#define DELETABLE(c) (GONE(c) && log[c] != NONE)
#define RAISABLE (oldest <= published && EXPIRED(oldest))
#endif

#ifdef WITH_COMMIT
#define MAKES_TOMBSTONE(c) \
  (log[c] > NOOP && IS_DELETE(WRITER(log[c])) && record_cursor[KEY(WRITER(log[c]))] == (c) && !record_live[KEY(WRITER(log[c]))])
#endif

/* Without blobs and records, deleting an entry is one call. */
#ifdef WITH_COMMIT
#define CHOOSE(n) :: d_step { c == 0 && DELETABLE(n) -> c = n }
#else
#define CHOOSE(n) :: d_step { DELETABLE(n) -> log[n] = NONE }
#endif

/*
 * Fanout after a batch, or the janitor. It may die anywhere: all its state is in the tables, so
 * dying and starting again equals continuing.
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
  :: d_step { c != 0 && superseded[c] == 0 && MAKES_TOMBSTONE(c) -> /* Objects: DeleteItem of this tombstone */
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

#define GAP(c) ((c) <= cursor && log[c] == NONE)

/*
 * A reader that finds a gap, at any moment: it reads `oldest` and puts a no-op entry if there is
 * none. The scheduled sweep makes sure that such a reader always comes.
 */
proctype gap_filler() {
  byte c = 0;
  byte found = NONE;
end:
  do
  :: atomic { c == 0 && GAP(1) && !GONE(1) -> c = 1; STARTS(OF_GAP_FILL) }
#if N >= 2
  :: atomic { c == 0 && GAP(2) && !GONE(2) -> c = 2; STARTS(OF_GAP_FILL) }
#endif
#if N >= 3
  :: atomic { c == 0 && GAP(3) && !GONE(3) -> c = 3; STARTS(OF_GAP_FILL) }
#endif
#if N >= 4
  :: atomic { c == 0 && GAP(4) && !GONE(4) -> c = 4; STARTS(OF_GAP_FILL) }
#endif
  :: d_step { c != 0 -> fill(c, found); found = NONE; c = 0; ENDS(OF_GAP_FILL) }
  od
}
