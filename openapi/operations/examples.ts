/** Values for the examples of the document. */
export const PHOTOS = {
  name: 'photos',
  bucket_id: '8sKq2LmVx0Tz',
  created_at: '2026-11-20T10:50:00.000Z',
  cursor: 8,
  object_count: 1,
  total_size: 48213,
};

export const LIFECYCLE = { lifecycle: [{ prefix: 'tmp/', expire_after_days: 7 }] };

export const DESCRIPTOR = {
  bucket: 'photos',
  key: '2026/cat.jpg',
  size: 48213,
  etag: '5d41402abc4b2a76b9719d911017c592',
  version: 1,
  cursor: 8,
  created_at: '2026-11-20T10:51:00.120Z',
  updated_at: '2026-11-20T10:51:00.120Z',
  content_type: 'image/jpeg',
  metadata: { camera: 'x100' },
  checksum_sha256: 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=',
};

export const DELETED = {
  bucket: 'photos',
  key: '2026/cat.jpg',
  version: 2,
  cursor: 9,
  deleted_at: '2026-11-20T10:52:00.000Z',
};

export const LINK = {
  id: '8sKq2LmVx0TzQ3v_9f-2KdLmN0pRsT1uVw',
  bucket: 'photos',
  key: '2026/cat.jpg',
  created_at: '2026-11-20T10:50:00.000Z',
  created_by: '3kTf9ZpQw1Lm',
  expires_at: '2026-11-21T10:50:00.000Z',
  max_uses: 10,
  uses: 0,
  has_password: false,
};

export const PERMISSIONS = [{ buckets: ['team-*'], prefix: '2026/', actions: ['read', 'list'] }];

export const KEY = {
  id: '3kTf9ZpQw1Lm',
  name: 'nightly backup',
  permissions: PERMISSIONS,
  tier: 'default',
  state: 'active',
  created_at: '2026-11-20T10:50:00.000Z',
  created_by: 'dev@localhost',
  summary: ['may read and list objects in buckets whose names begin with team-, below 2026/'],
};

/** Matches the pattern, and is obviously no real key. */
export const KEY_TEXT = `osk_${KEY.id}_${'x'.repeat(43)}_000000`;

export const AUDIT_RECORD = {
  id: '01KAG8Y2M4Q7T9V1X3Z5B7D9F1',
  at: '2026-11-20T10:50:00.000Z',
  actor: 'dev@localhost',
  actor_id: '248289761001',
  action: 'create',
  key_id: KEY.id,
  details: { name: KEY.name, permissions: PERMISSIONS, tier: 'default' },
};
