/* The `sync` function, and the client. */

/* How the client begins; whatever it is, a reset makes it list. */
#define FROM_CURSOR 0
#define FROM_NOW 1
#define FROM_LIST 2
#ifndef START
#define START FROM_CURSOR
#endif

/* The action on its way to `sync`. The client sends no second one before the first is taken. */
#define NOTHING 0
#define SUBSCRIBE 1
#define SUBSCRIBE_FROM_NOW 2
#define PING 3
byte action = NOTHING;
byte action_position = 0;
byte action_connection = NO_CONNECTION;

/* Where "from now" begins to look. */
#ifdef NOW_IS_COUNTER
#define BEGINNING cursor
#else
#define BEGINNING delivered
#endif

#ifdef BLIND_REPLAY
#define REPLAY_SEES_GONE(c) false
#else
#define REPLAY_SEES_GONE(c) GONE(c)
#endif

proctype sync() {
  byte what = NOTHING;
  byte to_connection = NO_CONNECTION;
  byte from = 0;
  byte to = 0;
  byte found = NONE;
  bit lie = 0;
  bit more = 0;

#undef END_OF_CALL
#define END_OF_CALL \
  what = NOTHING; to_connection = NO_CONNECTION; from = 0; to = 0; lie = 0; more = 0; ENDS(OF_SYNC); goto end

end:
  atomic {
    action != NOTHING ->
    STARTS(OF_SYNC);
    what = action;
    from = action_position;
    to = from;
    to_connection = action_connection;
    action = NOTHING;
    action_position = 0;
    action_connection = NO_CONNECTION;
    if
    :: what == PING -> goto next
    :: else
    fi
  }
#ifndef ROW_AFTER_REPLAY
  if
  :: subscription = to_connection /* Subscriptions: PutItem */
  OR_IS_KILLED
  fi;
#endif
#if START == FROM_NOW
  if
  :: atomic { what == SUBSCRIBE_FROM_NOW -> from = BEGINNING; to = from } /* Buckets: GetItem of the statistics */
  :: what != SUBSCRIBE_FROM_NOW
  OR_IS_KILLED
  fi;
#endif
next: /* Changes: Query */
  if
  :: d_step { FOUND(to + 1) -> to++; lie = lie || log[to] != truth[to] }; goto next
  :: MISSING(to + 1) -> goto missing
  :: atomic { to > from && to < cursor && what != SUBSCRIBE_FROM_NOW -> more = 1; goto answer } /* the page is full */
  :: to >= cursor -> goto answer
  OR_IS_KILLED
  fi;
missing:
  if
  :: atomic { REPLAY_SEES_GONE(to + 1) -> goto gone } /* Buckets: GetItem, consistent */
  :: !REPLAY_SEES_GONE(to + 1) -> goto answer
  :: !REPLAY_SEES_GONE(to + 1) -> goto fence
  OR_IS_KILLED
  fi;
fence:
  if
  :: d_step { FOUND(to + 1) || MISSING(to + 1) -> /* Changes: PutItem: fences, or finds what came meanwhile */
      fill(to + 1, found);
      found = NONE;
      to++;
      lie = lie || log[to] != truth[to]
    }
    goto next
  OR_IS_KILLED
  fi;
gone:
  if
  :: what == SUBSCRIBE_FROM_NOW -> goto answer
  :: d_step { what != SUBSCRIBE_FROM_NOW -> post_reset(to_connection) }; goto finish
  OR_IS_LOST; goto finish
  OR_IS_KILLED
  fi;
answer:
  if
  :: d_step { what == SUBSCRIBE_FROM_NOW -> post_range(to_connection, to, to, 0) }
  :: d_step { what != SUBSCRIBE_FROM_NOW && to > from -> post_range(to_connection, from, to, lie); lie = 0 }
  :: what != SUBSCRIBE_FROM_NOW && to == from
  OR_IS_LOST
  OR_IS_KILLED
  fi;
  if
  :: atomic { more -> more = 0; from = to; goto next }
  :: !more
  fi;
finish:
#ifdef ROW_AFTER_REPLAY
  if
  :: what != PING -> subscription = to_connection
  :: what == PING
  fi;
#endif
  atomic { END_OF_CALL }
}

/* The client: its position, and for each key the cursor of the change whose outcome its replica shows. */
byte position = 0;
byte replica[KEYS];
bit following = 0;
/* The last entry that it applied: for the checks only. */
byte applied = 0;

/* 6. Applies what of (from, to] is above the position. */
inline apply_range(from, to) {
  applied_what_was_written = ((lies & BIT(from, to)) == 0);
  assert(applied_what_was_written);
  i = from + 1;
  do
  :: i <= to ->
    if
#ifdef NO_POSITION_RULE
    :: true ->
#else
    :: i > position ->
#endif
      applied_once_in_order = (i == applied + 1);
      assert(applied_once_in_order);
      applied = i;
      if
      :: truth[i] > VOID -> replica[KEY(WRITER(truth[i]))] = i
      :: else
      fi
    :: else
    fi;
    i++
  :: else -> break
  od;
  i = 0;
  position = to;
  check_replica()
}

