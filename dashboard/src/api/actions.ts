/** The actions that a key may have, in the order in which they are shown. */
import type { Action } from './admin';

export const ACTION_LABELS: Readonly<Record<Action, string>> = {
  read: 'Read objects',
  write: 'Write objects',
  delete: 'Delete objects',
  list: 'List objects',
  sync: 'Follow changes',
  sign: 'Make signed URLs',
  create_bucket: 'Create buckets',
  delete_bucket: 'Delete buckets',
};

export const ACTIONS = Object.keys(ACTION_LABELS) as readonly Action[];
