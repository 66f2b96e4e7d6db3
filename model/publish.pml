/*
 * Publishing: reading the log without a gap, fanout, the function channel, the client.
 *
 * A page of the log is up to 8 concurrent queries, not a snapshot. It is modelled cursor by cursor,
 * each at its own time: entries never change, so only what was found matters, and a page may end
 * anywhere.
 */
#ifdef WITH_CLIENT
#include "channel.pml"
#endif

/* A function may die between any two calls. */
#if defined(CALM)
#define OR_IS_KILLED
#else
#define OR_IS_KILLED :: atomic { kills < KILLS -> kills++; END_OF_CALL }
#endif

/* -DDIES: fanout may, although nothing else disturbs. */
#if defined(CALM) && defined(DIES)
#define OR_FANOUT_IS_KILLED :: atomic { kills < KILLS -> kills++; DIE(f); END_OF_CALL }
#elif defined(CALM)
#define OR_FANOUT_IS_KILLED
#else
#define OR_FANOUT_IS_KILLED :: atomic { kills < KILLS -> kills++; DIE(f); END_OF_CALL }
#endif

#ifdef LEASE
#include "lease.pml"
#else
#define INVOKED true
#define DIE(f) skip
#define CONSUME skip
#endif

/* The cursor that the reader is at. */
#define FOUND(c) ((c) <= cursor && (c) <= N && log[c] != NONE)
#define MISSING(c) ((c) <= cursor && (c) <= N && log[c] == NONE)
#ifdef BLIND_FANOUT
#define FANOUT_SEES_GONE(c) false
#else
#define FANOUT_SEES_GONE(c) GONE(c)
#endif

/* One invocation of fanout after the other, each of which may die between any two calls. */
proctype fanout(byte f) {
  byte from = 0;
  byte to = 0;
  byte found = NONE;
  byte row = 0;
  bit lie = 0;

#undef END_OF_CALL
#define END_OF_CALL from = 0; to = 0; row = 0; lie = 0; ENDS(OF_FANOUT(f)); goto end

end:
  atomic { /* Buckets: GetItem of the statistics */
    (FOUND(published + 1) || MISSING(published + 1)) && INVOKED ->
    CONSUME;
    STARTS(OF_FANOUT(f));
    from = published;
    to = from;
#ifdef ROWS_BEFORE_LOG
    row = subscription
#endif
  }
next: /* Changes: Query */
  if
  :: d_step { FOUND(to + 1) -> to++; lie = lie || log[to] != truth[to] }; goto next
  :: MISSING(to + 1) -> goto missing
  :: to > from -> goto push /* the page, or the log, ends here */
  OR_FANOUT_IS_KILLED
  fi;
missing:
  if
  :: atomic { FANOUT_SEES_GONE(to + 1) -> END_OF_CALL } /* Buckets: GetItem: another instance published it */
  :: !FANOUT_SEES_GONE(to + 1) && to > from -> goto push
  :: !FANOUT_SEES_GONE(to + 1)
  OR_FANOUT_IS_KILLED
  fi;
  if
  :: d_step { FOUND(to + 1) || MISSING(to + 1) -> /* Changes: PutItem: fills the gap, or finds an entry */
      fill(to + 1, found);
      found = NONE;
      to++;
      lie = lie || log[to] != truth[to]
    }
    goto next
  OR_FANOUT_IS_KILLED
  fi;
push:
#ifdef WITH_CLIENT
#ifndef ROWS_BEFORE_LOG
  if
  :: atomic { subscription == NO_CONNECTION -> goto move } /* Subscriptions: Query, consistent */
  :: atomic { subscription != NO_CONNECTION -> row = subscription }
  OR_FANOUT_IS_KILLED
  fi;
#endif
#ifdef LEASE
  if
  :: atomic { published == from && pusher == 0 -> pusher = f + 1 } /* Buckets: UpdateItem, conditional */
  :: atomic { published == from && pusher != 0 -> LEAVE; END_OF_CALL }
  :: atomic { published != from -> INVOKE; END_OF_CALL } /* starts over */
  OR_FANOUT_IS_KILLED
  fi;
#endif
  if
  :: d_step { row != NO_CONNECTION -> post_range(row, from, to, lie); row = NO_CONNECTION; lie = 0 }
#ifdef ROWS_BEFORE_LOG
  :: row == NO_CONNECTION
#endif
  OR_IS_LOST
  OR_FANOUT_IS_KILLED
  fi;
#endif
move:
  atomic { /* Buckets: UpdateItem, published = :to if it is :from; the counters with it */
    if
#ifdef NO_COMPARE
    :: true ->
#else
    :: published == from ->
#endif
      published = to;
      counted = counted + to - from;
      counted_once = (counted == published);
      assert(counted_once)
#ifndef NO_COMPARE
    :: else -> INVOKE /* starts over */
#endif
    fi;
#ifndef LEASE
    END_OF_CALL
#elif !defined(PAUSE)
    END_LEASE(f)
#endif
  }
#ifdef LEASE
#ifdef LOOK_UNDER_LEASE
  if
  :: atomic { LOOK_AGAIN -> END_LEASE(f); INVOKE; END_OF_CALL }
  :: !LOOK_AGAIN
  OR_FANOUT_IS_KILLED
  fi;
#endif
#ifdef PAUSE
  if
  :: atomic { END_LEASE(f) } /* Buckets: UpdateItem, if it is the holder still */
  OR_FANOUT_IS_KILLED
  fi;
#endif
#ifdef LOOK_UNDER_LEASE
  atomic { END_OF_CALL }
#else
  if
  :: atomic { LOOK_AGAIN -> INVOKE; END_OF_CALL } /* Buckets: GetItem of the record */
  :: atomic { !LOOK_AGAIN -> END_OF_CALL }
  OR_FANOUT_IS_KILLED
  fi
#endif
#endif
}

#ifdef WITH_CLIENT
#include "follow.pml"
#else
#define FOLLOWED true
#endif

#ifdef WITH_COMMIT
#define CLEANED (!ORPHAN(0) && !ORPHAN(1) && !ORPHAN(2))
#else
#define CLEANED true
#include "producer.pml"
#endif

#ifdef VANISH
#define FILLED(c) ((c) > cursor || truth[c] != NONE)
#else
#define FILLED(c) ((c) > cursor || log[c] != NONE || GONE(c))
#endif
#if N == 4
#define ALL_FILLED (FILLED(1) && FILLED(2) && FILLED(3) && FILLED(4))
#elif N == 3
#define ALL_FILLED (FILLED(1) && FILLED(2) && FILLED(3))
#else
#define ALL_FILLED (FILLED(1) && FILLED(2))
#endif
/* 7: no crash can prevent this. */
#define SETTLED (ALL_FILLED && published == cursor && CLEANED && FOLLOWED)

/* When no process can take a step. */
proctype verdict() {
end:
  timeout;
  nothing_lost = SETTLED;
  assert(nothing_lost)
}
