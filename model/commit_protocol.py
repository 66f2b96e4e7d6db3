"""Exhaustive check of writers, gap fills, trimming, fanout and a follower together.

The Promela model explores writers and followers in separate runs; this one combines them in a
smaller protocol. One bucket: W writers put once each on the keys a, a, b; with `pairs` on both
keys, a and b, but for the third on b: a commit of two changes at two cursors. A writer may stop
anywhere, and its commit may be acknowledged or not. A gap may be filled at any time. The trimmer
raises `oldest`, then deletes the entries below it. Fanout pushes ranges of the change log; a push
may be lost, repeated by a later one, or arrive late and out of order. The follower has one cursor,
resumes at any time, and starts again when its cursor is below `oldest`.

usage: python3 commit_protocol.py [W] [par] [pairs] [VARIANT]
  par        a writer may allocate its cursor before it reads the record
  pairs      commits of two changes; a writer makes one attempt
  Each variant leaves out one rule and must be violated:
  no-guard   commit without `record cursor < allocated cursor` (only with par)
  overwrite  commit without put-if-absent of the log entry
  vanish     entries end by themselves, without raising `oldest` first
  eager      the follower applies a range whatever its `from`
  separate   the entries of a commit are written one after the other (only with pairs)
  cut        a range that is pushed may end inside a commit (only with pairs)
  trim-part  `oldest` may be raised into a commit (only with pairs)
"""
import sys
from collections import deque
from functools import cache

args = sys.argv[1:]
W = int(args[0]) if args and args[0].isdigit() else 2
NAMES = ('par', 'pairs', 'no-guard', 'overwrite', 'vanish', 'eager', 'separate', 'cut', 'trim-part')
PAR, PAIRS, NO_GUARD, OVERWRITE, VANISH, EAGER, SEPARATE, CUT, TRIM_PART = (
    name in args for name in NAMES)
KEYS = (['ab', 'ab', 'b'] if PAIRS else ['a', 'a', 'b'])[:W]
RETRIES = 0 if PAIRS else 1
MAX_STATES = 8_000_000

# A state is a tuple of:
#   store      the number of what the writers have written and where they are, as below
#   oldest     the oldest readable cursor
#   published  the published mark
#   fanout     (phase, from, to)
#   pushed     ranges in transit
#   cursor     the follower's cursor
#   applied    what the follower applied since it started last
#   began      the cursor at which the follower started last
#
# Many states share a store, so that each is kept, checked and continued once. It is a tuple of:
#   counter    the last allocated cursor
#   ghost      every entry ever written, for the checks
#   live       the cursors of the entries that are still stored
#   records    key -> (version, cursor)
#   writers    (phase, versions read, first cursor, tries) of each writer
stores, numbers = [], {}


def number_of(store):
    if store not in numbers:
        numbers[store] = len(stores)
        stores.append(store)
    return numbers[store]


INIT = (number_of((0, (), frozenset(), (), tuple(('idle', None, None, 0) for _ in range(W)))),
        1, 0, ('idle', 0, 0), frozenset(), 0, (), 0)


def run_end(live, start):
    """Returns the last cursor of the contiguous stored entries after `start`."""
    while start + 1 in live:
        start += 1
    return start


def last_of(log, cursor):
    """Returns the last cursor of the commit that wrote the entry."""
    entry = log.get(cursor, ('no-op',))
    return entry[5] if entry[0] == 'put' else cursor


def frozen(d):
    return tuple(sorted(d.items()))


@cache
def entries(store):
    """Returns every entry ever written, by cursor."""
    return dict(stores[store][1])


@cache
def held(store):
    """Returns the cursors whose writer still runs."""
    return {n for i, w in enumerate(stores[store][4]) if w[0] in ('allocated', 'ready')
            for n in range(w[2], w[2] + len(KEYS[i]))}


