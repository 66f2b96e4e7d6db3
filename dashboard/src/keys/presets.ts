/** Sets of actions that most keys have. */

import { ACTIONS } from '../api/actions';
import type { Action } from '../api/admin';
import type { PermissionDraft } from './permission-draft';

export type Preset = 'read' | 'write' | 'folder' | 'full';

const READ: readonly Action[] = ['read', 'list', 'sync'];
const WRITE: readonly Action[] = ['read', 'write', 'delete', 'list', 'sync', 'sign'];

export const PRESETS: readonly { readonly id: Preset; readonly text: string }[] = [
  { id: 'read', text: 'Read only' },
  { id: 'write', text: 'Read and write' },
  { id: 'folder', text: 'One folder' },
  { id: 'full', text: 'Full' },
];

/** Reads and writes in one folder, whose prefix is then required. */
export function withPreset(draft: PermissionDraft, preset: Preset): PermissionDraft {
  const isFolder = preset === 'folder';
  const actions = preset === 'read' ? READ : preset === 'full' ? ACTIONS : WRITE;
  // Creating and deleting buckets is not possible below a prefix.
  const prefix = preset === 'full' ? '' : draft.prefix;
  return { ...draft, actions: ACTIONS.filter((name) => actions.includes(name)), prefix, isFolder };
}

/** Returns the preset of a draft; undefined: the actions match none. */
export function presetOf({ actions, prefix, isFolder }: PermissionDraft): Preset | undefined {
  const isSame = (others: readonly Action[]) =>
    others.length === actions.length && others.every((action) => actions.includes(action));
  if (isSame(WRITE)) return isFolder || prefix !== '' ? 'folder' : 'write';
  if (isSame(READ)) return 'read';
  return isSame(ACTIONS) && prefix === '' ? 'full' : undefined;
}
