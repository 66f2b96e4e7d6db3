/*
 * The lease to push (core/log/push-lease.ts), in runs with -DLEASE. What invokes fanout is modelled
 * here too: a batch of the stream is consumed when an invocation ends, and repeated when it dies.
 * An instance that dies comes back as another one, which does not know the lease as its own.
 */

/* Table Buckets, the statistics: 1 + the instance that pushes; 0: nobody; DEAD: one that died. */
byte pusher = 0;
#define DEAD 9
#define DIE(f) \
  if \
  :: pusher == (f) + 1 -> pusher = DEAD \
  :: else \
  fi; \
  INVOKE

#define INVOKED due
#define CONSUME due = 0

/* An instance that finds the lease taken returns, and queues a deferred task. */
bit deferred = 0;
#ifdef NO_DEFERRED_TASK
#define LEAVE skip
#else
#define LEAVE deferred = 1
#endif

/*
 * The move of the published mark ends the lease, with -DPAUSE its holder does some time later; so
 * does its holder when another moved the mark.
 */
#define END_LEASE(f) \
  if \
  :: pusher == (f) + 1 -> pusher = 0 \
  :: else \
  fi

/* The holder looks for what others left to it, after the lease. */
#ifdef NO_LOOK
#define LOOK_AGAIN false
#else
#define LOOK_AGAIN (FOUND(published + 1) || MISSING(published + 1))
#endif

/*
 * The lease of a dead holder ends. With -DEARLY so does any other, at any moment: clocks differ,
 * and a holder may be slow. A deferred task that finds the lease taken queues the next one, which
 * equals waiting for its end. Invocations that find nothing to publish do nothing.
 */
proctype clock() {
end:
  do
#ifndef LEASE_FOR_EVER
  :: atomic { pusher == DEAD -> pusher = 0 }
#endif
#ifdef EARLY
  :: atomic { pusher != 0 -> pusher = 0 }
#endif
  :: atomic { deferred && pusher == 0 -> deferred = 0; INVOKE }
  :: atomic { due && published == cursor -> due = 0 }
  od
}