@cache
def write_steps(store):
    """Returns (label, next store) for each step of a writer."""
    counter, ghost, live, records, writers = stores[store]
    G, R, found_steps = dict(ghost), dict(records), []

    def step(label, **k):
        v = dict(counter=counter, ghost=ghost, live=live, records=records, writers=writers)
        v.update(k)
        found_steps.append((label, number_of(tuple(v.values()))))

    for i, (phase, versions, c, tries) in enumerate(writers):
        keys = KEYS[i]
        size = len(keys)

        def put(*w, i=i):
            return writers[:i] + (w,) + writers[i + 1:]
        stored = [R.get(key, (0, 0)) for key in keys]
        found = tuple(v for v, _ in stored)
        if phase == 'idle':
            step(f'read{i}', writers=put('read', found, None, tries))
            if PAR:
                step(f'allocate{i}', counter=counter + size,
                     writers=put('allocated', None, counter + 1, tries))
        elif phase == 'allocated':
            step(f'read{i}', writers=put('ready', found, c, tries))
        elif phase == 'read':
            step(f'allocate{i}', counter=counter + size,
                 writers=put('ready', versions, counter + 1, tries))
        elif phase == 'ready':
            cursors = range(c, c + size)
            absent = OVERWRITE or not live.intersection(cursors)
            above = NO_GUARD or all(at < n for (_, at), n in zip(stored, cursors))
            if absent and found == versions and above:
                changes = [(n, key, v + 1) for n, key, v in zip(cursors, keys, versions)]
                made = tuple(v for _, _, v in changes)
                part = changes[:1] if SEPARATE else changes
                written = dict(
                    ghost=frozen({**G, **{n: ('put', key, v, i, c, c + size - 1) for n, key, v in part}}),
                    live=live | {n for n, _, _ in part},
                    records=frozen({**R, **{key: (v, n) for n, key, v in part}}))
                if len(part) == size:
                    step(f'commit{i}', **written, writers=put('done', made, c, tries))
                step(f'commit-unacknowledged{i}', **written,
                     writers=put('stopped', None, None, tries))
            elif tries < RETRIES:
                step(f'retry{i}', writers=put('idle', None, None, tries + 1))
            else:
                step(f'refuse{i}', writers=put('refused', None, None, tries))
        if phase in ('read', 'allocated', 'ready'):
            step(f'stop{i}', writers=put('stopped', None, None, tries))
    return found_steps


@cache
def filled(store, cursor):
    """Returns the store with a no-op entry at the cursor."""
    counter, ghost, live, records, writers = stores[store]
    G = frozen({**dict(ghost), cursor: ('no-op',)})
    return number_of((counter, G, live | {cursor}, records, writers))


@cache
def without(store, cursor):
    """Returns the store after the deletion of an entry."""
    counter, ghost, live, records, writers = stores[store]
    return number_of((counter, ghost, live - {cursor}, records, writers))


def steps(s):
    """Yields (label, next state) for each step that is possible in a state."""
    store, oldest, published, fanout, pushed, cursor, applied, began = s
    counter, _, live, _, _ = stores[store]
    G = entries(store)

    def state(store=store, oldest=oldest, published=published, fanout=fanout, pushed=pushed,
              cursor=cursor, applied=applied, began=began):
        return (store, oldest, published, fanout, pushed, cursor, applied, began)

    for label, after in write_steps(store):
        yield label, state(after)
    for c in range(oldest, counter + 1):
        if c not in live:
            yield f'fill{c}', state(filled(store, c))
    # The retention is longer than a function can run: no cursor is trimmed while its writer runs.
    if VANISH:
        for c in live:
            if c <= published and c not in held(store):
                yield f'vanish{c}', state(without(store, c))
    else:
        # A commit has one time, so it expires as a whole.
        after = oldest + 1 if TRIM_PART else last_of(G, oldest) + 1
        if after - 1 <= published and not held(store).intersection(range(oldest, after)):
            yield 'trim', state(oldest=after)
        for c in live:
            if c < oldest:
                yield f'delete{c}', state(without(store, c))
    phase, a, b = fanout
    if phase == 'idle':
        end = run_end(live, published)
        for to in range(published + 1, end + 1):
            if to == end or CUT:
                yield 'fanout-read', state(fanout=('push', published, to))
    elif phase == 'push':
        yield 'push', state(fanout=('move', a, b), pushed=pushed | {(a, b)})
        yield 'push-lost', state(fanout=('move', a, b))
    else:
        yield 'move', state(fanout=('idle', 0, 0), published=b if published == a else published)

    def take(a, b):
        return applied + tuple((c, G[c]) for c in range(max(a, cursor) + 1, b + 1))
    for a, b in pushed:
        if (a <= cursor or EAGER) and cursor < b:
            yield 'receive', state(pushed=pushed - {(a, b)}, cursor=b, applied=take(a, b))
        else:
            yield 'ignore', state(pushed=pushed - {(a, b)})
    if cursor + 1 < oldest:
        # The follower lists the objects, then follows from the cursor that it read before the list.
        head = run_end(live, max(published, oldest - 1))
        yield 'start-again', state(cursor=head, applied=(), began=head)
    else:
        end = run_end(live, cursor)
        if end > cursor:
            yield 'resume', state(cursor=end, applied=take(cursor, end))


