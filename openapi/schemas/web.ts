/** JSON bodies about links and temporary keys. */
import { DISPOSITION } from '../../core/http/content-disposition';
import { API_TOKEN, LINK_LIMITS, PERMISSIONS_MAX, TEMPORARY_KEY_LIMITS } from '../../core/limits';
import { NOTE } from '../../core/links/link-request';
import {
  closedObject,
  type JsonSchema,
  listOf,
  openObject,
  ref,
  text,
  whole,
} from '../json-schema';

const MAX = Number.MAX_SAFE_INTEGER;

const objectName = { bucket: ref('BucketName'), key: ref('ObjectKey') };

export const NEXT_PAGE_TOKEN = text('The `page_token` of the next page. Absent on the last one.', {
  minLength: 1,
});

export const DISPOSITION_TEXT = text(
  '`attachment` or `inline`, optionally with `; filename="…"`.',
  {
    pattern: DISPOSITION.source,
    'x-well-formed': true,
    examples: ['attachment; filename="my cat.jpg"'],
  },
);

const linkSettings = {
  version: whole(
    'The version that the link opens. Absent: the current one, whichever it is.',
    1,
    LINK_LIMITS.versionMax,
  ),
  max_uses: whole(
    'How often the link can be opened. Absent: any number of times.',
    1,
    LINK_LIMITS.usesMax,
  ),
  note: text('Shown on the page of the link, and in the list.', {
    minLength: 1,
    maxLength: LINK_LIMITS.noteCharacters,
    pattern: NOTE.source,
    'x-well-formed': true,
  }),
};

const link = {
  id: ref('LinkId'),
  ...objectName,
  created_at: ref('Time'),
  created_by: text('The id of the API key, or the name of the person.'),
  expires_at: ref('Time'),
  uses: whole('How often the link was opened.', 0, MAX),
  has_password: { type: 'boolean', description: 'Whether opening it needs a password.' },
};

const linkOptions = { ...linkSettings, disposition: text('Content-Disposition of the download.') };

export const WEB_SCHEMAS = {
  NewToken: closedObject(
    {
      permissions: listOf(ref('Permission'), {
        minItems: 1,
        maxItems: PERMISSIONS_MAX,
        'x-max-json-bytes': TEMPORARY_KEY_LIMITS.permissionsBytes,
        description: 'Each must lie within a permission of the API key.',
      }),
    },
    {
      expires_in: whole('Seconds.', 1, TEMPORARY_KEY_LIMITS.maxSeconds, {
        default: TEMPORARY_KEY_LIMITS.defaultSeconds,
      }),
    },
  ),
  Token: openObject({
    token: text('The temporary key, for `Authorization: Bearer`.', { pattern: `^${API_TOKEN}$` }),
    permissions: listOf(ref('Permission')),
    expires_at: ref('Time'),
    key_id: ref('ApiKeyId'),
  }),
  NewLink: closedObject(objectName, {
    ...linkSettings,
    disposition: DISPOSITION_TEXT,
    expires_in: whole('Seconds.', 1, LINK_LIMITS.maxSeconds, {
      default: LINK_LIMITS.defaultSeconds,
    }),
    password: text('Opening the link needs it.', {
      minLength: 1,
      maxLength: LINK_LIMITS.passwordCharacters,
      'x-well-formed': true,
    }),
  }),
  Link: openObject(link, linkOptions),
  CreatedLink: openObject(
    { ...link, url: text('The link itself, which is shown once.', { format: 'uri' }) },
    linkOptions,
  ),
  LinkPage: openObject({ links: listOf(ref('Link')) }, { next_page_token: NEXT_PAGE_TOKEN }),
} as const satisfies Record<string, JsonSchema>;
