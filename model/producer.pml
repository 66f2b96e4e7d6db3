/*
 * Writers as the log sees them, in runs without commit.pml: cursors are allocated and filled in any
 * order, each by a change or a no-op entry; the changes of a key follow its record's cursor, as the
 * transaction ensures.
 */
#define MAY_PUT(c, w) ((c) <= cursor && log[c] == NONE && truth[c] == NONE && last_cursor[KEY(w)] < (c))
inline put(c, w) {
  write_entry(c, CHANGE(w));
  last_cursor[KEY(w)] = c
}

#define FILL(c) \
  :: d_step { MAY_PUT(c, 0) -> put(c, 0) } \
  OR_OTHER_KEY(c) \
  OR_DELETE(c)
#if KEYS > 1
#define OR_OTHER_KEY(c) :: d_step { MAY_PUT(c, 2) -> put(c, 2) }
#else
#define OR_OTHER_KEY(c)
#endif
#if DELETES
#define OR_DELETE(c) :: d_step { MAY_PUT(c, 1) && last_cursor[0] != 0 -> put(c, 1) }
#else
#define OR_DELETE(c)
#endif

proctype producer() {
end:
  do
  :: cursor < N -> cursor++
  FILL(1)
  FILL(2)
#if N >= 3
  FILL(3)
#endif
  od
}
