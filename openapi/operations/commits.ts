/** The path of commits. */
import { LIMITS } from '../../core/limits';
import { BASE_PATH } from '../../service/routes/routes';
import type { PathDescription } from '../operation';
import { DELETED, DESCRIPTOR } from './examples';

const EXAMPLE = {
  bucket: 'photos',
  if_cursor: 8,
  changes: [
    { op: 'put', key: '2026/index.json', content: 'e30=' },
    { op: 'move', key: '2026/dog.jpg', from: { key: 'new/dog.jpg' } },
  ],
};

export const COMMIT_PATHS = {
  commits: {
    path: `${BASE_PATH}/commits`,
    tag: 'Objects',
    parameters: [],
    operations: {
      POST: {
        id: 'commit',
        summary: 'Changes several objects of a bucket, all or nothing',
        description: `At most ${LIMITS.commitChanges} changes, where a move counts as two, and ${LIMITS.commitContentBytes / 1024} KiB of contents. A copy of more than 5 GiB is alone in its commit, without \`if_cursor\`, and returns 202. Needs \`write\` to put, copy or move, \`write\` and \`read\` to patch, \`delete\` to delete; also \`read\` of what is copied or moved, and \`delete\` of what is moved.`,
        parameters: ['IdempotencyKey'],
        body: { content: { json: 'CommitRequest', example: EXAMPLE }, required: true },
        responses: {
          201: {
            description: 'What the changes made, at consecutive cursors.',
            content: {
              json: 'CommitResult',
              example: { bucket: 'photos', from: 8, to: 9, changes: [DESCRIPTOR, DELETED] },
            },
            headers: ['Cursor', 'NoStore'],
          },
          202: {
            description:
              'The commit copies one object of more than 5 GiB: the copy is an upload, which is committed when its bytes are there.',
            content: {
              json: 'UploadState',
              example: {
                upload_id: '01KAG8Y2M4Q7T9V1X3Z5B7D9F1',
                bucket: 'photos',
                key: 'backup/film.mp4',
                state: 'pending',
              },
            },
            headers: ['NoStore'],
          },
        },
        errors: ['not_found', 'precondition_failed', 'payload_too_large'],
      },
    },
  },
} as const satisfies Readonly<Record<'commits', PathDescription<'POST'>>>;
