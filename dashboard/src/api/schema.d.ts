// Made by npm run openapi.
export interface paths {
    readonly "/api/v2/storage/buckets": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the buckets that the API key can see, in name order */
        readonly get: operations["listBuckets"];
        readonly put?: never;
        /**
         * Creates a bucket
         * @description Needs `create_bucket` there, not narrowed to a prefix.
         */
        readonly post: operations["createBucket"];
        readonly delete?: never;
        readonly options?: never;
        /** Lists the buckets that the API key can see, in name order: the headers only */
        readonly head: operations["listBucketsHead"];
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/storage/buckets/{bucket}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                readonly bucket: components["parameters"]["Bucket"];
            };
            readonly cookie?: never;
        };
        /** Describes a bucket */
        readonly get: operations["getBucket"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Deletes an empty bucket
         * @description Needs `delete_bucket` there, not narrowed to a prefix.
         */
        readonly delete: operations["deleteBucket"];
        readonly options?: never;
        /** Describes a bucket: the headers only */
        readonly head: operations["getBucketHead"];
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/storage/objects/{bucket}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                readonly bucket: components["parameters"]["Bucket"];
            };
            readonly cookie?: never;
        };
        /**
         * Lists objects in the order of the UTF-8 bytes of their keys
         * @description Shows what lies below the prefixes for which the API key has `list`.
         */
        readonly get: operations["listObjects"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        /**
         * Lists objects in the order of the UTF-8 bytes of their keys: the headers only
         * @description Shows what lies below the prefixes for which the API key has `list`.
         */
        readonly head: operations["listObjectsHead"];
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/storage/objects/{bucket}/{key}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                readonly bucket: components["parameters"]["Bucket"];
                /**
                 * @description The key, percent-encoded. Slashes may be sent as they are, which OpenAPI has no way to say: `%2F` and `/` are the same here.
                 * @example 2026/cat.jpg
                 */
                readonly key: components["parameters"]["Key"];
            };
            readonly cookie?: never;
        };
        /**
         * Downloads an object, or describes it
         * @description Metadata comes as `x-object-meta-<name>` headers. Needs `read`. The header fields of a 200 with `view=descriptor` are the validators only.
         */
        readonly get: operations["getObject"];
        /**
         * Uploads or replaces an object
         * @description At most 4 MiB; larger ones by signed URL. `x-object-meta-<name>` headers are stored as metadata, at most 2048 bytes of names and values in visible ASCII. `Content-Type` is stored. Needs `write`.
         */
        readonly put: operations["putObject"];
        readonly post?: never;
        /**
         * Deletes an object
         * @description A delete is a version of its own. Needs `delete`.
         */
        readonly delete: operations["deleteObject"];
        readonly options?: never;
        /**
         * Downloads an object, or describes it: the headers only
         * @description Metadata comes as `x-object-meta-<name>` headers. Needs `read`. The header fields of a 200 with `view=descriptor` are the validators only.
         */
        readonly head: operations["getObjectHead"];
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/storage/signed-url": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Mints a short-lived URL that needs no API key
         * @description Downloads, uploads of up to 5 TiB, and tickets for the change channel. Needs `sign`, and `read`, `write` or `sync`. A ticket takes no Idempotency-Key.
         */
        readonly post: operations["signUrl"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v2/storage/sync": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Reads the changes of a bucket after a position
         * @description With `Upgrade: websocket` the same address is the change channel, which this document does not describe. Needs `sync` for the whole prefix.
         */
        readonly get: operations["readChanges"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        /**
         * Reads the changes of a bucket after a position: the headers only
         * @description With `Upgrade: websocket` the same address is the change channel, which this document does not describe. Needs `sync` for the whole prefix.
         */
        readonly head: operations["readChangesHead"];
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/v1/config": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Says what a page must know before anybody has signed in */
        readonly get: operations["getConfiguration"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        /** Says what a page must know before anybody has signed in: the headers only */
        readonly head: operations["getConfigurationHead"];
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/v1/session": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Makes an API key for the page itself
         * @description With all permissions, for at most 3600 s and never longer than the access token. Revoke it to sign out.
         */
        readonly post: operations["openSession"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/v1/keys": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists the API keys, each once, in an order without meaning
         * @description A page may be shorter than `limit` and still have a next one.
         */
        readonly get: operations["listKeys"];
        readonly put?: never;
        /** Makes an API key */
        readonly post: operations["createKey"];
        readonly delete?: never;
        readonly options?: never;
        /**
         * Lists the API keys, each once, in an order without meaning: the headers only
         * @description A page may be shorter than `limit` and still have a next one.
         */
        readonly head: operations["listKeysHead"];
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/v1/keys/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of an API key.
                 * @example 3kTf9ZpQw1Lm
                 */
                readonly id: components["parameters"]["KeyId"];
            };
            readonly cookie?: never;
        };
        /** Describes an API key */
        readonly get: operations["getKey"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        /** Describes an API key: the headers only */
        readonly head: operations["getKeyHead"];
        /**
         * Changes settings of an API key
         * @description Those that are named; the others stay.
         */
        readonly patch: operations["changeKey"];
        readonly trace?: never;
    };
    readonly "/admin/v1/keys/{id}/revoke": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of an API key.
                 * @example 3kTf9ZpQw1Lm
                 */
                readonly id: components["parameters"]["KeyId"];
            };
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Revokes an API key, for ever
         * @description Again: the same answer, and nothing changes.
         */
        readonly post: operations["revokeKey"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/v1/keys/{id}/rotate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of an API key.
                 * @example 3kTf9ZpQw1Lm
                 */
                readonly id: components["parameters"]["KeyId"];
            };
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Gives an API key a new secret
         * @description The old secret works until the overlap ends; a second rotation ends it at once.
         */
        readonly post: operations["rotateKey"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/v1/audit": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists who changed which API key, newest first */
        readonly get: operations["listAuditRecords"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        /** Lists who changed which API key, newest first: the headers only */
        readonly head: operations["listAuditRecordsHead"];
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/v1/usage": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Counts the requests of an API key, hour by hour */
        readonly get: operations["getUsage"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        /** Counts the requests of an API key, hour by hour: the headers only */
        readonly head: operations["getUsageHead"];
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @description 3 to 63 characters, beginning and ending with a letter or digit.
         * @example photos
         */
        readonly BucketName: string;
        /**
         * @description 1 to 900 bytes of UTF-8 without control characters and without a segment `.` or `..`. Stored byte for byte.
         * @example 2026/cat.jpg
         */
        readonly ObjectKey: string;
        /**
         * @description Keys begin with it. Empty: all keys.
         * @example 2026/
         */
        readonly Prefix: string;
        /**
         * @description Names one life of a bucket: one that is deleted and made again under the same name has another.
         * @example 8sKq2LmVx0Tz
         */
        readonly BucketId: string;
        /**
         * @description A position in the sequence of changes of a bucket, which are numbered 1, 2, 3, …
         * @example 8
         */
        readonly Position: number;
        /**
         * Format: date-time
         * @description ISO 8601 in UTC with milliseconds.
         * @example 2026-11-20T10:51:00.120Z
         */
        readonly Time: string;
        /**
         * @description 12 letters and digits.
         * @example 3kTf9ZpQw1Lm
         */
        readonly ApiKeyId: string;
        /** @description The API key itself. Shown once, stored nowhere. */
        readonly ApiKeyText: string;
        /**
         * @description A ULID: sorts by time.
         * @example 01KAG8Y2M4Q7T9V1X3Z5B7D9F1
         */
        readonly AuditId: string;
        readonly NewBucket: {
            readonly name: components["schemas"]["BucketName"];
        };
        readonly Bucket: {
            readonly name: components["schemas"]["BucketName"];
            readonly created_at: components["schemas"]["Time"];
            readonly cursor: components["schemas"]["Position"];
            /** @description Objects; a few seconds late. */
            readonly object_count: number;
            /** @description Bytes of their current versions; a few seconds late. */
            readonly total_size: number;
        };
        readonly BucketPage: {
            readonly buckets: readonly components["schemas"]["Bucket"][];
            /** @description The `page_token` of the next page. Absent on the last one. */
            readonly next_page_token?: string;
        };
        readonly ObjectDescriptor: {
            readonly bucket: components["schemas"]["BucketName"];
            readonly key: components["schemas"]["ObjectKey"];
            /** @description Bytes. */
            readonly size: number;
            /** @description Opaque, without quotes. */
            readonly etag: string;
            /** @description 1 for a new key, one more with each change of it. */
            readonly version: number;
            readonly cursor: components["schemas"]["Position"];
            readonly created_at: components["schemas"]["Time"];
            readonly updated_at: components["schemas"]["Time"];
            /** @description As sent. */
            readonly content_type: string;
            /** @description Names in lower case; at most 2048 bytes of names and values. */
            readonly metadata: {
                readonly [key: string]: string;
            };
            /** @description SHA-256 of the bytes, in base64. */
            readonly checksum_sha256?: string;
        };
        readonly DeletedObject: {
            readonly bucket: components["schemas"]["BucketName"];
            readonly key: components["schemas"]["ObjectKey"];
            /** @description Of the key: a delete is a version of its own. */
            readonly version: number;
            readonly cursor: components["schemas"]["Position"];
            readonly deleted_at: components["schemas"]["Time"];
        };
        readonly ObjectPage: {
            readonly objects: readonly components["schemas"]["ObjectDescriptor"][];
            /** @description What the delimiter folded, each once. */
            readonly prefixes: readonly string[];
            readonly cursor: components["schemas"]["Position"];
            readonly bucket_id: components["schemas"]["BucketId"];
            /** @description The `page_token` of the next page. Absent on the last one. */
            readonly next_page_token?: string;
        };
        readonly Change: {
            readonly cursor: components["schemas"]["Position"];
            /** @constant */
            readonly type: "put";
            readonly object: components["schemas"]["ObjectDescriptor"];
        } | {
            readonly cursor: components["schemas"]["Position"];
            /** @constant */
            readonly type: "delete";
            readonly object: components["schemas"]["DeletedObject"];
        };
        readonly ChangesPage: {
            readonly bucket: components["schemas"]["BucketName"];
            readonly bucket_id: components["schemas"]["BucketId"];
            readonly from: components["schemas"]["Position"];
            readonly to: components["schemas"]["Position"];
            readonly head: components["schemas"]["Position"];
            /** @description There is more to be read at once. */
            readonly has_more: boolean;
            /** @description Those of the numbers above `from` up to `to`, in order. */
            readonly changes: readonly components["schemas"]["Change"][];
        };
        /** Download */
        readonly SignDownload: {
            readonly bucket: components["schemas"]["BucketName"];
            readonly key: components["schemas"]["ObjectKey"];
            /** @constant */
            readonly method: "GET";
            /**
             * @description Seconds.
             * @default 300
             */
            readonly expires_in: number;
            /**
             * @description `attachment` or `inline`, optionally with `; filename="…"`.
             * @example attachment; filename="my cat.jpg"
             */
            readonly content_disposition?: string;
        };
        /** Upload in one request */
        readonly SignUpload: {
            readonly bucket: components["schemas"]["BucketName"];
            readonly key: components["schemas"]["ObjectKey"];
            /** @constant */
            readonly method: "PUT";
            /**
             * @description Seconds.
             * @default 300
             */
            readonly expires_in: number;
            /**
             * @description The upload must have exactly this.
             * @example video/mp4
             */
            readonly content_type?: string;
            /**
             * @description Only if there is no such object when it arrives.
             * @constant
             */
            readonly if_none_match?: "*";
            /** @description Only if the object has this etag when it arrives. */
            readonly if_match?: string;
            /** @description Bytes of the upload. */
            readonly content_length?: number;
            /** @description SHA-256 of the bytes, in base64. */
            readonly checksum_sha256?: string;
        };
        /** Upload in parts */
        readonly SignMultipartUpload: {
            readonly bucket: components["schemas"]["BucketName"];
            readonly key: components["schemas"]["ObjectKey"];
            /** @constant */
            readonly method: "PUT";
            readonly multipart: {
                /** @description Bytes of the upload. */
                readonly size: number;
                /** @description Bytes of every part but the last. */
                readonly part_size?: number;
            };
            /**
             * @description Seconds.
             * @default 300
             */
            readonly expires_in: number;
            /**
             * @description The upload must have exactly this.
             * @example video/mp4
             */
            readonly content_type?: string;
            /**
             * @description Only if there is no such object when it arrives.
             * @constant
             */
            readonly if_none_match?: "*";
            /** @description Only if the object has this etag when it arrives. */
            readonly if_match?: string;
        };
        /** Ticket for the channel */
        readonly SignTicket: {
            readonly bucket: components["schemas"]["BucketName"];
            /** @constant */
            readonly method: "SYNC";
            readonly prefix?: components["schemas"]["Prefix"];
        };
        readonly SignRequest: components["schemas"]["SignDownload"] | components["schemas"]["SignUpload"] | components["schemas"]["SignMultipartUpload"] | components["schemas"]["SignTicket"];
        readonly SignedDownload: {
            /**
             * Format: uri
             * @description Serves without an API key until it expires.
             */
            readonly url: string;
            /** @constant */
            readonly method: "GET";
            /** @description Headers that whoever uses the URL must send. */
            readonly headers: {
                readonly [key: string]: string;
            };
            readonly expires_at: components["schemas"]["Time"];
            readonly bucket: components["schemas"]["BucketName"];
            readonly key: components["schemas"]["ObjectKey"];
            /** @description The version that the URL serves. */
            readonly version: number;
            /** @description Bytes. */
            readonly size: number;
            /** @description Opaque, without quotes. */
            readonly etag: string;
        };
        readonly SignedUpload: {
            /**
             * Format: uri
             * @description Serves without an API key until it expires.
             */
            readonly url: string;
            /** @constant */
            readonly method: "PUT";
            /** @description Headers that whoever uses the URL must send. */
            readonly headers: {
                readonly [key: string]: string;
            };
            readonly expires_at: components["schemas"]["Time"];
            readonly bucket: components["schemas"]["BucketName"];
            readonly key: components["schemas"]["ObjectKey"];
            /** @description Names the upload. */
            readonly upload_id: string;
        };
        readonly MultipartUpload: {
            /** @description Names the upload. */
            readonly upload_id: string;
            readonly bucket: components["schemas"]["BucketName"];
            readonly key: components["schemas"]["ObjectKey"];
            /** @description Bytes of every part but the last. */
            readonly part_size: number;
            readonly parts: readonly {
                /** @description Of the part. */
                readonly number: number;
                /**
                 * Format: uri
                 * @description Serves without an API key until it expires.
                 */
                readonly url: string;
            }[];
            readonly complete: {
                /**
                 * Format: uri
                 * @description Serves without an API key until it expires.
                 */
                readonly url: string;
                /** @constant */
                readonly method: "POST";
                /** @description Headers that whoever uses the URL must send. */
                readonly headers: {
                    readonly [key: string]: string;
                };
            };
            readonly abort: {
                /**
                 * Format: uri
                 * @description Serves without an API key until it expires.
                 */
                readonly url: string;
                /** @constant */
                readonly method: "DELETE";
                /** @description Headers that whoever uses the URL must send. */
                readonly headers: {
                    readonly [key: string]: string;
                };
            };
            readonly expires_at: components["schemas"]["Time"];
        };
        readonly SignedRequest: components["schemas"]["SignedDownload"] | components["schemas"]["SignedUpload"] | components["schemas"]["MultipartUpload"] | components["schemas"]["Ticket"];
        readonly Ticket: {
            /**
             * Format: uri
             * @description Serves without an API key until it expires.
             */
            readonly url: string;
            /** @constant */
            readonly method: "SYNC";
            /** @description Headers that whoever uses the URL must send. */
            readonly headers: {
                readonly [key: string]: string;
            };
            readonly expires_at: components["schemas"]["Time"];
            readonly bucket: components["schemas"]["BucketName"];
            readonly prefix?: components["schemas"]["Prefix"];
        };
        readonly Permission: {
            readonly buckets: readonly string[];
            readonly actions: readonly ("read" | "write" | "delete" | "list" | "sync" | "sign" | "create_bucket" | "delete_bucket")[];
            readonly prefix?: components["schemas"]["Prefix"];
        };
        readonly NewKey: {
            /**
             * @description 1 to 100 characters without control characters; white space around them is dropped.
             * @example nightly backup
             */
            readonly name: string;
            /** @description They add up. */
            readonly permissions: readonly components["schemas"]["Permission"][];
            /**
             * @description The rate limits that the key has.
             * @example default
             */
            readonly tier?: string;
            /**
             * @description In the future; with date, time and zone.
             * @example 2027-01-31T12:00:00Z
             */
            readonly expires_at?: string;
        };
        readonly KeyChange: {
            /**
             * @description 1 to 100 characters without control characters; white space around them is dropped.
             * @example nightly backup
             */
            readonly name?: string;
            /** @description They add up. */
            readonly permissions?: readonly components["schemas"]["Permission"][];
            /**
             * @description The rate limits that the key has.
             * @example default
             */
            readonly tier?: string;
            /**
             * @description As in a new key; null removes the expiry.
             * @example 2027-01-31T12:00:00Z
             */
            readonly expires_at?: string | null;
        };
        readonly Rotation: {
            /**
             * @description How long the old secret still works.
             * @default 86400
             */
            readonly overlap_seconds: number;
        };
        readonly NoFields: Record<string, never>;
        readonly Key: {
            readonly id: components["schemas"]["ApiKeyId"];
            /** @description What people call it. */
            readonly name: string;
            readonly permissions: readonly components["schemas"]["Permission"][];
            /** @description The rate limits that the key has. */
            readonly tier: string;
            /** @enum {string} */
            readonly state: "active" | "expired" | "revoked";
            readonly created_at: components["schemas"]["Time"];
            /** @description The permissions in plain words. */
            readonly summary: readonly string[];
            /** @description Who made it. */
            readonly created_by?: string;
            readonly expires_at?: components["schemas"]["Time"];
            readonly revoked_at?: components["schemas"]["Time"];
            /** @description Who revoked it. */
            readonly revoked_by?: string;
            /** @description Until then the previous secret works too. */
            readonly rotating_until?: components["schemas"]["Time"];
            /** @description To the hour. Absent: never. */
            readonly last_used_at?: components["schemas"]["Time"];
            /** @description Requests in the hour of `last_used_at`. */
            readonly rate?: {
                /** @description Requests of class `read`. */
                readonly read: number;
                /** @description Requests of class `write`. */
                readonly write: number;
                /** @description Requests of class `list`. */
                readonly list: number;
                /** @description Requests of class `sign`. */
                readonly sign: number;
                /** @description Requests of class `connect`. */
                readonly connect: number;
                /** @description Requests that were refused with 429. */
                readonly limited: number;
            };
        };
        readonly KeyPage: {
            readonly keys: readonly components["schemas"]["Key"][];
            /** @description The `page_token` of the next page. Absent on the last one. */
            readonly next_page_token?: string;
        };
        readonly MadeKey: {
            readonly key: components["schemas"]["Key"];
            readonly api_key: components["schemas"]["ApiKeyText"];
        };
        readonly Session: {
            readonly api_key: components["schemas"]["ApiKeyText"];
            readonly key_id: components["schemas"]["ApiKeyId"];
            readonly expires_at: components["schemas"]["Time"];
        };
        readonly AuditRecord: {
            readonly id: components["schemas"]["AuditId"];
            readonly at: components["schemas"]["Time"];
            /** @description The name by which the issuer knows the person. */
            readonly actor: string;
            /** @description The `sub` of the token. */
            readonly actor_id: string;
            /** @enum {string} */
            readonly action: "create" | "change" | "revoke" | "rotate" | "session";
            readonly key_id: components["schemas"]["ApiKeyId"];
            /** @description What was set or changed, by the names of the key’s fields. Never a secret. */
            readonly details: {
                readonly [key: string]: unknown;
            };
        };
        readonly AuditPage: {
            readonly records: readonly components["schemas"]["AuditRecord"][];
            /** @description The `page_token` of the next page. Absent on the last one. */
            readonly next_page_token?: string;
        };
        readonly Usage: {
            readonly key_id: components["schemas"]["ApiKeyId"];
            /**
             * Format: date
             * @description A day in UTC.
             * @example 2026-11-20
             */
            readonly from: string;
            /**
             * Format: date
             * @description A day in UTC.
             * @example 2026-11-20
             */
            readonly to: string;
            /** @description Oldest first, without a gap; the present hour is in it. */
            readonly hours: readonly {
                readonly hour: components["schemas"]["Time"];
                /** @description Requests of class `read`. */
                readonly read: number;
                /** @description Requests of class `write`. */
                readonly write: number;
                /** @description Requests of class `list`. */
                readonly list: number;
                /** @description Requests of class `sign`. */
                readonly sign: number;
                /** @description Requests of class `connect`. */
                readonly connect: number;
                /** @description Requests that were refused with 429. */
                readonly limited: number;
            }[];
        };
        readonly Configuration: {
            /**
             * Format: uri
             * @description Who signs in the administrators: an OpenID Connect issuer.
             */
            readonly issuer: string;
            /** @description The public client of the issuer, without a secret. */
            readonly client_id: string;
            readonly scopes: readonly string[];
            /** @description Further query parameters of the authorization request. */
            readonly authorize_parameters: {
                readonly [key: string]: string;
            };
            /** @description Where the storage interface begins. */
            readonly api_base: string;
            /**
             * Format: uri
             * @description Where the change channel is opened.
             */
            readonly sync_url: string;
            readonly actions: readonly ("read" | "write" | "delete" | "list" | "sync" | "sign" | "create_bucket" | "delete_bucket")[];
            readonly tiers: readonly string[];
            /** @description The limits of each tier. */
            readonly rate_tiers: {
                readonly [key: string]: {
                    readonly read: {
                        /** @description Requests per second. */
                        readonly rate: number;
                        /** @description Requests at once. */
                        readonly burst: number;
                    };
                    readonly write: {
                        /** @description Requests per second. */
                        readonly rate: number;
                        /** @description Requests at once. */
                        readonly burst: number;
                    };
                    readonly list: {
                        /** @description Requests per second. */
                        readonly rate: number;
                        /** @description Requests at once. */
                        readonly burst: number;
                    };
                    readonly sign: {
                        /** @description Requests per second. */
                        readonly rate: number;
                        /** @description Requests at once. */
                        readonly burst: number;
                    };
                    readonly connect: {
                        /** @description Requests per second. */
                        readonly rate: number;
                        /** @description Requests at once. */
                        readonly burst: number;
                    };
                };
            };
            /** @description How long a session lasts at most. */
            readonly session_seconds: number;
            /** @description Of the service. */
            readonly version: string;
            /**
             * Format: uri
             * @description The percent-encoded address to come back to is to be put behind it. Absent: the issuer’s own end_session_endpoint.
             */
            readonly sign_out_url?: string;
        };
        readonly Error: {
            readonly error: {
                /**
                 * @description What programs read. Never changes.
                 * @enum {string}
                 */
                readonly code: "invalid_request" | "unauthorized" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "cursor_expired" | "precondition_failed" | "payload_too_large" | "range_not_satisfiable" | "rate_limited" | "internal" | "unavailable";
                /** @description What people read. */
                readonly message: string;
                /** @description To be quoted when the failure is reported. */
                readonly request_id: string;
                /** @description What a program may act upon; depends on the code. */
                readonly details?: {
                    /** @description Of an invalid request: the field, header or parameter. */
                    readonly field?: string;
                    /** @description Of an invalid request: the rule that it breaks. */
                    readonly rule?: string;
                    /** @description The action that the API key lacks. */
                    readonly action?: string;
                    /** @description The bucket that the refusal is about. */
                    readonly bucket?: string;
                    /** @description The object that the refusal is about. */
                    readonly key?: string;
                    /** @description Bytes of the object. */
                    readonly size?: number;
                    readonly oldest?: components["schemas"]["Position"];
                    readonly head?: components["schemas"]["Position"];
                    /**
                     * @description Which of the conflicts, or why a position has expired.
                     * @enum {string}
                     */
                    readonly reason?: "revoked" | "expired" | "bucket_replaced";
                    /**
                     * @description The class of requests whose limit is exceeded.
                     * @enum {string}
                     */
                    readonly class?: "read" | "write" | "list" | "sign" | "connect";
                    /** @description Seconds, as in Retry-After. */
                    readonly retry_after?: number;
                    /** @description The methods that the path answers. */
                    readonly allow?: readonly string[];
                };
            };
        };
    };
    responses: {
        /** @description `invalid_request`: the request is not valid. */
        readonly InvalidRequest: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotKept"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `unauthorized`: send a valid API key as Authorization: Bearer <API_KEY>. */
        readonly Unauthorized: {
            headers: {
                readonly "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                readonly "Cache-Control": components["headers"]["NotKept"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `forbidden`: this API key may not do that here. */
        readonly Forbidden: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotKept"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `not_found`: there is nothing under this path. */
        readonly NotFound: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotKept"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `conflict`: the request conflicts with what is stored. */
        readonly Conflict: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotKept"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `cursor_expired`: the position is older than the retention. */
        readonly CursorExpired: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotKept"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `precondition_failed`: a condition header of the request does not hold. */
        readonly PreconditionFailed: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotKept"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `payload_too_large`: the body exceeds 4 MiB; upload it with a signed URL from POST /api/v2/storage/signed-url. */
        readonly PayloadTooLarge: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotKept"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
                readonly "text/plain": string;
            };
        };
        /** @description `range_not_satisfiable`: the range lies outside the object. */
        readonly RangeNotSatisfiable: {
            headers: {
                readonly "Content-Range": components["headers"]["ContentRange"];
                readonly "Cache-Control": components["headers"]["NotKept"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `rate_limited`: too many requests; wait for Retry-After seconds. */
        readonly RateLimited: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly "Cache-Control": components["headers"]["NotKept"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `internal`: something failed on our side; quote the request_id. */
        readonly Internal: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotKept"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `unavailable`: the service cannot answer at the moment; try again after Retry-After seconds. */
        readonly Unavailable: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly "Cache-Control": components["headers"]["NotKept"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The address is longer than API Gateway takes. */
        readonly UriTooLong: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotKept"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "text/plain": string;
            };
        };
        /** @description `internal`: a function broke off, and the gateway answers in its place. */
        readonly BadGateway: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly "Cache-Control": components["headers"]["NotKept"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `invalid_request`: the request is not valid. */
        readonly HeadInvalidRequest: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotKept"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                readonly [name: string]: unknown;
            };
            content?: never;
        };
        /** @description `unauthorized`: send a valid API key as Authorization: Bearer <API_KEY>. */
        readonly HeadUnauthorized: {
            headers: {
                readonly "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                readonly "Cache-Control": components["headers"]["NotKept"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                readonly [name: string]: unknown;
            };
            content?: never;
        };
        /** @description `forbidden`: this API key may not do that here. */
        readonly HeadForbidden: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotKept"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                readonly [name: string]: unknown;
            };
            content?: never;
        };
        /** @description `not_found`: there is nothing under this path. */
        readonly HeadNotFound: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotKept"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                readonly [name: string]: unknown;
            };
            content?: never;
        };
        /** @description `cursor_expired`: the position is older than the retention. */
        readonly HeadCursorExpired: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotKept"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                readonly [name: string]: unknown;
            };
            content?: never;
        };
        /** @description `precondition_failed`: a condition header of the request does not hold. */
        readonly HeadPreconditionFailed: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotKept"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                readonly [name: string]: unknown;
            };
            content?: never;
        };
        /** @description `rate_limited`: too many requests; wait for Retry-After seconds. */
        readonly HeadRateLimited: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly "Cache-Control": components["headers"]["NotKept"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                readonly [name: string]: unknown;
            };
            content?: never;
        };
        /** @description `internal`: something failed on our side; quote the request_id. */
        readonly HeadInternal: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotKept"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                readonly [name: string]: unknown;
            };
            content?: never;
        };
        /** @description `unavailable`: the service cannot answer at the moment; try again after Retry-After seconds. */
        readonly HeadUnavailable: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly "Cache-Control": components["headers"]["NotKept"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                readonly [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The address is longer than API Gateway takes. */
        readonly HeadUriTooLong: {
            headers: {
                readonly "Cache-Control": components["headers"]["NotKept"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                readonly [name: string]: unknown;
            };
            content?: never;
        };
        /** @description `internal`: a function broke off, and the gateway answers in its place. */
        readonly HeadBadGateway: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly "Cache-Control": components["headers"]["NotKept"];
                readonly RateLimit: components["headers"]["RateLimit"];
                readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                readonly [name: string]: unknown;
            };
            content?: never;
        };
    };
    parameters: {
        /**
         * @description The bucket.
         * @example photos
         */
        readonly Bucket: components["schemas"]["BucketName"];
        /**
         * @description The key, percent-encoded. Slashes may be sent as they are, which OpenAPI has no way to say: `%2F` and `/` are the same here.
         * @example 2026/cat.jpg
         */
        readonly Key: components["schemas"]["ObjectKey"];
        /**
         * @description The id of an API key.
         * @example 3kTf9ZpQw1Lm
         */
        readonly KeyId: components["schemas"]["ApiKeyId"];
        /** @description Entries of the page at most. */
        readonly Limit: number;
        /** @description Numbers that the page covers at most. */
        readonly ChangesLimit: number;
        /** @description The `next_page_token` of the page before, with the same other parameters. */
        readonly PageToken: string;
        /** @description Only keys that begin with it. */
        readonly Prefix: components["schemas"]["Prefix"];
        /** @description Keys that contain it behind the prefix are folded into `prefixes`. */
        readonly Delimiter: components["schemas"]["Prefix"];
        /** @description Only keys behind it; it need not exist. */
        readonly StartAfter: components["schemas"]["Prefix"];
        /** @description An older version, as long as it is kept. */
        readonly Version: number;
        /** @description Answers the descriptor instead of the bytes. */
        readonly View: "descriptor";
        /**
         * @description The bucket to follow.
         * @example photos
         */
        readonly FollowedBucket: components["schemas"]["BucketName"];
        /** @description Your position: the changes after it are answered. From now on when it is absent. */
        readonly Cursor: components["schemas"]["Position"];
        /** @description Of an earlier answer: a bucket made again under the same name is told apart. */
        readonly BucketId: components["schemas"]["BucketId"];
        /** @description Seconds to wait for something new. */
        readonly Wait: number;
        /**
         * @description The id of an API key.
         * @example 3kTf9ZpQw1Lm
         */
        readonly UsedKey: components["schemas"]["ApiKeyId"];
        /** @description So many days, today included. */
        readonly Days: number;
        /** @description RFC 9110 §13.1.1: etags, or `*`. */
        readonly IfMatch: string;
        /** @description RFC 9110 §13.1.2: etags, or `*`. */
        readonly IfNoneMatch: string;
        /** @description RFC 9110 §13.1.3; ignored beside If-None-Match. */
        readonly IfModifiedSince: string;
        /** @description RFC 9110 §13.1.4; ignored beside If-Match. */
        readonly IfUnmodifiedSince: string;
        /** @description RFC 9110 §13.1.5: the etag, or the exact Last-Modified. */
        readonly IfRange: string;
        /** @description RFC 9110 §14.2: one range of bytes. Several, another unit and what is malformed are ignored. */
        readonly Range: string;
        /** @description RFC 9530: sha-256 or sha-512 of the body, which is verified. */
        readonly ContentDigest: string;
        /** @description Stored with the object, and answered with it. */
        readonly CacheControl: string;
        /** @description Stored with the object, and answered with it. */
        readonly ContentDisposition: string;
        /** @description Stored with the object, and answered with it. */
        readonly ContentEncoding: string;
        /** @description Stored with the object, and answered with it. */
        readonly ContentLanguage: string;
        /** @description Makes a retry safe: within 24 hours the same request is answered as the first one was. Another request under the same key is 400. */
        readonly IdempotencyKey: string;
    };
    requestBodies: never;
    headers: {
        /** @description Not kept. */
        readonly NoStore: "no-store";
        /** @description Not kept. The gateway’s own refusals do not say so. */
        readonly NotKept: "no-store";
        /** @description As stored. */
        readonly CacheControl: string;
        /** @description As stored. */
        readonly ContentDisposition: string;
        /** @description As stored. */
        readonly ContentEncoding: string;
        /** @description As stored. */
        readonly ContentLanguage: string;
        /** @description Of the version; strong. */
        readonly ETag: string;
        /** @description `updated_at` in whole seconds. */
        readonly LastModified: string;
        /** @description RFC 9110 §14.3. */
        readonly AcceptRanges: "bytes";
        /** @description Which bytes these are, of how many. */
        readonly ContentRange: string;
        /** @description RFC 9530, of the whole object; where the checksum is known. */
        readonly ReprDigest: string;
        /** @description Stored bytes are never guessed at. */
        readonly NoSniff: "nosniff";
        /** @description Stored bytes are never run as a page of this origin. */
        readonly Sandbox: "sandbox; default-src 'none'";
        /** @description Of the key. */
        readonly Version: number;
        /** @description The position in the sequence of changes of the bucket. */
        readonly Position: components["schemas"]["Position"];
        /** @description Where to find it. */
        readonly Location: string;
        /** @description RFC 6750. */
        readonly WwwAuthenticate: string;
        /** @description Seconds. */
        readonly RetryAfter: number;
        /** @description What is left of the limit that the request counted for. */
        readonly RateLimit: string;
        /** @description The limit that the request counted for. */
        readonly RateLimitPolicy: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly listBuckets: {
        readonly parameters: {
            readonly query?: {
                /** @description Entries of the page at most. */
                readonly limit?: components["parameters"]["Limit"];
                /** @description The `next_page_token` of the page before, with the same other parameters. */
                readonly page_token?: components["parameters"]["PageToken"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of buckets. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "buckets": [
                     *         {
                     *           "name": "photos",
                     *           "created_at": "2026-11-20T10:50:00.000Z",
                     *           "cursor": 8,
                     *           "object_count": 1,
                     *           "total_size": 48213
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["BucketPage"];
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 502: components["responses"]["BadGateway"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly createBucket: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Makes a retry safe: within 24 hours the same request is answered as the first one was. Another request under the same key is 400. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "name": "photos"
                 *     }
                 */
                readonly "application/json": components["schemas"]["NewBucket"];
            };
        };
        readonly responses: {
            /** @description The bucket. */
            readonly 201: {
                headers: {
                    readonly Location: components["headers"]["Location"];
                    readonly "x-object-cursor": components["headers"]["Position"];
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "photos",
                     *       "created_at": "2026-11-20T10:50:00.000Z",
                     *       "cursor": 8,
                     *       "object_count": 1,
                     *       "total_size": 48213
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Bucket"];
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 409: components["responses"]["Conflict"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 502: components["responses"]["BadGateway"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listBucketsHead: {
        readonly parameters: {
            readonly query?: {
                /** @description Entries of the page at most. */
                readonly limit?: components["parameters"]["Limit"];
                /** @description The `next_page_token` of the page before, with the same other parameters. */
                readonly page_token?: components["parameters"]["PageToken"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of buckets. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["HeadInvalidRequest"];
            readonly 401: components["responses"]["HeadUnauthorized"];
            readonly 403: components["responses"]["HeadForbidden"];
            readonly 414: components["responses"]["HeadUriTooLong"];
            readonly 429: components["responses"]["HeadRateLimited"];
            readonly 500: components["responses"]["HeadInternal"];
            readonly 502: components["responses"]["HeadBadGateway"];
            readonly 503: components["responses"]["HeadUnavailable"];
        };
    };
    readonly getBucket: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                readonly bucket: components["parameters"]["Bucket"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The bucket. */
            readonly 200: {
                headers: {
                    readonly "x-object-cursor": components["headers"]["Position"];
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "photos",
                     *       "created_at": "2026-11-20T10:50:00.000Z",
                     *       "cursor": 8,
                     *       "object_count": 1,
                     *       "total_size": 48213
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Bucket"];
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 502: components["responses"]["BadGateway"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly deleteBucket: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Makes a retry safe: within 24 hours the same request is answered as the first one was. Another request under the same key is 400. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                readonly bucket: components["parameters"]["Bucket"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is gone. */
            readonly 204: {
                headers: {
                    readonly "x-object-cursor": components["headers"]["Position"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["Conflict"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 502: components["responses"]["BadGateway"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getBucketHead: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                readonly bucket: components["parameters"]["Bucket"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The bucket. */
            readonly 200: {
                headers: {
                    readonly "x-object-cursor": components["headers"]["Position"];
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["HeadInvalidRequest"];
            readonly 401: components["responses"]["HeadUnauthorized"];
            readonly 403: components["responses"]["HeadForbidden"];
            readonly 404: components["responses"]["HeadNotFound"];
            readonly 414: components["responses"]["HeadUriTooLong"];
            readonly 429: components["responses"]["HeadRateLimited"];
            readonly 500: components["responses"]["HeadInternal"];
            readonly 502: components["responses"]["HeadBadGateway"];
            readonly 503: components["responses"]["HeadUnavailable"];
        };
    };
    readonly listObjects: {
        readonly parameters: {
            readonly query?: {
                /** @description Only keys that begin with it. */
                readonly prefix?: components["parameters"]["Prefix"];
                /** @description Keys that contain it behind the prefix are folded into `prefixes`. */
                readonly delimiter?: components["parameters"]["Delimiter"];
                /** @description Only keys behind it; it need not exist. */
                readonly start_after?: components["parameters"]["StartAfter"];
                /** @description Entries of the page at most. */
                readonly limit?: components["parameters"]["Limit"];
                /** @description The `next_page_token` of the page before, with the same other parameters. */
                readonly page_token?: components["parameters"]["PageToken"];
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                readonly bucket: components["parameters"]["Bucket"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of objects and folded prefixes. */
            readonly 200: {
                headers: {
                    readonly "x-object-cursor": components["headers"]["Position"];
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "objects": [
                     *         {
                     *           "bucket": "photos",
                     *           "key": "2026/cat.jpg",
                     *           "size": 48213,
                     *           "etag": "5d41402abc4b2a76b9719d911017c592",
                     *           "version": 1,
                     *           "cursor": 8,
                     *           "created_at": "2026-11-20T10:51:00.120Z",
                     *           "updated_at": "2026-11-20T10:51:00.120Z",
                     *           "content_type": "image/jpeg",
                     *           "metadata": {
                     *             "camera": "x100"
                     *           },
                     *           "checksum_sha256": "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ="
                     *         }
                     *       ],
                     *       "prefixes": [],
                     *       "cursor": 8,
                     *       "bucket_id": "8sKq2LmVx0Tz"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ObjectPage"];
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 502: components["responses"]["BadGateway"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listObjectsHead: {
        readonly parameters: {
            readonly query?: {
                /** @description Only keys that begin with it. */
                readonly prefix?: components["parameters"]["Prefix"];
                /** @description Keys that contain it behind the prefix are folded into `prefixes`. */
                readonly delimiter?: components["parameters"]["Delimiter"];
                /** @description Only keys behind it; it need not exist. */
                readonly start_after?: components["parameters"]["StartAfter"];
                /** @description Entries of the page at most. */
                readonly limit?: components["parameters"]["Limit"];
                /** @description The `next_page_token` of the page before, with the same other parameters. */
                readonly page_token?: components["parameters"]["PageToken"];
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                readonly bucket: components["parameters"]["Bucket"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of objects and folded prefixes. */
            readonly 200: {
                headers: {
                    readonly "x-object-cursor": components["headers"]["Position"];
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["HeadInvalidRequest"];
            readonly 401: components["responses"]["HeadUnauthorized"];
            readonly 403: components["responses"]["HeadForbidden"];
            readonly 404: components["responses"]["HeadNotFound"];
            readonly 414: components["responses"]["HeadUriTooLong"];
            readonly 429: components["responses"]["HeadRateLimited"];
            readonly 500: components["responses"]["HeadInternal"];
            readonly 502: components["responses"]["HeadBadGateway"];
            readonly 503: components["responses"]["HeadUnavailable"];
        };
    };
    readonly getObject: {
        readonly parameters: {
            readonly query?: {
                /** @description An older version, as long as it is kept. */
                readonly version?: components["parameters"]["Version"];
                /** @description Answers the descriptor instead of the bytes. */
                readonly view?: components["parameters"]["View"];
            };
            readonly header?: {
                /** @description RFC 9110 §14.2: one range of bytes. Several, another unit and what is malformed are ignored. */
                readonly Range?: components["parameters"]["Range"];
                /** @description RFC 9110 §13.1.5: the etag, or the exact Last-Modified. */
                readonly "If-Range"?: components["parameters"]["IfRange"];
                /** @description RFC 9110 §13.1.1: etags, or `*`. */
                readonly "If-Match"?: components["parameters"]["IfMatch"];
                /** @description RFC 9110 §13.1.2: etags, or `*`. */
                readonly "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /** @description RFC 9110 §13.1.3; ignored beside If-None-Match. */
                readonly "If-Modified-Since"?: components["parameters"]["IfModifiedSince"];
                /** @description RFC 9110 §13.1.4; ignored beside If-Match. */
                readonly "If-Unmodified-Since"?: components["parameters"]["IfUnmodifiedSince"];
            };
            readonly path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                readonly bucket: components["parameters"]["Bucket"];
                /**
                 * @description The key, percent-encoded. Slashes may be sent as they are, which OpenAPI has no way to say: `%2F` and `/` are the same here.
                 * @example 2026/cat.jpg
                 */
                readonly key: components["parameters"]["Key"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description All of it; with `view=descriptor` the descriptor. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly "Last-Modified": components["headers"]["LastModified"];
                    readonly "x-object-version": components["headers"]["Version"];
                    readonly "x-object-cursor": components["headers"]["Position"];
                    readonly "Accept-Ranges": components["headers"]["AcceptRanges"];
                    readonly "X-Content-Type-Options": components["headers"]["NoSniff"];
                    readonly "Content-Security-Policy": components["headers"]["Sandbox"];
                    readonly "Repr-Digest": components["headers"]["ReprDigest"];
                    readonly "Cache-Control": components["headers"]["CacheControl"];
                    readonly "Content-Disposition": components["headers"]["ContentDisposition"];
                    readonly "Content-Encoding": components["headers"]["ContentEncoding"];
                    readonly "Content-Language": components["headers"]["ContentLanguage"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ObjectDescriptor"] | unknown;
                    readonly "*/*": unknown;
                };
            };
            /** @description The bytes of the range. */
            readonly 206: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly "Last-Modified": components["headers"]["LastModified"];
                    readonly "x-object-version": components["headers"]["Version"];
                    readonly "x-object-cursor": components["headers"]["Position"];
                    readonly "Content-Range": components["headers"]["ContentRange"];
                    readonly "Accept-Ranges": components["headers"]["AcceptRanges"];
                    readonly "X-Content-Type-Options": components["headers"]["NoSniff"];
                    readonly "Content-Security-Policy": components["headers"]["Sandbox"];
                    readonly "Repr-Digest": components["headers"]["ReprDigest"];
                    readonly "Cache-Control": components["headers"]["CacheControl"];
                    readonly "Content-Disposition": components["headers"]["ContentDisposition"];
                    readonly "Content-Encoding": components["headers"]["ContentEncoding"];
                    readonly "Content-Language": components["headers"]["ContentLanguage"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "*/*": unknown;
                };
            };
            /** @description The client has it already. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly "Last-Modified": components["headers"]["LastModified"];
                    readonly "x-object-version": components["headers"]["Version"];
                    readonly "x-object-cursor": components["headers"]["Position"];
                    readonly "Cache-Control": components["headers"]["CacheControl"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description More than 10 MB (4 MiB where the deployment does not stream): `Location` serves the bytes without an API key for 60 s. */
            readonly 307: {
                headers: {
                    readonly Location: components["headers"]["Location"];
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly "Last-Modified": components["headers"]["LastModified"];
                    readonly "x-object-version": components["headers"]["Version"];
                    readonly "x-object-cursor": components["headers"]["Position"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 412: components["responses"]["PreconditionFailed"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 416: components["responses"]["RangeNotSatisfiable"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 502: components["responses"]["BadGateway"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly putObject: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description RFC 9110 §13.1.1: etags, or `*`. */
                readonly "If-Match"?: components["parameters"]["IfMatch"];
                /** @description RFC 9110 §13.1.2: etags, or `*`. */
                readonly "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /** @description RFC 9110 §13.1.4; ignored beside If-Match. */
                readonly "If-Unmodified-Since"?: components["parameters"]["IfUnmodifiedSince"];
                /** @description RFC 9530: sha-256 or sha-512 of the body, which is verified. */
                readonly "Content-Digest"?: components["parameters"]["ContentDigest"];
                /** @description Stored with the object, and answered with it. */
                readonly "Cache-Control"?: components["parameters"]["CacheControl"];
                /** @description Stored with the object, and answered with it. */
                readonly "Content-Disposition"?: components["parameters"]["ContentDisposition"];
                /** @description Stored with the object, and answered with it. */
                readonly "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /** @description Stored with the object, and answered with it. */
                readonly "Content-Language"?: components["parameters"]["ContentLanguage"];
                /** @description Makes a retry safe: within 24 hours the same request is answered as the first one was. Another request under the same key is 400. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                readonly bucket: components["parameters"]["Bucket"];
                /**
                 * @description The key, percent-encoded. Slashes may be sent as they are, which OpenAPI has no way to say: `%2F` and `/` are the same here.
                 * @example 2026/cat.jpg
                 */
                readonly key: components["parameters"]["Key"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                readonly "*/*": unknown;
            };
        };
        readonly responses: {
            /** @description It was replaced. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly "Last-Modified": components["headers"]["LastModified"];
                    readonly "x-object-version": components["headers"]["Version"];
                    readonly "x-object-cursor": components["headers"]["Position"];
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "bucket": "photos",
                     *       "key": "2026/cat.jpg",
                     *       "size": 48213,
                     *       "etag": "5d41402abc4b2a76b9719d911017c592",
                     *       "version": 1,
                     *       "cursor": 8,
                     *       "created_at": "2026-11-20T10:51:00.120Z",
                     *       "updated_at": "2026-11-20T10:51:00.120Z",
                     *       "content_type": "image/jpeg",
                     *       "metadata": {
                     *         "camera": "x100"
                     *       },
                     *       "checksum_sha256": "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ="
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ObjectDescriptor"];
                };
            };
            /** @description It is new. */
            readonly 201: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly "Last-Modified": components["headers"]["LastModified"];
                    readonly "x-object-version": components["headers"]["Version"];
                    readonly "x-object-cursor": components["headers"]["Position"];
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "bucket": "photos",
                     *       "key": "2026/cat.jpg",
                     *       "size": 48213,
                     *       "etag": "5d41402abc4b2a76b9719d911017c592",
                     *       "version": 1,
                     *       "cursor": 8,
                     *       "created_at": "2026-11-20T10:51:00.120Z",
                     *       "updated_at": "2026-11-20T10:51:00.120Z",
                     *       "content_type": "image/jpeg",
                     *       "metadata": {
                     *         "camera": "x100"
                     *       },
                     *       "checksum_sha256": "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ="
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ObjectDescriptor"];
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 412: components["responses"]["PreconditionFailed"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 502: components["responses"]["BadGateway"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly deleteObject: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description RFC 9110 §13.1.1: etags, or `*`. */
                readonly "If-Match"?: components["parameters"]["IfMatch"];
                /** @description RFC 9110 §13.1.2: etags, or `*`. */
                readonly "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /** @description RFC 9110 §13.1.4; ignored beside If-Match. */
                readonly "If-Unmodified-Since"?: components["parameters"]["IfUnmodifiedSince"];
                /** @description Makes a retry safe: within 24 hours the same request is answered as the first one was. Another request under the same key is 400. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                readonly bucket: components["parameters"]["Bucket"];
                /**
                 * @description The key, percent-encoded. Slashes may be sent as they are, which OpenAPI has no way to say: `%2F` and `/` are the same here.
                 * @example 2026/cat.jpg
                 */
                readonly key: components["parameters"]["Key"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description It is gone. */
            readonly 200: {
                headers: {
                    readonly "x-object-version": components["headers"]["Version"];
                    readonly "x-object-cursor": components["headers"]["Position"];
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "bucket": "photos",
                     *       "key": "2026/cat.jpg",
                     *       "version": 2,
                     *       "cursor": 9,
                     *       "deleted_at": "2026-11-20T10:52:00.000Z"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["DeletedObject"];
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 412: components["responses"]["PreconditionFailed"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 502: components["responses"]["BadGateway"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getObjectHead: {
        readonly parameters: {
            readonly query?: {
                /** @description An older version, as long as it is kept. */
                readonly version?: components["parameters"]["Version"];
                /** @description Answers the descriptor instead of the bytes. */
                readonly view?: components["parameters"]["View"];
            };
            readonly header?: {
                /** @description RFC 9110 §14.2: one range of bytes. Several, another unit and what is malformed are ignored. */
                readonly Range?: components["parameters"]["Range"];
                /** @description RFC 9110 §13.1.5: the etag, or the exact Last-Modified. */
                readonly "If-Range"?: components["parameters"]["IfRange"];
                /** @description RFC 9110 §13.1.1: etags, or `*`. */
                readonly "If-Match"?: components["parameters"]["IfMatch"];
                /** @description RFC 9110 §13.1.2: etags, or `*`. */
                readonly "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /** @description RFC 9110 §13.1.3; ignored beside If-None-Match. */
                readonly "If-Modified-Since"?: components["parameters"]["IfModifiedSince"];
                /** @description RFC 9110 §13.1.4; ignored beside If-Match. */
                readonly "If-Unmodified-Since"?: components["parameters"]["IfUnmodifiedSince"];
            };
            readonly path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                readonly bucket: components["parameters"]["Bucket"];
                /**
                 * @description The key, percent-encoded. Slashes may be sent as they are, which OpenAPI has no way to say: `%2F` and `/` are the same here.
                 * @example 2026/cat.jpg
                 */
                readonly key: components["parameters"]["Key"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description All of it; with `view=descriptor` the descriptor. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly "Last-Modified": components["headers"]["LastModified"];
                    readonly "x-object-version": components["headers"]["Version"];
                    readonly "x-object-cursor": components["headers"]["Position"];
                    readonly "Accept-Ranges": components["headers"]["AcceptRanges"];
                    readonly "X-Content-Type-Options": components["headers"]["NoSniff"];
                    readonly "Content-Security-Policy": components["headers"]["Sandbox"];
                    readonly "Repr-Digest": components["headers"]["ReprDigest"];
                    readonly "Cache-Control": components["headers"]["CacheControl"];
                    readonly "Content-Disposition": components["headers"]["ContentDisposition"];
                    readonly "Content-Encoding": components["headers"]["ContentEncoding"];
                    readonly "Content-Language": components["headers"]["ContentLanguage"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The client has it already. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly "Last-Modified": components["headers"]["LastModified"];
                    readonly "x-object-version": components["headers"]["Version"];
                    readonly "x-object-cursor": components["headers"]["Position"];
                    readonly "Cache-Control": components["headers"]["CacheControl"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["HeadInvalidRequest"];
            readonly 401: components["responses"]["HeadUnauthorized"];
            readonly 403: components["responses"]["HeadForbidden"];
            readonly 404: components["responses"]["HeadNotFound"];
            readonly 412: components["responses"]["HeadPreconditionFailed"];
            readonly 414: components["responses"]["HeadUriTooLong"];
            readonly 429: components["responses"]["HeadRateLimited"];
            readonly 500: components["responses"]["HeadInternal"];
            readonly 502: components["responses"]["HeadBadGateway"];
            readonly 503: components["responses"]["HeadUnavailable"];
        };
    };
    readonly signUrl: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Makes a retry safe: within 24 hours the same request is answered as the first one was. Another request under the same key is 400. */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "bucket": "photos",
                 *       "key": "2026/cat.jpg",
                 *       "method": "GET",
                 *       "expires_in": 300
                 *     }
                 */
                readonly "application/json": components["schemas"]["SignRequest"];
            };
        };
        readonly responses: {
            /** @description What was asked for. */
            readonly 201: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "url": "https://s3.example.org/content/objects/8sKq2LmVx0Tz?X-Amz-Signature=…",
                     *       "method": "GET",
                     *       "headers": {},
                     *       "expires_at": "2026-11-20T10:56:00.000Z",
                     *       "bucket": "photos",
                     *       "key": "2026/cat.jpg",
                     *       "version": 1,
                     *       "size": 48213,
                     *       "etag": "5d41402abc4b2a76b9719d911017c592"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["SignedRequest"];
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 502: components["responses"]["BadGateway"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly readChanges: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description The bucket to follow.
                 * @example photos
                 */
                readonly bucket: components["parameters"]["FollowedBucket"];
                /** @description Your position: the changes after it are answered. From now on when it is absent. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description Only keys that begin with it. */
                readonly prefix?: components["parameters"]["Prefix"];
                /** @description Numbers that the page covers at most. */
                readonly limit?: components["parameters"]["ChangesLimit"];
                /** @description Seconds to wait for something new. */
                readonly wait?: components["parameters"]["Wait"];
                /** @description Of an earlier answer: a bucket made again under the same name is told apart. */
                readonly bucket_id?: components["parameters"]["BucketId"];
            };
            readonly header?: {
                /** @description RFC 9110 §13.1.2: etags, or `*`. */
                readonly "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page, which covers the numbers above `from` up to `to`. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "bucket": "photos",
                     *       "bucket_id": "8sKq2LmVx0Tz",
                     *       "from": 7,
                     *       "to": 9,
                     *       "head": 9,
                     *       "has_more": false,
                     *       "changes": [
                     *         {
                     *           "cursor": 8,
                     *           "type": "put",
                     *           "object": {
                     *             "bucket": "photos",
                     *             "key": "2026/cat.jpg",
                     *             "size": 48213,
                     *             "etag": "5d41402abc4b2a76b9719d911017c592",
                     *             "version": 1,
                     *             "cursor": 8,
                     *             "created_at": "2026-11-20T10:51:00.120Z",
                     *             "updated_at": "2026-11-20T10:51:00.120Z",
                     *             "content_type": "image/jpeg",
                     *             "metadata": {
                     *               "camera": "x100"
                     *             },
                     *             "checksum_sha256": "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ="
                     *           }
                     *         },
                     *         {
                     *           "cursor": 9,
                     *           "type": "delete",
                     *           "object": {
                     *             "bucket": "photos",
                     *             "key": "2026/cat.jpg",
                     *             "version": 2,
                     *             "cursor": 9,
                     *             "deleted_at": "2026-11-20T10:52:00.000Z"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["ChangesPage"];
                };
            };
            /** @description The head is still the same. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 410: components["responses"]["CursorExpired"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 502: components["responses"]["BadGateway"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly readChangesHead: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description The bucket to follow.
                 * @example photos
                 */
                readonly bucket: components["parameters"]["FollowedBucket"];
                /** @description Your position: the changes after it are answered. From now on when it is absent. */
                readonly cursor?: components["parameters"]["Cursor"];
                /** @description Only keys that begin with it. */
                readonly prefix?: components["parameters"]["Prefix"];
                /** @description Numbers that the page covers at most. */
                readonly limit?: components["parameters"]["ChangesLimit"];
                /** @description Seconds to wait for something new. */
                readonly wait?: components["parameters"]["Wait"];
                /** @description Of an earlier answer: a bucket made again under the same name is told apart. */
                readonly bucket_id?: components["parameters"]["BucketId"];
            };
            readonly header?: {
                /** @description RFC 9110 §13.1.2: etags, or `*`. */
                readonly "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page, which covers the numbers above `from` up to `to`. */
            readonly 200: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The head is still the same. */
            readonly 304: {
                headers: {
                    readonly ETag: components["headers"]["ETag"];
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly RateLimit: components["headers"]["RateLimit"];
                    readonly "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["HeadInvalidRequest"];
            readonly 401: components["responses"]["HeadUnauthorized"];
            readonly 403: components["responses"]["HeadForbidden"];
            readonly 404: components["responses"]["HeadNotFound"];
            readonly 410: components["responses"]["HeadCursorExpired"];
            readonly 414: components["responses"]["HeadUriTooLong"];
            readonly 429: components["responses"]["HeadRateLimited"];
            readonly 500: components["responses"]["HeadInternal"];
            readonly 502: components["responses"]["HeadBadGateway"];
            readonly 503: components["responses"]["HeadUnavailable"];
        };
    };
    readonly getConfiguration: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Public. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "issuer": "https://issuer.example.org/pool",
                     *       "client_id": "7h3q0n1",
                     *       "scopes": [
                     *         "openid",
                     *         "email"
                     *       ],
                     *       "authorize_parameters": {},
                     *       "api_base": "/api/v2/storage",
                     *       "sync_url": "wss://sync.example.org/sync",
                     *       "actions": [
                     *         "read",
                     *         "write",
                     *         "delete",
                     *         "list",
                     *         "sync",
                     *         "sign",
                     *         "create_bucket",
                     *         "delete_bucket"
                     *       ],
                     *       "tiers": [
                     *         "default"
                     *       ],
                     *       "rate_tiers": {
                     *         "default": {
                     *           "read": {
                     *             "rate": 1000,
                     *             "burst": 1000
                     *           },
                     *           "write": {
                     *             "rate": 300,
                     *             "burst": 300
                     *           },
                     *           "list": {
                     *             "rate": 100,
                     *             "burst": 200
                     *           },
                     *           "sign": {
                     *             "rate": 300,
                     *             "burst": 300
                     *           },
                     *           "connect": {
                     *             "rate": 20,
                     *             "burst": 100
                     *           }
                     *         }
                     *       },
                     *       "session_seconds": 3600,
                     *       "version": "0.1.0"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Configuration"];
                };
            };
            readonly 414: components["responses"]["UriTooLong"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 502: components["responses"]["BadGateway"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getConfigurationHead: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Public. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 414: components["responses"]["HeadUriTooLong"];
            readonly 429: components["responses"]["HeadRateLimited"];
            readonly 500: components["responses"]["HeadInternal"];
            readonly 502: components["responses"]["HeadBadGateway"];
            readonly 503: components["responses"]["HeadUnavailable"];
        };
    };
    readonly openSession: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                /** @example {} */
                readonly "application/json": components["schemas"]["NoFields"];
            };
        };
        readonly responses: {
            /** @description The key, once. */
            readonly 201: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "api_key": "osk_3kTf9ZpQw1Lm_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx_000000",
                     *       "key_id": "3kTf9ZpQw1Lm",
                     *       "expires_at": "2026-11-20T11:50:00.000Z"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Session"];
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 502: components["responses"]["BadGateway"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listKeys: {
        readonly parameters: {
            readonly query?: {
                /** @description Entries of the page at most. */
                readonly limit?: components["parameters"]["Limit"];
                /** @description The `next_page_token` of the page before, with the same other parameters. */
                readonly page_token?: components["parameters"]["PageToken"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of keys. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "keys": [
                     *         {
                     *           "id": "3kTf9ZpQw1Lm",
                     *           "name": "nightly backup",
                     *           "permissions": [
                     *             {
                     *               "buckets": [
                     *                 "team-*"
                     *               ],
                     *               "prefix": "2026/",
                     *               "actions": [
                     *                 "read",
                     *                 "list"
                     *               ]
                     *             }
                     *           ],
                     *           "tier": "default",
                     *           "state": "active",
                     *           "created_at": "2026-11-20T10:50:00.000Z",
                     *           "created_by": "dev@localhost",
                     *           "summary": [
                     *             "may read and list objects in buckets whose names begin with team-, below 2026/"
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["KeyPage"];
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 502: components["responses"]["BadGateway"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly createKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "name": "nightly backup",
                 *       "permissions": [
                 *         {
                 *           "buckets": [
                 *             "team-*"
                 *           ],
                 *           "prefix": "2026/",
                 *           "actions": [
                 *             "read",
                 *             "list"
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                readonly "application/json": components["schemas"]["NewKey"];
            };
        };
        readonly responses: {
            /** @description The key, and its text, once. */
            readonly 201: {
                headers: {
                    readonly Location: components["headers"]["Location"];
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key": {
                     *         "id": "3kTf9ZpQw1Lm",
                     *         "name": "nightly backup",
                     *         "permissions": [
                     *           {
                     *             "buckets": [
                     *               "team-*"
                     *             ],
                     *             "prefix": "2026/",
                     *             "actions": [
                     *               "read",
                     *               "list"
                     *             ]
                     *           }
                     *         ],
                     *         "tier": "default",
                     *         "state": "active",
                     *         "created_at": "2026-11-20T10:50:00.000Z",
                     *         "created_by": "dev@localhost",
                     *         "summary": [
                     *           "may read and list objects in buckets whose names begin with team-, below 2026/"
                     *         ]
                     *       },
                     *       "api_key": "osk_3kTf9ZpQw1Lm_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx_000000"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["MadeKey"];
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 502: components["responses"]["BadGateway"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listKeysHead: {
        readonly parameters: {
            readonly query?: {
                /** @description Entries of the page at most. */
                readonly limit?: components["parameters"]["Limit"];
                /** @description The `next_page_token` of the page before, with the same other parameters. */
                readonly page_token?: components["parameters"]["PageToken"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of keys. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["HeadInvalidRequest"];
            readonly 401: components["responses"]["HeadUnauthorized"];
            readonly 403: components["responses"]["HeadForbidden"];
            readonly 414: components["responses"]["HeadUriTooLong"];
            readonly 429: components["responses"]["HeadRateLimited"];
            readonly 500: components["responses"]["HeadInternal"];
            readonly 502: components["responses"]["HeadBadGateway"];
            readonly 503: components["responses"]["HeadUnavailable"];
        };
    };
    readonly getKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of an API key.
                 * @example 3kTf9ZpQw1Lm
                 */
                readonly id: components["parameters"]["KeyId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The key. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "3kTf9ZpQw1Lm",
                     *       "name": "nightly backup",
                     *       "permissions": [
                     *         {
                     *           "buckets": [
                     *             "team-*"
                     *           ],
                     *           "prefix": "2026/",
                     *           "actions": [
                     *             "read",
                     *             "list"
                     *           ]
                     *         }
                     *       ],
                     *       "tier": "default",
                     *       "state": "active",
                     *       "created_at": "2026-11-20T10:50:00.000Z",
                     *       "created_by": "dev@localhost",
                     *       "summary": [
                     *         "may read and list objects in buckets whose names begin with team-, below 2026/"
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Key"];
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 502: components["responses"]["BadGateway"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getKeyHead: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of an API key.
                 * @example 3kTf9ZpQw1Lm
                 */
                readonly id: components["parameters"]["KeyId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The key. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["HeadInvalidRequest"];
            readonly 401: components["responses"]["HeadUnauthorized"];
            readonly 403: components["responses"]["HeadForbidden"];
            readonly 404: components["responses"]["HeadNotFound"];
            readonly 414: components["responses"]["HeadUriTooLong"];
            readonly 429: components["responses"]["HeadRateLimited"];
            readonly 500: components["responses"]["HeadInternal"];
            readonly 502: components["responses"]["HeadBadGateway"];
            readonly 503: components["responses"]["HeadUnavailable"];
        };
    };
    readonly changeKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of an API key.
                 * @example 3kTf9ZpQw1Lm
                 */
                readonly id: components["parameters"]["KeyId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "name": "weekly backup",
                 *       "expires_at": null
                 *     }
                 */
                readonly "application/json": components["schemas"]["KeyChange"];
            };
        };
        readonly responses: {
            /** @description The changed key. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "3kTf9ZpQw1Lm",
                     *       "name": "weekly backup",
                     *       "permissions": [
                     *         {
                     *           "buckets": [
                     *             "team-*"
                     *           ],
                     *           "prefix": "2026/",
                     *           "actions": [
                     *             "read",
                     *             "list"
                     *           ]
                     *         }
                     *       ],
                     *       "tier": "default",
                     *       "state": "active",
                     *       "created_at": "2026-11-20T10:50:00.000Z",
                     *       "created_by": "dev@localhost",
                     *       "summary": [
                     *         "may read and list objects in buckets whose names begin with team-, below 2026/"
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Key"];
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["Conflict"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 502: components["responses"]["BadGateway"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly revokeKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of an API key.
                 * @example 3kTf9ZpQw1Lm
                 */
                readonly id: components["parameters"]["KeyId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                /** @example {} */
                readonly "application/json": components["schemas"]["NoFields"];
            };
        };
        readonly responses: {
            /** @description The revoked key. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "3kTf9ZpQw1Lm",
                     *       "name": "nightly backup",
                     *       "permissions": [
                     *         {
                     *           "buckets": [
                     *             "team-*"
                     *           ],
                     *           "prefix": "2026/",
                     *           "actions": [
                     *             "read",
                     *             "list"
                     *           ]
                     *         }
                     *       ],
                     *       "tier": "default",
                     *       "state": "revoked",
                     *       "created_at": "2026-11-20T10:50:00.000Z",
                     *       "created_by": "dev@localhost",
                     *       "summary": [
                     *         "may read and list objects in buckets whose names begin with team-, below 2026/"
                     *       ],
                     *       "revoked_at": "2026-11-20T10:55:00.000Z",
                     *       "revoked_by": "dev@localhost"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Key"];
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 502: components["responses"]["BadGateway"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly rotateKey: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of an API key.
                 * @example 3kTf9ZpQw1Lm
                 */
                readonly id: components["parameters"]["KeyId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: {
            readonly content: {
                /**
                 * @example {
                 *       "overlap_seconds": 3600
                 *     }
                 */
                readonly "application/json": components["schemas"]["Rotation"];
            };
        };
        readonly responses: {
            /** @description The key, and its new text, once. */
            readonly 201: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key": {
                     *         "id": "3kTf9ZpQw1Lm",
                     *         "name": "nightly backup",
                     *         "permissions": [
                     *           {
                     *             "buckets": [
                     *               "team-*"
                     *             ],
                     *             "prefix": "2026/",
                     *             "actions": [
                     *               "read",
                     *               "list"
                     *             ]
                     *           }
                     *         ],
                     *         "tier": "default",
                     *         "state": "active",
                     *         "created_at": "2026-11-20T10:50:00.000Z",
                     *         "created_by": "dev@localhost",
                     *         "summary": [
                     *           "may read and list objects in buckets whose names begin with team-, below 2026/"
                     *         ]
                     *       },
                     *       "api_key": "osk_3kTf9ZpQw1Lm_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx_000000"
                     *     }
                     */
                    readonly "application/json": components["schemas"]["MadeKey"];
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["Conflict"];
            readonly 413: components["responses"]["PayloadTooLarge"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 502: components["responses"]["BadGateway"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listAuditRecords: {
        readonly parameters: {
            readonly query?: {
                /** @description Entries of the page at most. */
                readonly limit?: components["parameters"]["Limit"];
                /** @description The `next_page_token` of the page before, with the same other parameters. */
                readonly page_token?: components["parameters"]["PageToken"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of records. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "records": [
                     *         {
                     *           "id": "01KAG8Y2M4Q7T9V1X3Z5B7D9F1",
                     *           "at": "2026-11-20T10:50:00.000Z",
                     *           "actor": "dev@localhost",
                     *           "actor_id": "248289761001",
                     *           "action": "create",
                     *           "key_id": "3kTf9ZpQw1Lm",
                     *           "details": {
                     *             "name": "nightly backup",
                     *             "permissions": [
                     *               {
                     *                 "buckets": [
                     *                   "team-*"
                     *                 ],
                     *                 "prefix": "2026/",
                     *                 "actions": [
                     *                   "read",
                     *                   "list"
                     *                 ]
                     *               }
                     *             ],
                     *             "tier": "default"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["AuditPage"];
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 502: components["responses"]["BadGateway"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listAuditRecordsHead: {
        readonly parameters: {
            readonly query?: {
                /** @description Entries of the page at most. */
                readonly limit?: components["parameters"]["Limit"];
                /** @description The `next_page_token` of the page before, with the same other parameters. */
                readonly page_token?: components["parameters"]["PageToken"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of records. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["HeadInvalidRequest"];
            readonly 401: components["responses"]["HeadUnauthorized"];
            readonly 403: components["responses"]["HeadForbidden"];
            readonly 414: components["responses"]["HeadUriTooLong"];
            readonly 429: components["responses"]["HeadRateLimited"];
            readonly 500: components["responses"]["HeadInternal"];
            readonly 502: components["responses"]["HeadBadGateway"];
            readonly 503: components["responses"]["HeadUnavailable"];
        };
    };
    readonly getUsage: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description The id of an API key.
                 * @example 3kTf9ZpQw1Lm
                 */
                readonly key_id: components["parameters"]["UsedKey"];
                /** @description So many days, today included. */
                readonly days?: components["parameters"]["Days"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Requests by class, and those that were refused with 429. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key_id": "3kTf9ZpQw1Lm",
                     *       "from": "2026-11-20",
                     *       "to": "2026-11-20",
                     *       "hours": [
                     *         {
                     *           "hour": "2026-11-20T10:00:00.000Z",
                     *           "read": 12,
                     *           "write": 3,
                     *           "list": 1,
                     *           "sign": 0,
                     *           "connect": 0,
                     *           "limited": 0
                     *         }
                     *       ]
                     *     }
                     */
                    readonly "application/json": components["schemas"]["Usage"];
                };
            };
            readonly 400: components["responses"]["InvalidRequest"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 414: components["responses"]["UriTooLong"];
            readonly 429: components["responses"]["RateLimited"];
            readonly 500: components["responses"]["Internal"];
            readonly 502: components["responses"]["BadGateway"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getUsageHead: {
        readonly parameters: {
            readonly query: {
                /**
                 * @description The id of an API key.
                 * @example 3kTf9ZpQw1Lm
                 */
                readonly key_id: components["parameters"]["UsedKey"];
                /** @description So many days, today included. */
                readonly days?: components["parameters"]["Days"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Requests by class, and those that were refused with 429. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 400: components["responses"]["HeadInvalidRequest"];
            readonly 401: components["responses"]["HeadUnauthorized"];
            readonly 403: components["responses"]["HeadForbidden"];
            readonly 414: components["responses"]["HeadUriTooLong"];
            readonly 429: components["responses"]["HeadRateLimited"];
            readonly 500: components["responses"]["HeadInternal"];
            readonly 502: components["responses"]["HeadBadGateway"];
            readonly 503: components["responses"]["HeadUnavailable"];
        };
    };
}
