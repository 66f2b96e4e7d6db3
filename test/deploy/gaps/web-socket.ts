import { Follower, opened } from '../follower';
import type { Gap, Target } from './gap';

const urlOf = ({ base }: Target) => `${base.replace('http', 'ws')}/api/v2/storage/sync`;

export const webSocketGaps: readonly Gap[] = [
  {
    row: 'A refused handshake',
    seen: async (target) => {
      const status = await Follower.open(urlOf(target));
      // AWS returns the status of the function, here 401.
      return status === 403 ? undefined : `a handshake without a key returns ${status}`;
    },
  },
  {
    row: 'WebSocket limits',
    seen: async (target) => {
      const follower = await opened(urlOf(target), { authorization: `Bearer ${target.key}` });
      follower.send({ action: 'ping', padding: 'x'.repeat(200_000) });
      await follower.received('error');
      const { closed } = follower;
      follower.close();
      // AWS closes with 1009 above 32 KB a frame.
      return closed === undefined ? undefined : `a frame of 200 KB was closed with ${closed}`;
    },
  },
];
