/* The function channel, and the client. */

/* How the client starts; a reset makes it list in every case. */
#define FROM_CURSOR 0
#define FROM_NOW 1
#define FROM_LIST 2
#ifndef START
#define START FROM_CURSOR
#endif

/* The action in flight to the channel function. The client sends one at a time. */
#define NOTHING 0
#define SUBSCRIBE 1
#define SUBSCRIBE_FROM_NOW 2
#define PING 3
byte action = NOTHING;
byte action_cursor = 0;
byte action_connection = NO_CONNECTION;

/* Where "from now" starts to read. */
#ifdef NOW_IS_COUNTER
#define BEGINNING cursor
#else
#define BEGINNING published
#endif

#ifdef BLIND_CATCH_UP
#define CATCH_UP_SEES_GONE(c) false
#else
#define CATCH_UP_SEES_GONE(c) GONE(c)
#endif

proctype channel() {
  byte what = NOTHING;
  byte to_connection = NO_CONNECTION;
  byte from = 0;
  byte to = 0;
  byte found = NONE;
  bit lie = 0;
  bit more = 0;

#undef END_OF_CALL
#define END_OF_CALL \
  what = NOTHING; to_connection = NO_CONNECTION; from = 0; to = 0; lie = 0; more = 0; ENDS(OF_CHANNEL); goto end

end:
  atomic {
    action != NOTHING ->
    STARTS(OF_CHANNEL);
    what = action;
    from = action_cursor;
    to = from;
    to_connection = action_connection;
    action = NOTHING;
    action_cursor = 0;
    action_connection = NO_CONNECTION;
    if
    :: what == PING -> goto next
    :: else
    fi
  }
#ifndef ROW_AFTER_CATCH_UP
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
  :: atomic { to > from && to < cursor && what != SUBSCRIBE_FROM_NOW -> more = 1; goto respond } /* the page is full */
  :: to >= cursor -> goto respond
  OR_IS_KILLED
  fi;
missing:
  if
  :: atomic { CATCH_UP_SEES_GONE(to + 1) -> goto gone } /* Buckets: GetItem, consistent */
  :: !CATCH_UP_SEES_GONE(to + 1) -> goto respond
  :: !CATCH_UP_SEES_GONE(to + 1) -> goto gap_fill
  OR_IS_KILLED
  fi;
gap_fill:
  if
  :: d_step { FOUND(to + 1) || MISSING(to + 1) -> /* Changes: PutItem: fills the gap, or finds an entry */
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
  :: what == SUBSCRIBE_FROM_NOW -> goto respond
  :: d_step { what != SUBSCRIBE_FROM_NOW -> post_reset(to_connection) }; goto finish
  OR_IS_LOST; goto finish
  OR_IS_KILLED
  fi;
respond:
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
#ifdef ROW_AFTER_CATCH_UP
  if
  :: what != PING -> subscription = to_connection
  :: what == PING
  fi;
#endif
  atomic { END_OF_CALL }
}

/* The client's cursor, and for each key the cursor of the change that its replica shows. */
byte client_cursor = 0;
byte replica[KEYS];
bit following = 0;
/* The last entry that it applied: for the checks only. */
byte applied = 0;

/* 6. Applies the part of (from, to] that is above the client's cursor. */
inline apply_range(from, to) {
  applied_what_was_written = ((lies & BIT(from, to)) == 0);
  assert(applied_what_was_written);
  i = from + 1;
  do
  :: i <= to ->
    if
#ifdef NO_CURSOR_RULE
    :: true ->
#else
    :: i > client_cursor ->
#endif
      applied_once_in_order = (i == applied + 1);
      assert(applied_once_in_order);
      applied = i;
      if
      :: truth[i] > NOOP -> replica[KEY(WRITER(truth[i]))] = i
      :: else
      fi
    :: else
    fi;
    i++
  :: else -> break
  od;
  i = 0;
  client_cursor = to;
  check_replica()
}

/* No key's last change up to the client's cursor is newer than its replica. */
inline check_replica() {
  j = 1;
  do
  :: j <= client_cursor ->
    list_then_follow_misses_nothing = (truth[j] != NONE && (truth[j] == NOOP ||
      replica[KEY(WRITER(truth[j]))] >= j));
    assert(list_then_follow_misses_nothing);
    j++
  :: else -> break
  od;
  j = 0
}

inline send(request, at) {
  action = request;
  action_cursor = at;
  action_connection = connection
}

#define HAS(from, to) (messages & BIT(from, to))
#define TAKE(from, to) messages = messages & ~BIT(from, to); lies = lies & ~BIT(from, to)
#ifdef EAGER
#define FITS(from, to) ((to) > client_cursor)
#define IS_AHEAD(from) false
#else
#define FITS(from, to) ((from) <= client_cursor && client_cursor < (to))
#define IS_AHEAD(from) ((from) > client_cursor)
#endif
#ifdef NO_CURSOR_RULE
#undef FITS
#define FITS(from, to) ((from) <= client_cursor)
#endif
#define IS_OLD(from, to) (!FITS(from, to) && !IS_AHEAD(from))

/* A post may arrive twice: it is applied, and stays in flight. */
#ifdef ONCE
#define OR_AGAIN(from, to)
#else
#define OR_AGAIN(from, to) \
  :: d_step { following && HAS(from, to) && FITS(from, to) -> apply_range(from, to) }
#endif
#define RECEIVE(from, to) \
  :: d_step { following && HAS(from, to) && FITS(from, to) -> apply_range(from, to); TAKE(from, to) } \
  OR_AGAIN(from, to) \
  :: d_step { following && HAS(from, to) && IS_AHEAD(from) && action == NOTHING -> TAKE(from, to); send(SUBSCRIBE, client_cursor) } \
  :: d_step { following && HAS(from, to) && IS_OLD(from, to) -> TAKE(from, to) }
/*
 * `subscribed`: where the client starts. Every cursor up to it has its entry. Later ones are
 * stale.
 */
#define RECEIVE_SUBSCRIBED(at) \
  :: d_step { !following && HAS(at, at) -> TAKE(at, at); \
      following = 1; client_cursor = at; applied = at; \
      replica[0] = at; replica[KEYS - 1] = at; check_replica() } \
  :: d_step { following && HAS(at, at) -> TAKE(at, at) }

#if defined(CALM) || defined(NO_PING)
#define MAY_PING false
#else
/* A ping that finds nothing below `published` sends nothing: it is left out here. */
#define MAY_PING \
  (action == NOTHING && messages == 0 && !reset && witness[OF_CHANNEL] == 0 && following && client_cursor < published && \
  (log[client_cursor + 1] != NONE || GONE(client_cursor + 1)))
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
  :: d_step { MAY_PING -> send(PING, client_cursor) }
  :: atomic { reset && following -> reset = 0; following = 0; goto list }
#ifndef CALM
  :: d_step { /* no respond: once more, and forgets what it held back */
      !following && action == NOTHING && (messages & SUBSCRIBED) == 0 && witness[OF_CHANNEL] == 0 ->
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
      :: following -> send(SUBSCRIBE, client_cursor)
      :: else -> send(SUBSCRIBE_FROM_NOW, 0)
      fi
    }
#endif
  od;

list: /* GET of the list: its cursor is read before its first page */
#ifndef LIST_CURSOR_LAST
  head = published
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
  head = published;
  do
  :: d_step { FOUND(head + 1) -> head++ }
  :: break
  od;
#endif
  atomic {
    client_cursor = head;
    applied = head;
    following = 1;
    head = 0;
    check_replica()
  };
  atomic { action == NOTHING -> send(SUBSCRIBE, client_cursor) };
  goto follow
}

/* 5, for followers: at the head, and no key's state is older than the stored one. */
#define FOLLOWED \
  (following && client_cursor == cursor && replica[0] >= last_cursor[0] && replica[KEYS - 1] >= last_cursor[KEYS - 1])
