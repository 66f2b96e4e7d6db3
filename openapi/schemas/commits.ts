/** JSON bodies of commits. */
import { LIMITS } from '../../core/limits';
import {
  closedObject,
  type JsonSchema,
  listOf,
  openObject,
  ref,
  text,
  whole,
} from '../json-schema';
import { FUTURE, OBJECT_NAME, ULID } from './names';
import { CONTENT, ETAGS } from './signed-urls';

const MAX = Number.MAX_SAFE_INTEGER;

/** RFC 4648 §4, with padding, and zeros where the last character has more bits than bytes. */
const BASE64 =
  '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$';

const target = (op: string) => ({ op: { const: op }, key: OBJECT_NAME.key });

const conditions = {
  if_match: text('The commit succeeds only if the object has this etag.', {
    pattern: ETAGS,
    maxLength: LIMITS.conditionFieldLength,
  }),
  if_none_match: {
    const: '*',
    description: 'The commit succeeds only if there is no such object.',
  },
} satisfies Record<string, JsonSchema>;

const EXPIRY: Readonly<Record<string, JsonSchema>> = {
  expires_at: {
    ...FUTURE,
    description: 'When the service deletes the object, in the future. Absent: never.',
  },
};

const PATCH: Readonly<Record<string, JsonSchema>> = {
  ...CONTENT,
  expires_at: {
    ...FUTURE,
    type: ['string', 'null'],
    description: 'When the service deletes the object, in the future. null: never.',
  },
};

/** A body with at least one of the fields. */
const someOf = (fields: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  anyOf: Object.keys(fields).map((field) => ({
    properties: { [field]: {} },
    required: [field],
  })),
});

export const COMMITS = {
  PutChange: {
    title: 'Upload of a few bytes',
    ...closedObject(
      { ...target('put'), content: text('The bytes in base64.', { pattern: BASE64 }) },
      { ...CONTENT, ...EXPIRY, ...conditions },
    ),
  },
  PutUploadChange: {
    title: 'Staged upload',
    ...closedObject(
      {
        ...target('put'),
        upload_id: text('The id of an upload by a signed URL with `"commit": false`.', {
          pattern: ULID,
        }),
      },
      conditions,
    ),
  },
  CopyChange: {
    title: 'Copy of an object',
    ...closedObject(
      {
        ...target('copy'),
        from: closedObject(
          { key: OBJECT_NAME.key },
          {
            bucket: ref('BucketName'),
            version: whole('An older version. Absent: the current one.', 1, MAX),
          },
        ),
      },
      { ...CONTENT, ...EXPIRY, ...conditions },
    ),
  },
  MoveChange: {
    title: 'Copy whose source is deleted',
    ...closedObject(
      { ...target('move'), from: closedObject({ key: OBJECT_NAME.key }) },
      conditions,
    ),
  },
  PatchChange: {
    title: 'Other metadata, content headers or expiry for the same bytes',
    ...closedObject(target('patch'), { ...PATCH, ...conditions }),
    ...someOf(PATCH),
  },
  DeleteChange: {
    title: 'Deletion',
    ...closedObject(target('delete'), {
      if_exists: {
        type: 'boolean',
        description: 'Whether an object that does not exist is left out instead of refused.',
      },
      ...conditions,
    }),
  },
  CommitRequest: closedObject(
    {
      bucket: ref('BucketName'),
      changes: listOf(
        {
          oneOf: [
            'PutChange',
            'PutUploadChange',
            'CopyChange',
            'MoveChange',
            'PatchChange',
            'DeleteChange',
          ].map(ref),
        },
        { minItems: 1, maxItems: LIMITS.commitChanges, 'x-max-changes': LIMITS.commitChanges },
      ),
    },
    {
      if_cursor: whole(
        'The commit succeeds only if nothing in the bucket has changed since this cursor.',
        0,
        MAX,
      ),
      bucket_id: {
        ...ref('BucketId'),
        description:
          'The commit succeeds only in this incarnation of the bucket: a cursor of a bucket that was deleted cannot match one of a bucket that was created again.',
      },
    },
  ),
  CommitResult: openObject(
    {
      bucket: ref('BucketName'),
      changes: listOf(
        { anyOf: ['ObjectDescriptor', 'DeletedObject'].map(ref) },
        {
          maxItems: LIMITS.commitChanges,
          description: 'In the order of their cursors; a move has made two.',
        },
      ),
    },
    { from: ref('Cursor'), to: ref('Cursor') },
  ),
  DeletedObjects: openObject(
    {
      bucket: ref('BucketName'),
      deleted: whole('How many objects were deleted.', 0, LIMITS.deletesPerCall),
      has_more: { type: 'boolean', description: 'Objects with the prefix may be left.' },
    },
    {
      from: ref('Cursor'),
      to: ref('Cursor'),
      next_page_token: text('The `page_token` of the next call. Absent when nothing is left.', {
        minLength: 1,
      }),
    },
  ),
} as const satisfies Record<string, JsonSchema>;
