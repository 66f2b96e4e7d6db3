/*
 * The subscription, the connection, and the messages in flight: a set without order.
 */
#define NO_CONNECTION 0
/* Table Subscriptions: the connection that follows the bucket. */
byte subscription = NO_CONNECTION;
/* The client's connection: 1, 2 … as it is cut and opened again. */
byte connection = 1;
#ifndef CUTS
#define CUTS 0
#endif
#define LAST_CONNECTION (1 + CUTS)

/*
 * Bit RANGE(from, to): `changes` of (from, to] is in flight; from = to: `subscribed` at that
 * cursor.
 */
#define RANGE(from, to) ((from) * (N + 1) + (to))
#define BIT(from, to) (1 << RANGE(from, to))
#if N >= 3
#define SUBSCRIBED (BIT(0, 0) | BIT(1, 1) | BIT(2, 2) | BIT(3, 3))
#else
#define SUBSCRIBED (BIT(0, 0) | BIT(1, 1) | BIT(2, 2))
#endif
int messages = 0;
/* A bound of the search: of three messages in flight the third is lost. */
#ifdef CALM
#define HAS_ROOM true
#else
#define HAS_ROOM ((messages & (messages - 1)) == 0)
#endif
/* Messages whose content differs from what was written. None in the unchanged protocol. */
int lies = 0;
bit reset = 0;

/* The disturbances: how many posts are lost, and how many functions die. */
#ifndef LOSSES
#define LOSSES 1
#endif
byte losses = 0;
#ifdef CALM
#define OR_IS_LOST
#else
#define OR_IS_LOST :: atomic { losses < LOSSES -> losses++ }
#endif

/* API Gateway: PostToConnection. A connection that is gone: the subscription is removed. */
inline post_range(target, first, last, untrue) {
  if
  :: target == connection && !HAS_ROOM
  :: target == connection && HAS_ROOM ->
    messages = messages | BIT(first, last);
    if
    :: untrue -> lies = lies | BIT(first, last)
    :: else
    fi
  :: else ->
    if
    :: subscription == target -> subscription = NO_CONNECTION /* Subscriptions: DeleteItem */
    :: else
    fi
  fi
}

inline post_reset(target) {
  if
  :: target == connection -> reset = 1
  :: else
  fi
}