@cache
def check_store(store):
    """Raises AssertionError when what is written breaks an invariant."""
    _, _, _, records, writers = stores[store]
    G, R = entries(store), dict(records)
    puts_of = {}
    for c in sorted(G):
        if G[c][0] == 'put':
            puts_of.setdefault(G[c][1], []).append((G[c][2], c))
    for key, puts in puts_of.items():
        versions = [v for v, _ in puts]
        assert versions == list(range(1, len(puts) + 1)), 'versions are not in cursor order'
        assert R[key] == puts[-1], 'a record is not the last entry of its key'
    assert all(k in puts_of and R[k] in puts_of[k] for k in R), 'a committed change has no entry'
    for i, (phase, versions, c, _) in enumerate(writers):
        mine = sorted(x for x, e in G.items() if e[0] == 'put' and e[3] == i)
        size = len(KEYS[i])
        assert len(mine) in (0, size), 'a request made a part of its changes, or made them twice'
        assert not mine or mine[-1] == mine[0] + size - 1, 'a commit is not consecutive'
        if phase == 'done':
            acknowledged = [('put', key, v, i, c, c + size - 1) for key, v in zip(KEYS[i], versions)]
            found = [G.get(x) for x in range(c, c + size)]
            assert found == acknowledged, 'an acknowledged change was lost'
        assert phase != 'refused' or not mine, 'a refused change was made'


def check(s):
    """Raises AssertionError when a state breaks an invariant."""
    store, oldest, _, _, _, cursor, applied, began = s
    G = entries(store)
    in_order = [c for c, _ in applied] == list(range(began + 1, cursor + 1))
    assert in_order, 'a follower skipped or repeated a change'
    assert all(G[c] == e for c, e in applied), 'an entry was rewritten after a follower read it'
    check_store(store)
    assert last_of(G, cursor) == cursor, 'a follower was shown a part of a commit'
    assert last_of(G, oldest - 1) == oldest - 1, 'the oldest cursor is inside a commit'


def main():
    seen, queue, parent, ends = {INIT}, deque([INIT]), {}, 0
    while queue and len(seen) < MAX_STATES:
        s = queue.popleft()
        try:
            check(s)
        except AssertionError as error:
            trace = []
            while s in parent:
                s, label = parent[s]
                trace.append(label)
            print(f'VIOLATION: {error}\n  {" ".join(reversed(trace))}')
            return 1
        is_end = True
        for label, t in steps(s):
            if t != s:
                is_end = False
            if t not in seen:
                seen.add(t)
                parent[t] = (s, label)
                queue.append(t)
        if is_end:
            ends += 1
            assert s[5] == stores[s[0]][0], 'the follower is not at the head at the end'
    if len(seen) >= MAX_STATES:
        print(f'NOT EXHAUSTED: more than {MAX_STATES} states')
        return 2
    print(f'{len(seen)} states, {ends} ends, no violation')
    return 0


sys.exit(main())
