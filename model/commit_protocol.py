"""Exhaustive check of writers, gap fills, trimming, fanout and a follower together.

The Promela model explores writers and followers in separate runs; this one combines them in a
smaller protocol. One bucket: W writers put once each on the keys a, a, b. A writer may stop
anywhere, and its commit may be acknowledged or not. A gap may be filled at any time. The trimmer
raises `oldest`, then deletes the entries below it. Fanout pushes ranges of the change log; a push
may be lost, repeated by a later one, or arrive late and out of order. The follower has one cursor,
resumes at any time, and starts again when its cursor is below `oldest`.

usage: python3 commit_protocol.py [W] [par] [VARIANT]
  par        a writer may allocate its cursor before it reads the record
  Each variant leaves out one rule and must be violated:
  no-guard   commit without `record cursor < allocated cursor` (only with par)
  overwrite  commit without put-if-absent of the log entry
  vanish     entries end by themselves, without raising `oldest` first
  eager      the follower applies a range whatever its `from`
"""
import sys
from collections import deque

args = sys.argv[1:]
W = int(args[0]) if args and args[0].isdigit() else 2
NAMES = ('par', 'no-guard', 'overwrite', 'vanish', 'eager')
PAR, NO_GUARD, OVERWRITE, VANISH, EAGER = (name in args for name in NAMES)
KEYS = ['a', 'a', 'b'][:W]
RETRIES = 1
MAX_STATES = 8_000_000

# A state is a tuple of:
#   counter    the last allocated cursor
#   ghost      every entry ever written, for the checks
#   live       the cursors of the entries that are still stored
#   records    key -> (version, cursor)
#   writers    (phase, version read, cursor, tries) of each writer
#   oldest     the oldest readable cursor
#   published  the published mark
#   fanout     (phase, from, to)
#   pushed     ranges in transit
#   cursor     the follower's cursor
#   applied    what the follower applied since it started last
#   began      the cursor at which the follower started last
INIT = (0, (), frozenset(), (), tuple(('idle', None, None, 0) for _ in range(W)), 1, 0,
        ('idle', 0, 0), frozenset(), 0, (), 0)


def run_end(live, start):
    """Returns the last cursor of the contiguous stored entries after `start`."""
    while start + 1 in live:
        start += 1
    return start


def frozen(d):
    return tuple(sorted(d.items()))


def steps(s):
    """Yields (label, next state) for each step that is possible in a state."""
    (counter, ghost, live, records, writers, oldest, published, fanout, pushed, cursor, applied,
     began) = s
    G, R = dict(ghost), dict(records)

    def state(**k):
        v = dict(counter=counter, ghost=ghost, live=live, records=records, writers=writers,
                 oldest=oldest, published=published, fanout=fanout, pushed=pushed, cursor=cursor,
                 applied=applied, began=began)
        v.update(k)
        return tuple(v.values())

    for i, (phase, version, c, tries) in enumerate(writers):
        key = KEYS[i]

        def put(w, i=i):
            return writers[:i] + (w,) + writers[i + 1:]
        stored = R.get(key, (0, 0))
        if phase == 'idle':
            yield f'read{i}', state(writers=put(('read', stored[0], None, tries)))
            if PAR:
                yield f'allocate{i}', state(
                    counter=counter + 1, writers=put(('allocated', None, counter + 1, tries)))
        elif phase == 'allocated':
            yield f'read{i}', state(writers=put(('ready', stored[0], c, tries)))
        elif phase == 'read':
            yield f'allocate{i}', state(
                counter=counter + 1, writers=put(('ready', version, counter + 1, tries)))
        elif phase == 'ready':
            absent = OVERWRITE or c not in live
            if absent and stored[0] == version and (NO_GUARD or stored[1] < c):
                g = frozen({**G, c: ('put', key, version + 1, i)})
                r = frozen({**R, key: (version + 1, c)})
                yield f'commit{i}', state(ghost=g, live=live | {c}, records=r,
                                          writers=put(('done', version + 1, c, tries)))
                yield f'commit-unacknowledged{i}', state(
                    ghost=g, live=live | {c}, records=r,
                    writers=put(('stopped', None, None, tries)))
            elif tries < RETRIES:
                yield f'retry{i}', state(writers=put(('idle', None, None, tries + 1)))
            else:
                yield f'refuse{i}', state(writers=put(('refused', None, None, tries)))
        if phase in ('read', 'allocated', 'ready'):
            yield f'stop{i}', state(writers=put(('stopped', None, None, tries)))
    for c in range(oldest, counter + 1):
        if c not in live:
            yield f'fill{c}', state(ghost=frozen({**G, c: ('no-op',)}), live=live | {c})
    # The retention is longer than a function can run: no cursor is trimmed while its writer runs.
    held = {w[2] for w in writers if w[0] in ('allocated', 'ready')}
    if VANISH:
        for c in live:
            if c <= published and c not in held:
                yield f'vanish{c}', state(live=live - {c})
    else:
        if oldest <= published and oldest not in held:
            yield 'trim', state(oldest=oldest + 1)
        for c in live:
            if c < oldest:
                yield f'delete{c}', state(live=live - {c})
    phase, a, b = fanout
    if phase == 'idle':
        end = run_end(live, published)
        if end > published:
            yield 'fanout-read', state(fanout=('push', published, end))
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


def check(s):
    """Raises AssertionError when a state breaks an invariant."""
    _, ghost, _, records, writers, _, _, _, _, cursor, applied, began = s
    G, R = dict(ghost), dict(records)
    in_order = [c for c, _ in applied] == list(range(began + 1, cursor + 1))
    assert in_order, 'a follower skipped or repeated a change'
    assert all(G[c] == e for c, e in applied), 'an entry was rewritten after a follower read it'
    puts_of = {}
    for c in sorted(G):
        if G[c][0] == 'put':
            puts_of.setdefault(G[c][1], []).append((G[c][2], c))
    for key, puts in puts_of.items():
        versions = [v for v, _ in puts]
        assert versions == list(range(1, len(puts) + 1)), 'versions are not in cursor order'
        assert R[key] == puts[-1], 'a record is not the last entry of its key'
    assert all(k in puts_of and R[k] in puts_of[k] for k in R), 'a committed change has no entry'
    for i, (phase, version, c, _) in enumerate(writers):
        mine = [x for x, e in G.items() if e[0] == 'put' and e[3] == i]
        assert len(mine) <= 1, 'one request made two changes'
        acknowledged = ('put', KEYS[i], version, i)
        assert phase != 'done' or G.get(c) == acknowledged, 'an acknowledged change was lost'
        assert phase != 'refused' or not mine, 'a refused change was made'


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
            assert s[9] == s[0], 'the follower is not at the head at the end'
    if len(seen) >= MAX_STATES:
        print(f'NOT EXHAUSTED: more than {MAX_STATES} states')
        return 2
    print(f'{len(seen)} states, {ends} ends, no violation')
    return 0


sys.exit(main())