/* No key's last change at or below the position is newer than what the replica has. */
inline check_replica() {
  j = 1;
  do
  :: j <= position ->
    list_then_follow_misses_nothing = (truth[j] != NONE && (truth[j] == VOID ||
      replica[KEY(WRITER(truth[j]))] >= j));
    assert(list_then_follow_misses_nothing);
    j++
  :: else -> break
  od;
  j = 0
}

inline send(request, at) {
  action = request;
  action_position = at;
  action_connection = connection
}

#define HAS(from, to) (messages & BIT(from, to))
#define TAKE(from, to) messages = messages & ~BIT(from, to); lies = lies & ~BIT(from, to)
#ifdef EAGER
#define FITS(from, to) ((to) > position)
#define IS_AHEAD(from) false
#else
#define FITS(from, to) ((from) <= position && position < (to))
#define IS_AHEAD(from) ((from) > position)
#endif
#ifdef NO_POSITION_RULE
#undef FITS
#define FITS(from, to) ((from) <= position)
#endif
#define IS_OLD(from, to) (!FITS(from, to) && !IS_AHEAD(from))

/* A post may arrive twice: it is applied, and stays on its way. */
#ifdef ONCE
#define OR_AGAIN(from, to)
#else
#define OR_AGAIN(from, to) \
  :: d_step { following && HAS(from, to) && FITS(from, to) -> apply_range(from, to) }
#endif
#define RECEIVE(from, to) \
  :: d_step { following && HAS(from, to) && FITS(from, to) -> apply_range(from, to); TAKE(from, to) } \
  OR_AGAIN(from, to) \
  :: d_step { following && HAS(from, to) && IS_AHEAD(from) && action == NOTHING -> TAKE(from, to); send(SUBSCRIBE, position) } \
  :: d_step { following && HAS(from, to) && IS_OLD(from, to) -> TAKE(from, to) }
/* `subscribed`: where it begins to follow. Every number up to it has its entry. Later ones are of an earlier attempt. */
#define RECEIVE_SUBSCRIBED(at) \
  :: d_step { !following && HAS(at, at) -> TAKE(at, at); \
      following = 1; position = at; applied = at; \
      replica[0] = at; replica[KEYS - 1] = at; check_replica() } \
  :: d_step { following && HAS(at, at) -> TAKE(at, at) }

#if defined(CALM) || defined(NO_PING)
#define MAY_PING false
#else
/* One that finds nothing that `delivered` has passed replays nothing: it is not sent here. */
#define MAY_PING \
  (action == NOTHING && messages == 0 && !reset && witness[OF_SYNC] == 0 && following && position < delivered && \
  (log[position + 1] != NONE || GONE(position + 1)))
#endif

proctype client() {
  byte head = 0;

#if START == FROM_LIST
  goto list;
#elif START == FROM_NOW
  atomic { send(SUBSCRIBE_FROM_NOW, 0) };
#else
  atomic { following = 1; send(SUBSCRIBE, 0) };
#endif
follow:
end:
  do
  RECEIVE(0, 1)
  RECEIVE(0, 2)
  RECEIVE(1, 2)
  RECEIVE_SUBSCRIBED(0)
  RECEIVE_SUBSCRIBED(1)
  RECEIVE_SUBSCRIBED(2)
#if N >= 3
  RECEIVE(0, 3)
  RECEIVE(1, 3)
  RECEIVE(2, 3)
  RECEIVE_SUBSCRIBED(3)
#endif
  :: d_step { MAY_PING -> send(PING, position) }
  :: atomic { reset && following -> reset = 0; following = 0; goto list }
#ifndef CALM
  :: d_step { /* no answer: once more, and forgets what it held back */
      !following && action == NOTHING && (messages & SUBSCRIBED) == 0 && witness[OF_SYNC] == 0 ->
      messages = 0;
      lies = 0;
      send(SUBSCRIBE_FROM_NOW, 0)
    }
  :: d_step { connection < LAST_CONNECTION && action == NOTHING -> /* cut, and opened again */
      connection++;
      messages = 0;
      lies = 0;
      reset = 0;
      if
      :: following -> send(SUBSCRIBE, position)
      :: else -> send(SUBSCRIBE_FROM_NOW, 0)
      fi
    }
#endif
  od;

list: /* GET of the list: its cursor is read before its first page */
#ifndef LIST_CURSOR_LAST
  head = delivered
#ifdef LIST_CURSOR_IS_COUNTER
  head = cursor;
#endif
  do
  :: d_step { FOUND(head + 1) -> head++ }
  :: break
  od;
#endif
  /* Objects: Query, a page for each key */
  replica[0] = last_cursor[0];
#if KEYS > 1
  replica[1] = last_cursor[1];
#endif
#ifdef LIST_CURSOR_LAST
  head = delivered;
  do
  :: d_step { FOUND(head + 1) -> head++ }
  :: break
  od;
#endif
  atomic {
    position = head;
    applied = head;
    following = 1;
    head = 0;
    check_replica()
  };
  atomic { action == NOTHING -> send(SUBSCRIBE, position) };
  goto follow
}

/* 5, for followers: at the head, and no key's state is older than what is there. */
#define FOLLOWED \
  (following && position == cursor && replica[0] >= last_cursor[0] && replica[KEYS - 1] >= last_cursor[KEYS - 1])
