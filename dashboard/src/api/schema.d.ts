// Made by npm run openapi.
export interface paths {
    "/api/v2/storage/buckets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the buckets that the API key may see, by name */
        get: operations["listBuckets"];
        put?: never;
        /**
         * Creates a bucket
         * @description Needs `create_bucket` for the bucket, without a prefix.
         */
        post: operations["createBucket"];
        delete?: never;
        options?: never;
        /** Lists the buckets that the API key may see, by name: the headers only */
        head: operations["listBucketsHead"];
        patch?: never;
        trace?: never;
    };
    "/api/v2/storage/buckets/{bucket}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                bucket: components["parameters"]["Bucket"];
            };
            cookie?: never;
        };
        /** Describes a bucket */
        get: operations["getBucket"];
        put?: never;
        post?: never;
        /**
         * Deletes an empty bucket
         * @description Needs `delete_bucket` for the bucket, without a prefix.
         */
        delete: operations["deleteBucket"];
        options?: never;
        /** Describes a bucket: the headers only */
        head: operations["getBucketHead"];
        /** Sets the lifecycle rules of a bucket; needs `delete` for all of it */
        patch: operations["updateBucket"];
        trace?: never;
    };
    "/api/v2/storage/objects/{bucket}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                bucket: components["parameters"]["Bucket"];
            };
            cookie?: never;
        };
        /**
         * Lists objects in the order of the UTF-8 bytes of their keys
         * @description Lists only keys below the prefixes for which the API key has `list`.
         */
        get: operations["listObjects"];
        put?: never;
        post?: never;
        /**
         * Deletes the objects whose keys begin with a prefix
         * @description At most 1000 objects a call, in several commits; repeat it with the token while `has_more` is true. Idempotency-Key cannot be used. Needs `delete` for the whole prefix.
         */
        delete: operations["deleteObjects"];
        options?: never;
        /**
         * Lists objects in the order of the UTF-8 bytes of their keys: the headers only
         * @description Lists only keys below the prefixes for which the API key has `list`.
         */
        head: operations["listObjectsHead"];
        patch?: never;
        trace?: never;
    };
    "/api/v2/storage/objects/{bucket}/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                bucket: components["parameters"]["Bucket"];
                /**
                 * @description The key, percent-encoded. Slashes need no encoding, which OpenAPI cannot express: `%2F` and `/` are equivalent.
                 * @example 2026/cat.jpg
                 */
                key: components["parameters"]["Key"];
            };
            cookie?: never;
        };
        /**
         * Downloads an object, or describes it
         * @description Metadata is returned as `x-object-meta-<name>` headers. With `view=descriptor`, a 200 has no headers of the object except the validators; with `view=versions`, which takes `limit` and `before`, it has none. `as_of` and `version` exclude each other. Needs `read`.
         */
        get: operations["getObject"];
        /**
         * Uploads or replaces an object
         * @description At most 4 MiB; larger uploads need a signed URL. `x-object-meta-<name>` headers are stored as metadata, at most 2048 bytes of names and values in visible ASCII. `Content-Type` is stored. Headers of S3, such as `x-amz-meta-*`, are refused. Needs `write`.
         */
        put: operations["putObject"];
        post?: never;
        /**
         * Deletes an object
         * @description The deletion is a version of its own. Needs `delete`.
         */
        delete: operations["deleteObject"];
        options?: never;
        /**
         * Downloads an object, or describes it: the headers only
         * @description Metadata is returned as `x-object-meta-<name>` headers. With `view=descriptor`, a 200 has no headers of the object except the validators; with `view=versions`, which takes `limit` and `before`, it has none. `as_of` and `version` exclude each other. Needs `read`.
         */
        head: operations["getObjectHead"];
        patch?: never;
        trace?: never;
    };
    "/api/v2/storage/commits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Changes several objects of a bucket, all or nothing
         * @description At most 32 changes, where a move counts as two, and 256 KiB of contents. A copy of more than 5 GiB is alone in its commit, without `if_cursor`, and returns 202. Needs `write` to put, copy or move, `write` and `read` to patch, `delete` to delete; also `read` of what is copied or moved, and `delete` of what is moved.
         */
        post: operations["commit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/storage/buckets/{bucket}/consumers": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                bucket: components["parameters"]["Bucket"];
            };
            cookie?: never;
        };
        /**
         * Lists the consumers of a bucket by name, with their lags
         * @description Needs `sync`. Only those whose prefix the API key may follow.
         */
        get: operations["listConsumers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /**
         * Lists the consumers of a bucket by name, with their lags: the headers only
         * @description Needs `sync`. Only those whose prefix the API key may follow.
         */
        head: operations["listConsumersHead"];
        patch?: never;
        trace?: never;
    };
    "/api/v2/storage/buckets/{bucket}/consumers/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                bucket: components["parameters"]["Bucket"];
                /**
                 * @description The name of a consumer.
                 * @example indexer
                 */
                name: components["parameters"]["ConsumerName"];
            };
            cookie?: never;
        };
        /**
         * Returns a consumer, and how far it is behind
         * @description Needs `sync` for the prefix of the consumer.
         */
        get: operations["getConsumer"];
        /**
         * Stores the cursor of a consumer, and creates it if there is none
         * @description Needs `sync` for the prefix. Without `if_cursor` the cursor only moves forward.
         */
        put: operations["putConsumer"];
        post?: never;
        /**
         * Deletes a consumer
         * @description Needs `sync` for the prefix of the consumer.
         */
        delete: operations["deleteConsumer"];
        options?: never;
        /**
         * Returns a consumer, and how far it is behind: the headers only
         * @description Needs `sync` for the prefix of the consumer.
         */
        head: operations["getConsumerHead"];
        patch?: never;
        trace?: never;
    };
    "/api/v2/storage/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Brings the keys of a bucket back to what they were at a cursor
         * @description Changes at most 256 objects a call, in several commits; repeat it with the token while `has_more` is true. Idempotency-Key cannot be used. Needs `list`, `read`, `write` and `delete` for the whole prefix.
         */
        post: operations["restoreObjects"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/storage/signed-url": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates a short-lived URL that needs no API key
         * @description For downloads, uploads of up to 5 TiB, and tickets for the change channel. Needs `sign`, and `read`, `write` or `sync`. Idempotency-Key cannot be used with a ticket.
         */
        post: operations["signUrl"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/storage/uploads/{upload_id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `upload_id` of a signed URL or of a multipart upload.
                 * @example 01KAG8Y2M4Q7T9V1X3Z5B7D9F1
                 */
                upload_id: components["parameters"]["UploadId"];
            };
            cookie?: never;
        };
        /**
         * Says what became of an upload by a signed URL
         * @description Until 7 days after the upload was committed or discarded. Needs `write` for the object: without it the response is 404.
         */
        get: operations["getUpload"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /**
         * Says what became of an upload by a signed URL: the headers only
         * @description Until 7 days after the upload was committed or discarded. Needs `write` for the object: without it the response is 404.
         */
        head: operations["getUploadHead"];
        patch?: never;
        trace?: never;
    };
    "/api/v2/storage/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the links of a bucket
         * @description Only those to keys for which the API key has `sign`.
         */
        get: operations["listLinks"];
        put?: never;
        /**
         * Makes a link, which opens an object for everybody who has it
         * @description Needs `sign` and `read`. The link ends with the API key, and can be revoked. The URL is returned once.
         */
        post: operations["createLink"];
        delete?: never;
        options?: never;
        /**
         * Lists the links of a bucket: the headers only
         * @description Only those to keys for which the API key has `sign`.
         */
        head: operations["listLinksHead"];
        patch?: never;
        trace?: never;
    };
    "/api/v2/storage/links/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a link.
                 * @example 8sKq2LmVx0TzQ3v_9f-2KdLmN0pRsT1uVw
                 */
                id: components["parameters"]["LinkId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revokes a link
         * @description Needs `sign` for the key of its object.
         */
        delete: operations["deleteLink"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/storage/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Makes a temporary key
         * @description It may do a part of what the API key may that makes it, and ends with it. Nothing is stored, so that a request can be repeated.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/storage/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads the changes of a bucket after a cursor
         * @description With `Upgrade: websocket`, the same address opens the change channel, which this document does not describe. Needs `sync` for the whole prefix.
         */
        get: operations["readChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /**
         * Reads the changes of a bucket after a cursor: the headers only
         * @description With `Upgrade: websocket`, the same address opens the change channel, which this document does not describe. Needs `sync` for the whole prefix.
         */
        head: operations["readChangesHead"];
        patch?: never;
        trace?: never;
    };
    "/admin/v1/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the settings that the dashboard needs before a person signs in */
        get: operations["getConfiguration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /** Returns the settings that the dashboard needs before a person signs in: the headers only */
        head: operations["getConfigurationHead"];
        patch?: never;
        trace?: never;
    };
    "/admin/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates an API key for the dashboard itself
         * @description The key has all permissions. It is valid for at most 3600 s, and no longer than the access token. DELETE ends it.
         */
        post: operations["openSession"];
        /**
         * Signs out: revokes every key that POST has created for this person
         * @description Keys that this person has created under `/keys` stay.
         */
        delete: operations["endSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the API keys in no particular order
         * @description A page may have fewer keys than `limit` and still be followed by another.
         */
        get: operations["listKeys"];
        put?: never;
        /** Creates an API key */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        /**
         * Lists the API keys in no particular order: the headers only
         * @description A page may have fewer keys than `limit` and still be followed by another.
         */
        head: operations["listKeysHead"];
        patch?: never;
        trace?: never;
    };
    "/admin/v1/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of an API key.
                 * @example 3kTf9ZpQw1Lm
                 */
                id: components["parameters"]["KeyId"];
            };
            cookie?: never;
        };
        /** Describes an API key */
        get: operations["getKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /** Describes an API key: the headers only */
        head: operations["getKeyHead"];
        /**
         * Changes settings of an API key
         * @description Changes the fields in the body. The others keep their values.
         */
        patch: operations["changeKey"];
        trace?: never;
    };
    "/admin/v1/keys/{id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of an API key.
                 * @example 3kTf9ZpQw1Lm
                 */
                id: components["parameters"]["KeyId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revokes an API key permanently
         * @description A repeated request gets the same response and changes nothing.
         */
        post: operations["revokeKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of an API key.
                 * @example 3kTf9ZpQw1Lm
                 */
                id: components["parameters"]["KeyId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replaces the secret of an API key
         * @description The old secret is valid until the overlap ends. A second rotation ends the overlap immediately.
         */
        post: operations["rotateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the changes of API keys, newest first */
        get: operations["listAuditRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /** Lists the changes of API keys, newest first: the headers only */
        head: operations["listAuditRecordsHead"];
        patch?: never;
        trace?: never;
    };
    "/admin/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the number of requests of an API key, by hour */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /** Returns the number of requests of an API key, by hour: the headers only */
        head: operations["getUsageHead"];
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @description 3 to 63 characters, beginning and ending with a letter or digit.
         * @example photos
         */
        BucketName: string;
        /**
         * @description 1 to 900 bytes of UTF-8 without control characters and without a segment `.` or `..`. Stored byte for byte.
         * @example 2026/cat.jpg
         */
        ObjectKey: string;
        /**
         * @description The beginning of keys. Empty: all keys.
         * @example 2026/
         */
        Prefix: string;
        /**
         * @description Identifies one incarnation of a bucket: a bucket that is deleted and created again has another id.
         * @example 8sKq2LmVx0Tz
         */
        BucketId: string;
        /**
         * @description A cursor: a place in the change log of a bucket, whose entries have the cursors 1, 2, 3, …
         * @example 8
         */
        Cursor: number;
        /**
         * Format: date-time
         * @description ISO 8601 in UTC with milliseconds.
         * @example 2026-11-20T10:51:00.120Z
         */
        Time: string;
        /**
         * @description 12 letters and digits.
         * @example 3kTf9ZpQw1Lm
         */
        ApiKeyId: string;
        /** @description The API key itself. It is shown once and never stored. */
        ApiKeyText: string;
        /**
         * @description Names a consumer within its bucket.
         * @example indexer
         */
        ConsumerName: string;
        /**
         * @description Identifies a link. It does not open it.
         * @example 8sKq2LmVx0TzQ3v_9f-2KdLmN0pRsT1uVw
         */
        LinkId: string;
        /**
         * @description A ULID, which sorts by time.
         * @example 01KAG8Y2M4Q7T9V1X3Z5B7D9F1
         */
        AuditId: string;
        NewBucket: {
            name: components["schemas"]["BucketName"];
        };
        Bucket: {
            name: components["schemas"]["BucketName"];
            bucket_id: components["schemas"]["BucketId"];
            created_at: components["schemas"]["Time"];
            cursor: components["schemas"]["Cursor"];
            /** @description Number of objects, delayed by a few seconds. Absent for keys that are confined to prefixes. */
            object_count?: number;
            /** @description Bytes of the current versions; as `object_count`. */
            total_size?: number;
            /** @description Absent when there are none; as `object_count`. */
            lifecycle?: {
                /** @description Age of a version, in days, at which its object is deleted. */
                expire_after_days: number;
                prefix?: components["schemas"]["Prefix"];
            }[];
        };
        BucketChange: {
            /** @description In place of the rules that there are. */
            lifecycle: {
                /** @description Age of a version, in days, at which its object is deleted. */
                expire_after_days: number;
                prefix?: components["schemas"]["Prefix"];
            }[];
        };
        BucketPage: {
            buckets: components["schemas"]["Bucket"][];
            /** @description The `page_token` of the next page. Absent on the last one. */
            next_page_token?: string;
        };
        ObjectDescriptor: {
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
            /** @description Bytes. */
            size: number;
            /** @description Opaque, without quotes. */
            etag: string;
            /** @description 1 for a new key; each change of the key increments it. */
            version: number;
            cursor: components["schemas"]["Cursor"];
            created_at: components["schemas"]["Time"];
            updated_at: components["schemas"]["Time"];
            /** @description As sent. */
            content_type: string;
            /** @description Names in lower case; at most 2048 bytes of names and values. */
            metadata: {
                [key: string]: string;
            };
            /** @description SHA-256 of the bytes, in base64. */
            checksum_sha256?: string;
            /** @description When the service deletes the object. Absent: never. */
            expires_at?: components["schemas"]["Time"];
        };
        DeletedObject: {
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
            /** @description The version of the deletion. */
            version: number;
            cursor: components["schemas"]["Cursor"];
            deleted_at: components["schemas"]["Time"];
        };
        VersionPage: {
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
            /** @description Newest first. */
            versions: components["schemas"]["ObjectVersion"][];
            /** @description The `before` of the next page. Absent on the last one. */
            next_before?: number;
        };
        ObjectVersion: {
            /** @description 1 for a new key; each change of the key increments it. */
            version: number;
            cursor: components["schemas"]["Cursor"];
            /** @enum {unknown} */
            type: "put" | "delete";
            at: components["schemas"]["Time"];
            /** @description Bytes. Absent from a deletion, as `etag` and `content_type`. */
            size?: number;
            /** @description Opaque, without quotes. */
            etag?: string;
            /** @description As sent. */
            content_type?: string;
            /**
             * @description The service deleted the object by itself, because it had expired.
             * @constant
             */
            cause?: "expired";
            /** @description The id of the API key that made the change. Absent when it is not known. */
            by?: string;
        };
        ObjectPage: {
            objects: components["schemas"]["ObjectDescriptor"][];
            /** @description The prefixes into which the delimiter grouped keys. */
            prefixes: string[];
            cursor: components["schemas"]["Cursor"];
            bucket_id: components["schemas"]["BucketId"];
            /** @description The `page_token` of the next page. Absent on the last one. */
            next_page_token?: string;
        };
        Change: {
            cursor: components["schemas"]["Cursor"];
            /** @constant */
            type: "put";
            object: components["schemas"]["ObjectDescriptor"];
            /** @description The first and the last cursor of the commit that made this change together with others. Absent when it was made alone. */
            commit?: {
                from: components["schemas"]["Cursor"];
                to: components["schemas"]["Cursor"];
            };
        } | {
            cursor: components["schemas"]["Cursor"];
            /** @constant */
            type: "delete";
            object: components["schemas"]["DeletedObject"];
            /** @description The first and the last cursor of the commit that made this change together with others. Absent when it was made alone. */
            commit?: {
                from: components["schemas"]["Cursor"];
                to: components["schemas"]["Cursor"];
            };
            /**
             * @description The service deleted the object by itself, because it had expired.
             * @constant
             */
            cause?: "expired";
        };
        ChangesPage: {
            bucket: components["schemas"]["BucketName"];
            bucket_id: components["schemas"]["BucketId"];
            from: components["schemas"]["Cursor"];
            to: components["schemas"]["Cursor"];
            head: components["schemas"]["Cursor"];
            /** @description More changes can be read without waiting. */
            has_more: boolean;
            /** @description The changes with cursors after `from` up to `to`, in order; whole commits, never a part of one. */
            changes: components["schemas"]["Change"][];
            digest?: components["schemas"]["LogDigest"];
        };
        LogDigest: {
            /** @description SHA-256, in base64. */
            sha256: string;
            since: components["schemas"]["Cursor"];
        };
        /** Upload of a few bytes */
        PutChange: {
            /** @constant */
            op: "put";
            key: components["schemas"]["ObjectKey"];
            /** @description The bytes in base64. */
            content: string;
            /**
             * @description Stored with the object. An upload by a signed URL must have exactly this.
             * @example video/mp4
             */
            content_type?: string;
            /** @description Stored with the object, as the header of this name with PUT. */
            cache_control?: string;
            /** @description Stored with the object, as the header of this name with PUT. */
            content_disposition?: string;
            /** @description Stored with the object, as the header of this name with PUT. */
            content_encoding?: string;
            /** @description Stored with the object, as the header of this name with PUT. */
            content_language?: string;
            /** @description Stored with the object. Names in lower case that may be those of headers; at most 2048 bytes of names and values. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description When the service deletes the object, in the future. Absent: never.
             * @example 2027-01-31T12:00:00Z
             */
            expires_at?: string;
            /** @description The commit succeeds only if the object has this etag. */
            if_match?: string;
            /**
             * @description The commit succeeds only if there is no such object.
             * @constant
             */
            if_none_match?: "*";
        };
        /** Staged upload */
        PutUploadChange: {
            /** @constant */
            op: "put";
            key: components["schemas"]["ObjectKey"];
            /** @description The id of an upload by a signed URL with `"commit": false`. */
            upload_id: string;
            /** @description The commit succeeds only if the object has this etag. */
            if_match?: string;
            /**
             * @description The commit succeeds only if there is no such object.
             * @constant
             */
            if_none_match?: "*";
        };
        /** Copy of an object */
        CopyChange: {
            /** @constant */
            op: "copy";
            key: components["schemas"]["ObjectKey"];
            from: {
                key: components["schemas"]["ObjectKey"];
                bucket?: components["schemas"]["BucketName"];
                /** @description An older version. Absent: the current one. */
                version?: number;
            };
            /**
             * @description Stored with the object. An upload by a signed URL must have exactly this.
             * @example video/mp4
             */
            content_type?: string;
            /** @description Stored with the object, as the header of this name with PUT. */
            cache_control?: string;
            /** @description Stored with the object, as the header of this name with PUT. */
            content_disposition?: string;
            /** @description Stored with the object, as the header of this name with PUT. */
            content_encoding?: string;
            /** @description Stored with the object, as the header of this name with PUT. */
            content_language?: string;
            /** @description Stored with the object. Names in lower case that may be those of headers; at most 2048 bytes of names and values. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description When the service deletes the object, in the future. Absent: never.
             * @example 2027-01-31T12:00:00Z
             */
            expires_at?: string;
            /** @description The commit succeeds only if the object has this etag. */
            if_match?: string;
            /**
             * @description The commit succeeds only if there is no such object.
             * @constant
             */
            if_none_match?: "*";
        };
        /** Copy whose source is deleted */
        MoveChange: {
            /** @constant */
            op: "move";
            key: components["schemas"]["ObjectKey"];
            from: {
                key: components["schemas"]["ObjectKey"];
            };
            /** @description The commit succeeds only if the object has this etag. */
            if_match?: string;
            /**
             * @description The commit succeeds only if there is no such object.
             * @constant
             */
            if_none_match?: "*";
        };
        /** Other metadata, content headers or expiry for the same bytes */
        PatchChange: {
            /** @constant */
            op: "patch";
            key: components["schemas"]["ObjectKey"];
            /**
             * @description Stored with the object. An upload by a signed URL must have exactly this.
             * @example video/mp4
             */
            content_type?: string;
            /** @description Stored with the object, as the header of this name with PUT. */
            cache_control?: string;
            /** @description Stored with the object, as the header of this name with PUT. */
            content_disposition?: string;
            /** @description Stored with the object, as the header of this name with PUT. */
            content_encoding?: string;
            /** @description Stored with the object, as the header of this name with PUT. */
            content_language?: string;
            /** @description Stored with the object. Names in lower case that may be those of headers; at most 2048 bytes of names and values. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description When the service deletes the object, in the future. null: never.
             * @example 2027-01-31T12:00:00Z
             */
            expires_at?: string | null;
            /** @description The commit succeeds only if the object has this etag. */
            if_match?: string;
            /**
             * @description The commit succeeds only if there is no such object.
             * @constant
             */
            if_none_match?: "*";
        } | {
            content_type: unknown;
        } | {
            cache_control: unknown;
        } | {
            content_disposition: unknown;
        } | {
            content_encoding: unknown;
        } | {
            content_language: unknown;
        } | {
            metadata: unknown;
        } | {
            expires_at: unknown;
        };
        /** Deletion */
        DeleteChange: {
            /** @constant */
            op: "delete";
            key: components["schemas"]["ObjectKey"];
            /** @description Whether an object that does not exist is left out instead of refused. */
            if_exists?: boolean;
            /** @description The commit succeeds only if the object has this etag. */
            if_match?: string;
            /**
             * @description The commit succeeds only if there is no such object.
             * @constant
             */
            if_none_match?: "*";
        };
        CommitRequest: {
            bucket: components["schemas"]["BucketName"];
            changes: (components["schemas"]["PutChange"] | components["schemas"]["PutUploadChange"] | components["schemas"]["CopyChange"] | components["schemas"]["MoveChange"] | components["schemas"]["PatchChange"] | components["schemas"]["DeleteChange"])[];
            /** @description The commit succeeds only if nothing in the bucket has changed since this cursor. */
            if_cursor?: number;
            /** @description The commit succeeds only in this incarnation of the bucket: a cursor of a bucket that was deleted cannot match one of a bucket that was created again. */
            bucket_id?: components["schemas"]["BucketId"];
        };
        CommitResult: {
            bucket: components["schemas"]["BucketName"];
            /** @description In the order of their cursors; a move has made two. */
            changes: (components["schemas"]["ObjectDescriptor"] | components["schemas"]["DeletedObject"])[];
            from?: components["schemas"]["Cursor"];
            to?: components["schemas"]["Cursor"];
        };
        DeletedObjects: {
            bucket: components["schemas"]["BucketName"];
            /** @description How many objects were deleted. */
            deleted: number;
            /** @description Objects with the prefix may be left. */
            has_more: boolean;
            from?: components["schemas"]["Cursor"];
            to?: components["schemas"]["Cursor"];
            /** @description The `page_token` of the next call. Absent when nothing is left. */
            next_page_token?: string;
        };
        NewCursor: {
            cursor: components["schemas"]["Cursor"];
            /** @description The cursor at which the consumer must be; null: there must be no such consumer. Absent: any that is not beyond `cursor`. */
            if_cursor?: number | null;
            /** @description The consumer follows the keys that begin with it. Absent: all keys. */
            prefix?: components["schemas"]["Prefix"];
            /** @description The incarnation of the bucket to which the cursor belongs. */
            bucket_id?: components["schemas"]["BucketId"];
        };
        StoredConsumer: {
            bucket: components["schemas"]["BucketName"];
            bucket_id: components["schemas"]["BucketId"];
            name: components["schemas"]["ConsumerName"];
            cursor: components["schemas"]["Cursor"];
            updated_at: components["schemas"]["Time"];
            /** @description The consumer follows the keys that begin with it. Absent: all keys. */
            prefix?: components["schemas"]["Prefix"];
        };
        Consumer: {
            bucket: components["schemas"]["BucketName"];
            bucket_id: components["schemas"]["BucketId"];
            name: components["schemas"]["ConsumerName"];
            cursor: components["schemas"]["Cursor"];
            updated_at: components["schemas"]["Time"];
            /** @description Cursors between the consumer and the newest published change. */
            lag: number;
            /** @description Age of the oldest change that the consumer is not done with; 0 when there is none. */
            lag_seconds: number;
            /** @description Changes after the cursor are no longer kept: the consumer has to start over. */
            behind_retention: boolean;
            /** @description The consumer follows the keys that begin with it. Absent: all keys. */
            prefix?: components["schemas"]["Prefix"];
        };
        ConsumerPage: {
            consumers: components["schemas"]["Consumer"][];
            /** @description The `page_token` of the next page. Absent on the last one. */
            next_page_token?: string;
        };
        RestoreRequest: {
            bucket: components["schemas"]["BucketName"];
            as_of: components["schemas"]["Cursor"];
            prefix?: components["schemas"]["Prefix"];
            /**
             * @description Only says what would change.
             * @default false
             */
            dry_run: boolean;
            /** @description The `next_page_token` of the previous call, with the same other fields. */
            page_token?: string;
        };
        RestoreResult: {
            bucket: components["schemas"]["BucketName"];
            as_of: components["schemas"]["Cursor"];
            /** @description Objects that have their earlier content again. */
            restored: number;
            /** @description Objects that did not exist then. */
            deleted: number;
            /** @description Objects that are as they were. */
            unchanged: number;
            /** @description Another call is needed. */
            has_more: boolean;
            from?: components["schemas"]["Cursor"];
            to?: components["schemas"]["Cursor"];
            /** @constant */
            dry_run?: true;
            /** @description Of a dry run: what would change. */
            changes?: components["schemas"]["RestoredKey"][];
            /** @description Objects that are left as they are. */
            failed?: components["schemas"]["FailedKey"][];
            /** @description The `page_token` of the next call. Absent from the last one. */
            next_page_token?: string;
        };
        RestoredKey: {
            key: components["schemas"]["ObjectKey"];
            /** @enum {unknown} */
            type: "put" | "delete";
            /** @description The version whose content the object gets. */
            version?: number;
            /** @description Its bytes. */
            size?: number;
        };
        FailedKey: {
            key: components["schemas"]["ObjectKey"];
            /** @enum {unknown} */
            reason: "too_large" | "expired";
        };
        /** Download */
        SignDownload: {
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
            /** @constant */
            method: "GET";
            /**
             * @description Seconds from the beginning of the second in which the URL is signed.
             * @default 300
             */
            expires_in: number;
            /**
             * @description `attachment` or `inline`, optionally with `; filename="…"`.
             * @example attachment; filename="my cat.jpg"
             */
            content_disposition?: string;
        };
        /** Upload in one request */
        SignUpload: {
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
            /** @constant */
            method: "PUT";
            /**
             * @description Seconds from the beginning of the second in which the URL is signed.
             * @default 300
             */
            expires_in: number;
            /**
             * @description Stored with the object. An upload by a signed URL must have exactly this.
             * @example video/mp4
             */
            content_type?: string;
            /** @description Stored with the object, as the header of this name with PUT. */
            cache_control?: string;
            /** @description Stored with the object, as the header of this name with PUT. */
            content_disposition?: string;
            /** @description Stored with the object, as the header of this name with PUT. */
            content_encoding?: string;
            /** @description Stored with the object, as the header of this name with PUT. */
            content_language?: string;
            /** @description Stored with the object. Names in lower case that may be those of headers; at most 2048 bytes of names and values. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description When the service deletes the object that the upload becomes, in the future. Absent: never. `expires_at` of the response is about the URL.
             * @example 2027-01-31T12:00:00Z
             */
            object_expires_at?: string;
            /**
             * @description `false`: the upload stays staged until a commit names it. Excludes conditions.
             * @default true
             */
            commit: boolean;
            /**
             * @description The upload succeeds only if the object does not exist when it arrives.
             * @constant
             */
            if_none_match?: "*";
            /** @description The upload succeeds only if the object has this etag when it arrives. */
            if_match?: string;
            /** @description The exact number of bytes of the upload. */
            content_length?: number;
            /** @description SHA-256 of the bytes, in base64. */
            checksum_sha256?: string;
        };
        /** Upload in parts */
        SignMultipartUpload: {
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
            /** @constant */
            method: "PUT";
            multipart: {
                /** @description Bytes of the upload. */
                size: number;
                /** @description Bytes of every part but the last. */
                part_size?: number;
            };
            /**
             * @description Seconds from the beginning of the second in which the URL is signed.
             * @default 300
             */
            expires_in: number;
            /**
             * @description Stored with the object. An upload by a signed URL must have exactly this.
             * @example video/mp4
             */
            content_type?: string;
            /** @description Stored with the object, as the header of this name with PUT. */
            cache_control?: string;
            /** @description Stored with the object, as the header of this name with PUT. */
            content_disposition?: string;
            /** @description Stored with the object, as the header of this name with PUT. */
            content_encoding?: string;
            /** @description Stored with the object, as the header of this name with PUT. */
            content_language?: string;
            /** @description Stored with the object. Names in lower case that may be those of headers; at most 2048 bytes of names and values. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description When the service deletes the object that the upload becomes, in the future. Absent: never. `expires_at` of the response is about the URL.
             * @example 2027-01-31T12:00:00Z
             */
            object_expires_at?: string;
            /**
             * @description `false`: the upload stays staged until a commit names it. Excludes conditions.
             * @default true
             */
            commit: boolean;
            /**
             * @description The upload succeeds only if the object does not exist when it arrives.
             * @constant
             */
            if_none_match?: "*";
            /** @description The upload succeeds only if the object has this etag when it arrives. */
            if_match?: string;
        };
        /** Further parts of an upload */
        SignPartsAgain: {
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
            /** @constant */
            method: "PUT";
            multipart: {
                /** @description The id of a pending upload, whose URLs are signed again. */
                upload_id: string;
            };
            /**
             * @description Seconds from the beginning of the second in which the URL is signed.
             * @default 300
             */
            expires_in: number;
        };
        /** Ticket for the channel */
        SignTicket: {
            bucket: components["schemas"]["BucketName"];
            /** @constant */
            method: "SYNC";
            prefix?: components["schemas"]["Prefix"];
        };
        SignRequest: components["schemas"]["SignDownload"] | components["schemas"]["SignUpload"] | components["schemas"]["SignMultipartUpload"] | components["schemas"]["SignPartsAgain"] | components["schemas"]["SignTicket"];
        SignedDownload: {
            /**
             * Format: uri
             * @description Works without an API key until it expires.
             */
            url: string;
            /** @constant */
            method: "GET";
            /** @description Headers that the client must send with the URL. */
            headers: {
                [key: string]: string;
            };
            expires_at: components["schemas"]["Time"];
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
            /** @description The version that the URL serves. */
            version: number;
            /** @description Bytes. */
            size: number;
            /** @description Opaque, without quotes. */
            etag: string;
        };
        SignedUpload: {
            /**
             * Format: uri
             * @description Works without an API key until it expires.
             */
            url: string;
            /** @constant */
            method: "PUT";
            /** @description Headers that the client must send with the URL. */
            headers: {
                [key: string]: string;
            };
            expires_at: components["schemas"]["Time"];
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
            /** @description The id of the upload. */
            upload_id: string;
        };
        MultipartUpload: {
            /** @description The id of the upload. */
            upload_id: string;
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
            /** @description Bytes of every part but the last. */
            part_size: number;
            parts: {
                /** @description The number of the part. */
                number: number;
                /**
                 * Format: uri
                 * @description Works without an API key until it expires.
                 */
                url: string;
            }[];
            complete: {
                /**
                 * Format: uri
                 * @description Works without an API key until it expires.
                 */
                url: string;
                /** @constant */
                method: "POST";
                /** @description Headers that the client must send with the URL. */
                headers: {
                    [key: string]: string;
                };
            };
            abort: {
                /**
                 * Format: uri
                 * @description Works without an API key until it expires.
                 */
                url: string;
                /** @constant */
                method: "DELETE";
                /** @description Headers that the client must send with the URL. */
                headers: {
                    [key: string]: string;
                };
            };
            expires_at: components["schemas"]["Time"];
        };
        SignedRequest: components["schemas"]["SignedDownload"] | components["schemas"]["SignedUpload"] | components["schemas"]["MultipartUpload"] | components["schemas"]["Ticket"];
        UploadState: {
            /** @description The id of the upload. */
            upload_id: string;
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
            /**
             * @description `pending` until S3 has reported the bytes, `staged` until a commit names them.
             * @enum {string}
             */
            state: "pending" | "staged" | "committed" | "discarded";
            /** @description The change that committed the upload. */
            object?: {
                bucket: components["schemas"]["BucketName"];
                key: components["schemas"]["ObjectKey"];
                /** @description The version that the upload became. */
                version: number;
                cursor: components["schemas"]["Cursor"];
            };
            expires_at?: components["schemas"]["Time"];
            /** @description Why the upload was discarded: `forbidden`, `size_mismatch`, `precondition_failed`, `bucket_deleted`, `expired`, `replaced`, `source_deleted`. */
            reason?: string;
        };
        Ticket: {
            /**
             * Format: uri
             * @description Works without an API key until it expires.
             */
            url: string;
            /** @constant */
            method: "SYNC";
            /** @description Headers that the client must send with the URL. */
            headers: {
                [key: string]: string;
            };
            expires_at: components["schemas"]["Time"];
            bucket: components["schemas"]["BucketName"];
            prefix?: components["schemas"]["Prefix"];
        };
        NewToken: {
            /** @description Each must lie within a permission of the API key. */
            permissions: components["schemas"]["Permission"][];
            /**
             * @description Seconds.
             * @default 3600
             */
            expires_in: number;
        };
        Token: {
            /** @description The temporary key, for `Authorization: Bearer`. */
            token: string;
            permissions: components["schemas"]["Permission"][];
            expires_at: components["schemas"]["Time"];
            key_id: components["schemas"]["ApiKeyId"];
        };
        NewLink: {
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
            /** @description The version that the link opens. Absent: the current one, whichever it is. */
            version?: number;
            /** @description How often the link can be opened. Absent: any number of times. */
            max_uses?: number;
            /** @description Shown on the page of the link, and in the list. */
            note?: string;
            /**
             * @description `attachment` or `inline`, optionally with `; filename="…"`.
             * @example attachment; filename="my cat.jpg"
             */
            disposition?: string;
            /**
             * @description Seconds.
             * @default 604800
             */
            expires_in: number;
            /** @description Opening the link needs it. */
            password?: string;
        };
        Link: {
            id: components["schemas"]["LinkId"];
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
            created_at: components["schemas"]["Time"];
            /** @description The id of the API key, or the name of the person. */
            created_by: string;
            expires_at: components["schemas"]["Time"];
            /** @description How often the link was opened. */
            uses: number;
            /** @description Whether opening it needs a password. */
            has_password: boolean;
            /** @description The version that the link opens. Absent: the current one, whichever it is. */
            version?: number;
            /** @description How often the link can be opened. Absent: any number of times. */
            max_uses?: number;
            /** @description Shown on the page of the link, and in the list. */
            note?: string;
            /** @description Content-Disposition of the download. */
            disposition?: string;
        };
        CreatedLink: {
            id: components["schemas"]["LinkId"];
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
            created_at: components["schemas"]["Time"];
            /** @description The id of the API key, or the name of the person. */
            created_by: string;
            expires_at: components["schemas"]["Time"];
            /** @description How often the link was opened. */
            uses: number;
            /** @description Whether opening it needs a password. */
            has_password: boolean;
            /**
             * Format: uri
             * @description The link itself, which is shown once.
             */
            url: string;
            /** @description The version that the link opens. Absent: the current one, whichever it is. */
            version?: number;
            /** @description How often the link can be opened. Absent: any number of times. */
            max_uses?: number;
            /** @description Shown on the page of the link, and in the list. */
            note?: string;
            /** @description Content-Disposition of the download. */
            disposition?: string;
        };
        LinkPage: {
            links: components["schemas"]["Link"][];
            /** @description The `page_token` of the next page. Absent on the last one. */
            next_page_token?: string;
        };
        Permission: {
            buckets: string[];
            actions: ("read" | "write" | "delete" | "list" | "sync" | "sign" | "create_bucket" | "delete_bucket")[];
            prefix?: components["schemas"]["Prefix"];
        };
        NewKey: {
            /**
             * @description 1 to 100 characters without control characters; surrounding white space is removed.
             * @example nightly backup
             */
            name: string;
            /** @description The key has the union of the permissions. */
            permissions: components["schemas"]["Permission"][];
            /**
             * @description The rate limits that the key has.
             * @example default
             */
            tier?: string;
            /**
             * @description In the future; with date, time and zone.
             * @example 2027-01-31T12:00:00Z
             */
            expires_at?: string;
        };
        KeyChange: {
            /**
             * @description 1 to 100 characters without control characters; surrounding white space is removed.
             * @example nightly backup
             */
            name?: string;
            /** @description The key has the union of the permissions. */
            permissions?: components["schemas"]["Permission"][];
            /**
             * @description The rate limits that the key has.
             * @example default
             */
            tier?: string;
            /**
             * @description As for a new key; null removes the expiry.
             * @example 2027-01-31T12:00:00Z
             */
            expires_at?: string | null;
        };
        Rotation: {
            /**
             * @description How long the old secret remains valid, in seconds.
             * @default 86400
             */
            overlap_seconds: number;
        };
        NoFields: Record<string, never>;
        Key: {
            id: components["schemas"]["ApiKeyId"];
            /** @description The name for people. */
            name: string;
            permissions: components["schemas"]["Permission"][];
            /** @description The rate limits that the key has. */
            tier: string;
            /** @enum {string} */
            state: "active" | "expired" | "revoked";
            created_at: components["schemas"]["Time"];
            /** @description The permissions in plain words. */
            summary: string[];
            /** @description The administrator who created it. */
            created_by?: string;
            expires_at?: components["schemas"]["Time"];
            revoked_at?: components["schemas"]["Time"];
            /** @description The administrator who revoked it. */
            revoked_by?: string;
            /** @description Until when the previous secret is valid, too. */
            rotating_until?: components["schemas"]["Time"];
            /** @description Accurate to the hour. Absent: never. */
            last_used_at?: components["schemas"]["Time"];
            /** @description Requests in the hour of `last_used_at`. */
            rate?: {
                /** @description Requests of class `read`. */
                read: number;
                /** @description Requests of class `write`. */
                write: number;
                /** @description Requests of class `list`. */
                list: number;
                /** @description Requests of class `sign`. */
                sign: number;
                /** @description Requests of class `wait`. */
                wait: number;
                /** @description Requests of class `connect`. */
                connect: number;
                /** @description Requests that got 429. */
                limited: number;
            };
        };
        KeyPage: {
            keys: components["schemas"]["Key"][];
            /** @description The `page_token` of the next page. Absent on the last one. */
            next_page_token?: string;
        };
        KeyWithSecret: {
            key: components["schemas"]["Key"];
            api_key: components["schemas"]["ApiKeyText"];
        };
        Session: {
            api_key: components["schemas"]["ApiKeyText"];
            key_id: components["schemas"]["ApiKeyId"];
            expires_at: components["schemas"]["Time"];
        };
        EndedSessions: {
            /** @description Revoked keys. */
            revoked: number;
        };
        AuditRecord: {
            id: components["schemas"]["AuditId"];
            at: components["schemas"]["Time"];
            /** @description The administrator’s name at the issuer; the name of an API key. */
            actor: string;
            /** @description The `sub` of the token; the id of the API key. */
            actor_id: string;
            /** @enum {string} */
            action: "create" | "change" | "revoke" | "rotate" | "session" | "delete_bucket";
            /** @description The key that was changed, or with which the bucket was deleted. */
            key_id: string;
            /** @description The settings that were set or changed, by field, or the bucket. Never a secret. */
            details: {
                [key: string]: unknown;
            };
        };
        AuditPage: {
            records: components["schemas"]["AuditRecord"][];
            /** @description The `page_token` of the next page. Absent on the last one. */
            next_page_token?: string;
        };
        Usage: {
            key_id: components["schemas"]["ApiKeyId"];
            /**
             * Format: date
             * @description A day in UTC.
             * @example 2026-11-20
             */
            from: string;
            /**
             * Format: date
             * @description A day in UTC.
             * @example 2026-11-20
             */
            to: string;
            /** @description Oldest first, without gaps, up to the current hour. */
            hours: {
                hour: components["schemas"]["Time"];
                /** @description Requests of class `read`. */
                read: number;
                /** @description Requests of class `write`. */
                write: number;
                /** @description Requests of class `list`. */
                list: number;
                /** @description Requests of class `sign`. */
                sign: number;
                /** @description Requests of class `wait`. */
                wait: number;
                /** @description Requests of class `connect`. */
                connect: number;
                /** @description Requests that got 429. */
                limited: number;
            }[];
        };
        Configuration: {
            /**
             * Format: uri
             * @description The OpenID Connect issuer of the administrators.
             */
            issuer: string;
            /** @description The public client at the issuer, which has no secret. */
            client_id: string;
            scopes: string[];
            /** @description Further query parameters of the authorization request. */
            authorize_parameters: {
                [key: string]: string;
            };
            /** @description The base path of the storage API. */
            api_base: string;
            /**
             * Format: uri
             * @description The address of the change channel.
             */
            sync_url: string;
            actions: ("read" | "write" | "delete" | "list" | "sync" | "sign" | "create_bucket" | "delete_bucket")[];
            tiers: string[];
            /** @description The limits of each tier. */
            rate_tiers: {
                [key: string]: {
                    read: {
                        /** @description Requests per second. */
                        rate: number;
                        /** @description Requests at once. */
                        burst: number;
                    };
                    write: {
                        /** @description Requests per second. */
                        rate: number;
                        /** @description Requests at once. */
                        burst: number;
                    };
                    list: {
                        /** @description Requests per second. */
                        rate: number;
                        /** @description Requests at once. */
                        burst: number;
                    };
                    sign: {
                        /** @description Requests per second. */
                        rate: number;
                        /** @description Requests at once. */
                        burst: number;
                    };
                    wait: {
                        /** @description Requests per second. */
                        rate: number;
                        /** @description Requests at once. */
                        burst: number;
                        /** @description Requests in progress at the same time. */
                        concurrent: number;
                    };
                    connect: {
                        /** @description Requests per second. */
                        rate: number;
                        /** @description Requests at once. */
                        burst: number;
                        /** @description Requests in progress at the same time. */
                        concurrent: number;
                    };
                };
            };
            /** @description Maximum duration of a session. */
            session_seconds: number;
            /** @description The version of the service. */
            version: string;
            /**
             * Format: uri
             * @description Append the percent-encoded address to return to. Absent: use the issuer’s end_session_endpoint.
             */
            sign_out_url?: string;
        };
        Error: {
            error: {
                /**
                 * @description For programs. Never changes.
                 * @enum {string}
                 */
                code: "invalid_request" | "unauthorized" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "cursor_expired" | "precondition_failed" | "payload_too_large" | "range_not_satisfiable" | "rate_limited" | "internal" | "unavailable";
                /** @description For people. */
                message: string;
                /** @description Identifies the request when you report the error. */
                request_id: string;
                /** @description For programs; depends on the code. */
                details?: {
                    /** @description The invalid field, header or parameter. */
                    field?: string;
                    /** @description The rule that the field, header or parameter breaks. */
                    rule?: string;
                    /** @description The action for which the API key has no permission. */
                    action?: string;
                    /** @description The bucket that the error is about. */
                    bucket?: string;
                    /** @description The object that the error is about. */
                    key?: string;
                    /** @description The prefix of keys for which the permission is missing. */
                    prefix?: string;
                    /**
                     * @description The header whose condition is false.
                     * @enum {string}
                     */
                    header?: "If-Match" | "If-None-Match" | "If-Unmodified-Since";
                    /** @description The etag of the object, without quotes. */
                    etag?: string;
                    /** @description The version of the object, or the one that was asked for. */
                    version?: number;
                    /** @description The newest version of the key. */
                    newest?: number;
                    /** @description Bytes of the object. */
                    size?: number;
                    /** @description The place of the refused change in the commit, from 0. */
                    index?: number;
                    /** @description The size of what was sent, or of what was to be copied. */
                    bytes?: number;
                    /** @description The largest size that is allowed, in bytes. */
                    limit?: number;
                    cursor?: components["schemas"]["Cursor"];
                    oldest?: components["schemas"]["Cursor"];
                    head?: components["schemas"]["Cursor"];
                    /**
                     * @description The kind of conflict, or why a cursor has expired.
                     * @enum {string}
                     */
                    reason?: "revoked" | "expired" | "bucket_replaced";
                    /**
                     * @description The class of requests whose rate limit is exceeded.
                     * @enum {string}
                     */
                    class?: "read" | "write" | "list" | "sign" | "wait" | "connect";
                    /** @description Seconds, as in Retry-After. */
                    retry_after?: number;
                    /** @description The methods of the path. */
                    allow?: string[];
                };
            };
        };
    };
    responses: {
        /** @description `invalid_request`: the request is not valid. */
        InvalidRequest: {
            headers: {
                "Cache-Control": components["headers"]["NotKept"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `unauthorized`: send a valid API key as Authorization: Bearer <API_KEY>. */
        Unauthorized: {
            headers: {
                "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                "Cache-Control": components["headers"]["NotKept"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `forbidden`: this API key may not do that here. */
        Forbidden: {
            headers: {
                "Cache-Control": components["headers"]["NotKept"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `not_found`: nothing exists at this path. */
        NotFound: {
            headers: {
                "Cache-Control": components["headers"]["NotKept"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `conflict`: the request conflicts with what is stored. */
        Conflict: {
            headers: {
                "Cache-Control": components["headers"]["NotKept"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `cursor_expired`: the cursor is older than the retention. */
        CursorExpired: {
            headers: {
                "Cache-Control": components["headers"]["NotKept"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `precondition_failed`: a condition header of the request does not hold. */
        PreconditionFailed: {
            headers: {
                "Cache-Control": components["headers"]["NotKept"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `payload_too_large`: the body exceeds 4 MiB; upload it with a signed URL from POST /api/v2/storage/signed-url. */
        PayloadTooLarge: {
            headers: {
                "Cache-Control": components["headers"]["NotKept"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "text/plain": string;
            };
        };
        /** @description `range_not_satisfiable`: the range lies outside the object. */
        RangeNotSatisfiable: {
            headers: {
                "Content-Range": components["headers"]["ContentRange"];
                "Cache-Control": components["headers"]["NotKept"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `rate_limited`: too many requests; wait for Retry-After seconds. */
        RateLimited: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                "Cache-Control": components["headers"]["NotKept"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `internal`: an internal error occurred; quote the request_id. */
        Internal: {
            headers: {
                "Cache-Control": components["headers"]["NotKept"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `unavailable`: the service is not available at the moment; try again after Retry-After seconds. */
        Unavailable: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                "Cache-Control": components["headers"]["NotKept"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The address is longer than API Gateway or CloudFront allows. */
        UriTooLong: {
            headers: {
                "Cache-Control": components["headers"]["NotKept"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "text/plain": string;
                "text/html": string;
            };
        };
        /** @description `internal`: a function failed, and API Gateway responded instead. */
        BadGateway: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                "Cache-Control": components["headers"]["NotKept"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `invalid_request`: the request is not valid. */
        HeadInvalidRequest: {
            headers: {
                "Cache-Control": components["headers"]["NotKept"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description `unauthorized`: send a valid API key as Authorization: Bearer <API_KEY>. */
        HeadUnauthorized: {
            headers: {
                "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                "Cache-Control": components["headers"]["NotKept"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description `forbidden`: this API key may not do that here. */
        HeadForbidden: {
            headers: {
                "Cache-Control": components["headers"]["NotKept"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description `not_found`: nothing exists at this path. */
        HeadNotFound: {
            headers: {
                "Cache-Control": components["headers"]["NotKept"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description `cursor_expired`: the cursor is older than the retention. */
        HeadCursorExpired: {
            headers: {
                "Cache-Control": components["headers"]["NotKept"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description `precondition_failed`: a condition header of the request does not hold. */
        HeadPreconditionFailed: {
            headers: {
                "Cache-Control": components["headers"]["NotKept"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description `rate_limited`: too many requests; wait for Retry-After seconds. */
        HeadRateLimited: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                "Cache-Control": components["headers"]["NotKept"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description `internal`: an internal error occurred; quote the request_id. */
        HeadInternal: {
            headers: {
                "Cache-Control": components["headers"]["NotKept"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description `unavailable`: the service is not available at the moment; try again after Retry-After seconds. */
        HeadUnavailable: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                "Cache-Control": components["headers"]["NotKept"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The address is longer than API Gateway or CloudFront allows. */
        HeadUriTooLong: {
            headers: {
                "Cache-Control": components["headers"]["NotKept"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description `internal`: a function failed, and API Gateway responded instead. */
        HeadBadGateway: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                "Cache-Control": components["headers"]["NotKept"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content?: never;
        };
    };
    parameters: {
        /**
         * @description The bucket.
         * @example photos
         */
        Bucket: components["schemas"]["BucketName"];
        /**
         * @description The key, percent-encoded. Slashes need no encoding, which OpenAPI cannot express: `%2F` and `/` are equivalent.
         * @example 2026/cat.jpg
         */
        Key: components["schemas"]["ObjectKey"];
        /**
         * @description The id of an API key.
         * @example 3kTf9ZpQw1Lm
         */
        KeyId: components["schemas"]["ApiKeyId"];
        /**
         * @description The `upload_id` of a signed URL or of a multipart upload.
         * @example 01KAG8Y2M4Q7T9V1X3Z5B7D9F1
         */
        UploadId: string;
        /**
         * @description The id of a link.
         * @example 8sKq2LmVx0TzQ3v_9f-2KdLmN0pRsT1uVw
         */
        LinkId: components["schemas"]["LinkId"];
        /**
         * @description The name of a consumer.
         * @example indexer
         */
        ConsumerName: components["schemas"]["ConsumerName"];
        /**
         * @description The bucket whose links are listed.
         * @example photos
         */
        LinkedBucket: components["schemas"]["BucketName"];
        /** @description Maximum number of entries on the page. */
        Limit: number;
        /** @description Maximum number of cursors that the page covers. */
        ChangesLimit: number;
        /** @description The `next_page_token` of the previous page. The other parameters must be the same. */
        PageToken: string;
        /** @description Only keys that begin with this prefix. */
        Prefix: components["schemas"]["Prefix"];
        /**
         * @description The objects whose keys begin with it are deleted. Empty: every object of the bucket.
         * @example 2026/
         */
        DeletedPrefix: components["schemas"]["Prefix"];
        /** @description Keys that contain the delimiter after the prefix are grouped into `prefixes`. */
        Delimiter: components["schemas"]["Prefix"];
        /** @description Only keys after this one, which need not exist. */
        StartAfter: components["schemas"]["Prefix"];
        /** @description An older version. Older versions are deleted after the retention period. */
        Version: number;
        /** @description Returns the state that the bucket had at this cursor. At least `oldest` - 1, at most the newest cursor. */
        AsOf: components["schemas"]["Cursor"];
        /** @description Returns the descriptor instead of the bytes, or the versions of the key, newest first. */
        View: "descriptor" | "versions";
        /** @description With `view=versions`, only versions below this one: the `next_before` of the previous page. */
        Before: number;
        /** @description Returns a signed URL of the bytes instead of the bytes or a redirect to them, whatever the size. */
        Redirect: "false";
        /**
         * @description The bucket whose changes are read.
         * @example photos
         */
        FollowedBucket: components["schemas"]["BucketName"];
        /** @description Returns the changes after this cursor. Absent: the changes from now on. */
        Cursor: components["schemas"]["Cursor"];
        /** @description The `bucket_id` of an earlier response. Detects that the bucket was deleted and created again. */
        BucketId: components["schemas"]["BucketId"];
        /** @description Seconds to wait for a new change, at most. */
        Wait: number;
        /**
         * @description The id of an API key.
         * @example 3kTf9ZpQw1Lm
         */
        UsedKey: components["schemas"]["ApiKeyId"];
        /** @description Number of days, including today. */
        Days: number;
        /** @description RFC 9110 §13.1.1: etags, or `*`. */
        IfMatch: string;
        /** @description RFC 9110 §13.1.2: etags, or `*`. */
        IfNoneMatch: string;
        /** @description RFC 9110 §13.1.3; ignored when If-None-Match is sent. */
        IfModifiedSince: string;
        /** @description RFC 9110 §13.1.4; ignored when If-Match is sent. */
        IfUnmodifiedSince: string;
        /** @description RFC 9110 §13.1.5: the etag, or the exact Last-Modified. */
        IfRange: string;
        /** @description RFC 9110 §14.2: one range of bytes. Several ranges, other units and malformed values are ignored. */
        Range: string;
        /** @description RFC 9530: sha-256 or sha-512 of the body. The service verifies it. */
        ContentDigest: string;
        /** @description RFC 1864: the MD5 of the body. Verified where the deployment has an edge; API Gateway alone drops it. */
        ContentMd5: string;
        /** @description Stored with the object and returned with it. */
        CacheControl: string;
        /** @description Stored with the object and returned with it. */
        ContentDisposition: string;
        /** @description Stored with the object and returned with it. */
        ContentEncoding: string;
        /** @description Stored with the object and returned with it. */
        ContentLanguage: string;
        /** @description When the service deletes the object. Absent: never. */
        ExpiresAt: string;
        /** @description Makes a retry safe: for 24 hours, the same request gets the response of the first one. A different request with the same key gets 400. */
        IdempotencyKey: string;
    };
    requestBodies: never;
    headers: {
        /** @description The response is not cached. */
        NoStore: "no-store";
        /** @description The response is not cached. Errors of API Gateway itself lack this header. */
        NotKept: "no-store";
        /** @description As stored, but for the caller only: with `private`, without `public` and `s-maxage`; `private, no-cache` when none was stored. With `view=descriptor` it is `no-store`. */
        CacheControl: string;
        /** @description The response is for the caller of this key, and the page that it uses. */
        Vary: "Authorization, Origin";
        /** @description As stored. */
        ContentDisposition: string;
        /** @description As stored. */
        ContentEncoding: string;
        /** @description As stored. */
        ContentLanguage: string;
        /** @description When the service deletes the object. Absent: never. */
        ExpiresAt: components["schemas"]["Time"];
        /** @description The etag of the version; strong. */
        ETag: string;
        /** @description The etag of the version; strong. Absent with `view=versions`. */
        ObjectETag: string;
        /** @description `updated_at` in whole seconds. */
        LastModified: string;
        /** @description `updated_at` in whole seconds. Absent with `view=versions`. */
        ObjectLastModified: string;
        /** @description RFC 9110 §14.3. */
        AcceptRanges: "bytes";
        /** @description The range of bytes, and the size of the object. */
        ContentRange: string;
        /** @description RFC 9530: the digest of the whole object. Absent when the checksum is unknown. */
        ReprDigest: string;
        /** @description Browsers must not guess the type of stored bytes. */
        NoSniff: "nosniff";
        /** @description Browsers must not run stored bytes as a page of this origin. */
        Sandbox: "sandbox; default-src 'none'";
        /** @description The version of the object. */
        Version: number;
        /** @description The version of the object. Absent with `view=versions`. */
        ObjectVersion: number;
        /** @description A cursor of the change log of the bucket. */
        Cursor: components["schemas"]["Cursor"];
        /** @description The cursor of the version. Absent with `view=versions`. */
        ObjectCursor: components["schemas"]["Cursor"];
        /** @description The bytes of the whole object. Absent with `view=descriptor`. */
        Size: number;
        /** @description The address. */
        Location: string;
        /** @description RFC 6750. */
        WwwAuthenticate: string;
        /** @description Seconds. */
        RetryAfter: number;
        /** @description Seconds until the next request, when the response to one with `wait` came at once and there is nothing new. */
        AskAgain: number;
        /** @description The rest of the rate limit that the request counted for. */
        RateLimit: string;
        /** @description The rate limit that the request counted for. */
        RateLimitPolicy: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listBuckets: {
        parameters: {
            query?: {
                /** @description Maximum number of entries on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next_page_token` of the previous page. The other parameters must be the same. */
                page_token?: components["parameters"]["PageToken"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of buckets. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "buckets": [
                     *         {
                     *           "name": "photos",
                     *           "bucket_id": "8sKq2LmVx0Tz",
                     *           "created_at": "2026-11-20T10:50:00.000Z",
                     *           "cursor": 8,
                     *           "object_count": 1,
                     *           "total_size": 48213
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["BucketPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    createBucket: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 24 hours, the same request gets the response of the first one. A different request with the same key gets 400. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "photos"
                 *     }
                 */
                "application/json": components["schemas"]["NewBucket"];
            };
        };
        responses: {
            /** @description The bucket. */
            201: {
                headers: {
                    Location: components["headers"]["Location"];
                    "x-object-cursor": components["headers"]["Cursor"];
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "photos",
                     *       "bucket_id": "8sKq2LmVx0Tz",
                     *       "created_at": "2026-11-20T10:50:00.000Z",
                     *       "cursor": 8,
                     *       "object_count": 1,
                     *       "total_size": 48213
                     *     }
                     */
                    "application/json": components["schemas"]["Bucket"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    listBucketsHead: {
        parameters: {
            query?: {
                /** @description Maximum number of entries on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next_page_token` of the previous page. The other parameters must be the same. */
                page_token?: components["parameters"]["PageToken"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of buckets. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["HeadInvalidRequest"];
            401: components["responses"]["HeadUnauthorized"];
            403: components["responses"]["HeadForbidden"];
            414: components["responses"]["HeadUriTooLong"];
            429: components["responses"]["HeadRateLimited"];
            500: components["responses"]["HeadInternal"];
            502: components["responses"]["HeadBadGateway"];
            503: components["responses"]["HeadUnavailable"];
        };
    };
    getBucket: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                bucket: components["parameters"]["Bucket"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bucket. */
            200: {
                headers: {
                    "x-object-cursor": components["headers"]["Cursor"];
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "photos",
                     *       "bucket_id": "8sKq2LmVx0Tz",
                     *       "created_at": "2026-11-20T10:50:00.000Z",
                     *       "cursor": 8,
                     *       "object_count": 1,
                     *       "total_size": 48213
                     *     }
                     */
                    "application/json": components["schemas"]["Bucket"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteBucket: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 24 hours, the same request gets the response of the first one. A different request with the same key gets 400. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                bucket: components["parameters"]["Bucket"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bucket is deleted. */
            204: {
                headers: {
                    "x-object-cursor": components["headers"]["Cursor"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    getBucketHead: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                bucket: components["parameters"]["Bucket"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bucket. */
            200: {
                headers: {
                    "x-object-cursor": components["headers"]["Cursor"];
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["HeadInvalidRequest"];
            401: components["responses"]["HeadUnauthorized"];
            403: components["responses"]["HeadForbidden"];
            404: components["responses"]["HeadNotFound"];
            414: components["responses"]["HeadUriTooLong"];
            429: components["responses"]["HeadRateLimited"];
            500: components["responses"]["HeadInternal"];
            502: components["responses"]["HeadBadGateway"];
            503: components["responses"]["HeadUnavailable"];
        };
    };
    updateBucket: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 24 hours, the same request gets the response of the first one. A different request with the same key gets 400. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                bucket: components["parameters"]["Bucket"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "lifecycle": [
                 *         {
                 *           "prefix": "tmp/",
                 *           "expire_after_days": 7
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["BucketChange"];
            };
        };
        responses: {
            /** @description The bucket. */
            200: {
                headers: {
                    "x-object-cursor": components["headers"]["Cursor"];
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "photos",
                     *       "bucket_id": "8sKq2LmVx0Tz",
                     *       "created_at": "2026-11-20T10:50:00.000Z",
                     *       "cursor": 8,
                     *       "object_count": 1,
                     *       "total_size": 48213,
                     *       "lifecycle": [
                     *         {
                     *           "prefix": "tmp/",
                     *           "expire_after_days": 7
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Bucket"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    listObjects: {
        parameters: {
            query?: {
                /** @description Only keys that begin with this prefix. */
                prefix?: components["parameters"]["Prefix"];
                /** @description Keys that contain the delimiter after the prefix are grouped into `prefixes`. */
                delimiter?: components["parameters"]["Delimiter"];
                /** @description Only keys after this one, which need not exist. */
                start_after?: components["parameters"]["StartAfter"];
                /** @description Returns the state that the bucket had at this cursor. At least `oldest` - 1, at most the newest cursor. */
                as_of?: components["parameters"]["AsOf"];
                /** @description Maximum number of entries on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next_page_token` of the previous page. The other parameters must be the same. */
                page_token?: components["parameters"]["PageToken"];
            };
            header?: never;
            path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                bucket: components["parameters"]["Bucket"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of objects and grouped prefixes. */
            200: {
                headers: {
                    "x-object-cursor": components["headers"]["Cursor"];
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
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
                    "application/json": components["schemas"]["ObjectPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            410: components["responses"]["CursorExpired"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteObjects: {
        parameters: {
            query: {
                /**
                 * @description The objects whose keys begin with it are deleted. Empty: every object of the bucket.
                 * @example 2026/
                 */
                prefix: components["parameters"]["DeletedPrefix"];
                /** @description The `next_page_token` of the previous page. The other parameters must be the same. */
                page_token?: components["parameters"]["PageToken"];
            };
            header?: never;
            path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                bucket: components["parameters"]["Bucket"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How many objects were deleted, and whether there are more. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "bucket": "photos",
                     *       "deleted": 2,
                     *       "from": 9,
                     *       "to": 10,
                     *       "has_more": false
                     *     }
                     */
                    "application/json": components["schemas"]["DeletedObjects"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    listObjectsHead: {
        parameters: {
            query?: {
                /** @description Only keys that begin with this prefix. */
                prefix?: components["parameters"]["Prefix"];
                /** @description Keys that contain the delimiter after the prefix are grouped into `prefixes`. */
                delimiter?: components["parameters"]["Delimiter"];
                /** @description Only keys after this one, which need not exist. */
                start_after?: components["parameters"]["StartAfter"];
                /** @description Returns the state that the bucket had at this cursor. At least `oldest` - 1, at most the newest cursor. */
                as_of?: components["parameters"]["AsOf"];
                /** @description Maximum number of entries on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next_page_token` of the previous page. The other parameters must be the same. */
                page_token?: components["parameters"]["PageToken"];
            };
            header?: never;
            path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                bucket: components["parameters"]["Bucket"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of objects and grouped prefixes. */
            200: {
                headers: {
                    "x-object-cursor": components["headers"]["Cursor"];
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["HeadInvalidRequest"];
            401: components["responses"]["HeadUnauthorized"];
            403: components["responses"]["HeadForbidden"];
            404: components["responses"]["HeadNotFound"];
            410: components["responses"]["HeadCursorExpired"];
            414: components["responses"]["HeadUriTooLong"];
            429: components["responses"]["HeadRateLimited"];
            500: components["responses"]["HeadInternal"];
            502: components["responses"]["HeadBadGateway"];
            503: components["responses"]["HeadUnavailable"];
        };
    };
    getObject: {
        parameters: {
            query?: {
                /** @description An older version. Older versions are deleted after the retention period. */
                version?: components["parameters"]["Version"];
                /** @description Returns the state that the bucket had at this cursor. At least `oldest` - 1, at most the newest cursor. */
                as_of?: components["parameters"]["AsOf"];
                /** @description Returns the descriptor instead of the bytes, or the versions of the key, newest first. */
                view?: components["parameters"]["View"];
                /** @description Maximum number of entries on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description With `view=versions`, only versions below this one: the `next_before` of the previous page. */
                before?: components["parameters"]["Before"];
                /** @description Returns a signed URL of the bytes instead of the bytes or a redirect to them, whatever the size. */
                redirect?: components["parameters"]["Redirect"];
            };
            header?: {
                /** @description RFC 9110 §14.2: one range of bytes. Several ranges, other units and malformed values are ignored. */
                Range?: components["parameters"]["Range"];
                /** @description RFC 9110 §13.1.5: the etag, or the exact Last-Modified. */
                "If-Range"?: components["parameters"]["IfRange"];
                /** @description RFC 9110 §13.1.1: etags, or `*`. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description RFC 9110 §13.1.2: etags, or `*`. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /** @description RFC 9110 §13.1.3; ignored when If-None-Match is sent. */
                "If-Modified-Since"?: components["parameters"]["IfModifiedSince"];
                /** @description RFC 9110 §13.1.4; ignored when If-Match is sent. */
                "If-Unmodified-Since"?: components["parameters"]["IfUnmodifiedSince"];
            };
            path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                bucket: components["parameters"]["Bucket"];
                /**
                 * @description The key, percent-encoded. Slashes need no encoding, which OpenAPI cannot express: `%2F` and `/` are equivalent.
                 * @example 2026/cat.jpg
                 */
                key: components["parameters"]["Key"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole object; with `view=descriptor` the descriptor, with `view=versions` a page of versions, with `redirect=false` a signed URL. */
            200: {
                headers: {
                    ETag: components["headers"]["ObjectETag"];
                    "Last-Modified": components["headers"]["ObjectLastModified"];
                    "x-object-version": components["headers"]["ObjectVersion"];
                    "x-object-cursor": components["headers"]["ObjectCursor"];
                    "Accept-Ranges": components["headers"]["AcceptRanges"];
                    "x-object-size": components["headers"]["Size"];
                    Vary: components["headers"]["Vary"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["Sandbox"];
                    "Repr-Digest": components["headers"]["ReprDigest"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Content-Disposition": components["headers"]["ContentDisposition"];
                    "Content-Encoding": components["headers"]["ContentEncoding"];
                    "Content-Language": components["headers"]["ContentLanguage"];
                    "x-object-expires-at": components["headers"]["ExpiresAt"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ObjectDescriptor"] | components["schemas"]["SignedDownload"] | components["schemas"]["VersionPage"] | unknown;
                    "*/*": unknown;
                };
            };
            /** @description The bytes of the range. */
            206: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["LastModified"];
                    "x-object-version": components["headers"]["Version"];
                    "x-object-cursor": components["headers"]["Cursor"];
                    "Content-Range": components["headers"]["ContentRange"];
                    "Accept-Ranges": components["headers"]["AcceptRanges"];
                    "x-object-size": components["headers"]["Size"];
                    Vary: components["headers"]["Vary"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["Sandbox"];
                    "Repr-Digest": components["headers"]["ReprDigest"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Content-Disposition": components["headers"]["ContentDisposition"];
                    "Content-Encoding": components["headers"]["ContentEncoding"];
                    "Content-Language": components["headers"]["ContentLanguage"];
                    "x-object-expires-at": components["headers"]["ExpiresAt"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description The client already has this version. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["LastModified"];
                    "x-object-version": components["headers"]["Version"];
                    "x-object-cursor": components["headers"]["Cursor"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Vary: components["headers"]["Vary"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The response has more than 10 MB (4 MiB where the deployment does not stream): `Location` serves the bytes without an API key for 60 s, and refuses requests that have Authorization. */
            307: {
                headers: {
                    Location: components["headers"]["Location"];
                    "Cache-Control": components["headers"]["NoStore"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["LastModified"];
                    "x-object-version": components["headers"]["Version"];
                    "x-object-cursor": components["headers"]["Cursor"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            410: components["responses"]["CursorExpired"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            416: components["responses"]["RangeNotSatisfiable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    putObject: {
        parameters: {
            query?: never;
            header?: {
                /** @description RFC 9110 §13.1.1: etags, or `*`. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description RFC 9110 §13.1.2: etags, or `*`. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /** @description RFC 9110 §13.1.4; ignored when If-Match is sent. */
                "If-Unmodified-Since"?: components["parameters"]["IfUnmodifiedSince"];
                /** @description RFC 9530: sha-256 or sha-512 of the body. The service verifies it. */
                "Content-Digest"?: components["parameters"]["ContentDigest"];
                /** @description RFC 1864: the MD5 of the body. Verified where the deployment has an edge; API Gateway alone drops it. */
                "Content-MD5"?: components["parameters"]["ContentMd5"];
                /** @description Stored with the object and returned with it. */
                "Cache-Control"?: components["parameters"]["CacheControl"];
                /** @description Stored with the object and returned with it. */
                "Content-Disposition"?: components["parameters"]["ContentDisposition"];
                /** @description Stored with the object and returned with it. */
                "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /** @description Stored with the object and returned with it. */
                "Content-Language"?: components["parameters"]["ContentLanguage"];
                /** @description When the service deletes the object. Absent: never. */
                "x-object-expires-at"?: components["parameters"]["ExpiresAt"];
                /** @description Makes a retry safe: for 24 hours, the same request gets the response of the first one. A different request with the same key gets 400. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                bucket: components["parameters"]["Bucket"];
                /**
                 * @description The key, percent-encoded. Slashes need no encoding, which OpenAPI cannot express: `%2F` and `/` are equivalent.
                 * @example 2026/cat.jpg
                 */
                key: components["parameters"]["Key"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "*/*": unknown;
            };
        };
        responses: {
            /** @description The object was replaced. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["LastModified"];
                    "x-object-version": components["headers"]["Version"];
                    "x-object-cursor": components["headers"]["Cursor"];
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
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
                    "application/json": components["schemas"]["ObjectDescriptor"];
                };
            };
            /** @description The object is new. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["LastModified"];
                    "x-object-version": components["headers"]["Version"];
                    "x-object-cursor": components["headers"]["Cursor"];
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
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
                    "application/json": components["schemas"]["ObjectDescriptor"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteObject: {
        parameters: {
            query?: never;
            header?: {
                /** @description RFC 9110 §13.1.1: etags, or `*`. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description RFC 9110 §13.1.2: etags, or `*`. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /** @description RFC 9110 §13.1.4; ignored when If-Match is sent. */
                "If-Unmodified-Since"?: components["parameters"]["IfUnmodifiedSince"];
                /** @description Makes a retry safe: for 24 hours, the same request gets the response of the first one. A different request with the same key gets 400. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                bucket: components["parameters"]["Bucket"];
                /**
                 * @description The key, percent-encoded. Slashes need no encoding, which OpenAPI cannot express: `%2F` and `/` are equivalent.
                 * @example 2026/cat.jpg
                 */
                key: components["parameters"]["Key"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The object is deleted. */
            200: {
                headers: {
                    "x-object-version": components["headers"]["Version"];
                    "x-object-cursor": components["headers"]["Cursor"];
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
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
                    "application/json": components["schemas"]["DeletedObject"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    getObjectHead: {
        parameters: {
            query?: {
                /** @description An older version. Older versions are deleted after the retention period. */
                version?: components["parameters"]["Version"];
                /** @description Returns the state that the bucket had at this cursor. At least `oldest` - 1, at most the newest cursor. */
                as_of?: components["parameters"]["AsOf"];
                /** @description Returns the descriptor instead of the bytes, or the versions of the key, newest first. */
                view?: components["parameters"]["View"];
                /** @description Maximum number of entries on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description With `view=versions`, only versions below this one: the `next_before` of the previous page. */
                before?: components["parameters"]["Before"];
                /** @description Returns a signed URL of the bytes instead of the bytes or a redirect to them, whatever the size. */
                redirect?: components["parameters"]["Redirect"];
            };
            header?: {
                /** @description RFC 9110 §14.2: one range of bytes. Several ranges, other units and malformed values are ignored. */
                Range?: components["parameters"]["Range"];
                /** @description RFC 9110 §13.1.5: the etag, or the exact Last-Modified. */
                "If-Range"?: components["parameters"]["IfRange"];
                /** @description RFC 9110 §13.1.1: etags, or `*`. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description RFC 9110 §13.1.2: etags, or `*`. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /** @description RFC 9110 §13.1.3; ignored when If-None-Match is sent. */
                "If-Modified-Since"?: components["parameters"]["IfModifiedSince"];
                /** @description RFC 9110 §13.1.4; ignored when If-Match is sent. */
                "If-Unmodified-Since"?: components["parameters"]["IfUnmodifiedSince"];
            };
            path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                bucket: components["parameters"]["Bucket"];
                /**
                 * @description The key, percent-encoded. Slashes need no encoding, which OpenAPI cannot express: `%2F` and `/` are equivalent.
                 * @example 2026/cat.jpg
                 */
                key: components["parameters"]["Key"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole object; with `view=descriptor` the descriptor, with `view=versions` a page of versions, with `redirect=false` a signed URL. */
            200: {
                headers: {
                    ETag: components["headers"]["ObjectETag"];
                    "Last-Modified": components["headers"]["ObjectLastModified"];
                    "x-object-version": components["headers"]["ObjectVersion"];
                    "x-object-cursor": components["headers"]["ObjectCursor"];
                    "Accept-Ranges": components["headers"]["AcceptRanges"];
                    "x-object-size": components["headers"]["Size"];
                    Vary: components["headers"]["Vary"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["Sandbox"];
                    "Repr-Digest": components["headers"]["ReprDigest"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Content-Disposition": components["headers"]["ContentDisposition"];
                    "Content-Encoding": components["headers"]["ContentEncoding"];
                    "Content-Language": components["headers"]["ContentLanguage"];
                    "x-object-expires-at": components["headers"]["ExpiresAt"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The client already has this version. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["LastModified"];
                    "x-object-version": components["headers"]["Version"];
                    "x-object-cursor": components["headers"]["Cursor"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    Vary: components["headers"]["Vary"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["HeadInvalidRequest"];
            401: components["responses"]["HeadUnauthorized"];
            403: components["responses"]["HeadForbidden"];
            404: components["responses"]["HeadNotFound"];
            410: components["responses"]["HeadCursorExpired"];
            412: components["responses"]["HeadPreconditionFailed"];
            414: components["responses"]["HeadUriTooLong"];
            429: components["responses"]["HeadRateLimited"];
            500: components["responses"]["HeadInternal"];
            502: components["responses"]["HeadBadGateway"];
            503: components["responses"]["HeadUnavailable"];
        };
    };
    commit: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 24 hours, the same request gets the response of the first one. A different request with the same key gets 400. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "bucket": "photos",
                 *       "if_cursor": 8,
                 *       "changes": [
                 *         {
                 *           "op": "put",
                 *           "key": "2026/index.json",
                 *           "content": "e30="
                 *         },
                 *         {
                 *           "op": "move",
                 *           "key": "2026/dog.jpg",
                 *           "from": {
                 *             "key": "new/dog.jpg"
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CommitRequest"];
            };
        };
        responses: {
            /** @description What the changes made, at consecutive cursors. */
            201: {
                headers: {
                    "x-object-cursor": components["headers"]["Cursor"];
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "bucket": "photos",
                     *       "from": 8,
                     *       "to": 9,
                     *       "changes": [
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
                     *         },
                     *         {
                     *           "bucket": "photos",
                     *           "key": "2026/cat.jpg",
                     *           "version": 2,
                     *           "cursor": 9,
                     *           "deleted_at": "2026-11-20T10:52:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["CommitResult"];
                };
            };
            /** @description The commit copies one object of more than 5 GiB: the copy is an upload, which is committed when its bytes are there. */
            202: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "upload_id": "01KAG8Y2M4Q7T9V1X3Z5B7D9F1",
                     *       "bucket": "photos",
                     *       "key": "backup/film.mp4",
                     *       "state": "pending"
                     *     }
                     */
                    "application/json": components["schemas"]["UploadState"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    listConsumers: {
        parameters: {
            query?: {
                /** @description Maximum number of entries on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next_page_token` of the previous page. The other parameters must be the same. */
                page_token?: components["parameters"]["PageToken"];
            };
            header?: never;
            path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                bucket: components["parameters"]["Bucket"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of consumers. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "consumers": [
                     *         {
                     *           "bucket": "photos",
                     *           "bucket_id": "8sKq2LmVx0Tz",
                     *           "name": "indexer",
                     *           "cursor": 8,
                     *           "updated_at": "2026-11-20T10:52:00.000Z",
                     *           "lag": 1,
                     *           "lag_seconds": 12,
                     *           "behind_retention": false
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ConsumerPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    listConsumersHead: {
        parameters: {
            query?: {
                /** @description Maximum number of entries on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next_page_token` of the previous page. The other parameters must be the same. */
                page_token?: components["parameters"]["PageToken"];
            };
            header?: never;
            path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                bucket: components["parameters"]["Bucket"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of consumers. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["HeadInvalidRequest"];
            401: components["responses"]["HeadUnauthorized"];
            403: components["responses"]["HeadForbidden"];
            404: components["responses"]["HeadNotFound"];
            414: components["responses"]["HeadUriTooLong"];
            429: components["responses"]["HeadRateLimited"];
            500: components["responses"]["HeadInternal"];
            502: components["responses"]["HeadBadGateway"];
            503: components["responses"]["HeadUnavailable"];
        };
    };
    getConsumer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                bucket: components["parameters"]["Bucket"];
                /**
                 * @description The name of a consumer.
                 * @example indexer
                 */
                name: components["parameters"]["ConsumerName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The consumer. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "bucket": "photos",
                     *       "bucket_id": "8sKq2LmVx0Tz",
                     *       "name": "indexer",
                     *       "cursor": 8,
                     *       "updated_at": "2026-11-20T10:52:00.000Z",
                     *       "lag": 1,
                     *       "lag_seconds": 12,
                     *       "behind_retention": false
                     *     }
                     */
                    "application/json": components["schemas"]["Consumer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    putConsumer: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 24 hours, the same request gets the response of the first one. A different request with the same key gets 400. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                bucket: components["parameters"]["Bucket"];
                /**
                 * @description The name of a consumer.
                 * @example indexer
                 */
                name: components["parameters"]["ConsumerName"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "cursor": 8
                 *     }
                 */
                "application/json": components["schemas"]["NewCursor"];
            };
        };
        responses: {
            /** @description The cursor is stored. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "bucket": "photos",
                     *       "bucket_id": "8sKq2LmVx0Tz",
                     *       "name": "indexer",
                     *       "cursor": 8,
                     *       "updated_at": "2026-11-20T10:52:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["StoredConsumer"];
                };
            };
            /** @description The consumer is new. */
            201: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "bucket": "photos",
                     *       "bucket_id": "8sKq2LmVx0Tz",
                     *       "name": "indexer",
                     *       "cursor": 8,
                     *       "updated_at": "2026-11-20T10:52:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["StoredConsumer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["CursorExpired"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteConsumer: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 24 hours, the same request gets the response of the first one. A different request with the same key gets 400. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                bucket: components["parameters"]["Bucket"];
                /**
                 * @description The name of a consumer.
                 * @example indexer
                 */
                name: components["parameters"]["ConsumerName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description There is no such consumer any more. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    getConsumerHead: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                bucket: components["parameters"]["Bucket"];
                /**
                 * @description The name of a consumer.
                 * @example indexer
                 */
                name: components["parameters"]["ConsumerName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The consumer. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["HeadInvalidRequest"];
            401: components["responses"]["HeadUnauthorized"];
            403: components["responses"]["HeadForbidden"];
            404: components["responses"]["HeadNotFound"];
            414: components["responses"]["HeadUriTooLong"];
            429: components["responses"]["HeadRateLimited"];
            500: components["responses"]["HeadInternal"];
            502: components["responses"]["HeadBadGateway"];
            503: components["responses"]["HeadUnavailable"];
        };
    };
    restoreObjects: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "bucket": "photos",
                 *       "prefix": "2026/",
                 *       "as_of": 8
                 *     }
                 */
                "application/json": components["schemas"]["RestoreRequest"];
            };
        };
        responses: {
            /** @description What was changed, or would be, and whether there is more. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "bucket": "photos",
                     *       "as_of": 8,
                     *       "restored": 1,
                     *       "deleted": 1,
                     *       "unchanged": 40,
                     *       "from": 10,
                     *       "to": 11,
                     *       "has_more": false
                     *     }
                     */
                    "application/json": components["schemas"]["RestoreResult"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            410: components["responses"]["CursorExpired"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    signUrl: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 24 hours, the same request gets the response of the first one. A different request with the same key gets 400. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "bucket": "photos",
                 *       "key": "2026/cat.jpg",
                 *       "method": "GET",
                 *       "expires_in": 300
                 *     }
                 */
                "application/json": components["schemas"]["SignRequest"];
            };
        };
        responses: {
            /** @description The signed URL, the signed URLs of the parts, or the ticket. */
            201: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
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
                    "application/json": components["schemas"]["SignedRequest"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    getUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `upload_id` of a signed URL or of a multipart upload.
                 * @example 01KAG8Y2M4Q7T9V1X3Z5B7D9F1
                 */
                upload_id: components["parameters"]["UploadId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state of the upload. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "upload_id": "01KAG8Y2M4Q7T9V1X3Z5B7D9F1",
                     *       "bucket": "photos",
                     *       "key": "2026/cat.jpg",
                     *       "state": "committed",
                     *       "object": {
                     *         "bucket": "photos",
                     *         "key": "2026/cat.jpg",
                     *         "version": 1,
                     *         "cursor": 8
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["UploadState"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    getUploadHead: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `upload_id` of a signed URL or of a multipart upload.
                 * @example 01KAG8Y2M4Q7T9V1X3Z5B7D9F1
                 */
                upload_id: components["parameters"]["UploadId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state of the upload. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["HeadInvalidRequest"];
            401: components["responses"]["HeadUnauthorized"];
            403: components["responses"]["HeadForbidden"];
            404: components["responses"]["HeadNotFound"];
            414: components["responses"]["HeadUriTooLong"];
            429: components["responses"]["HeadRateLimited"];
            500: components["responses"]["HeadInternal"];
            502: components["responses"]["HeadBadGateway"];
            503: components["responses"]["HeadUnavailable"];
        };
    };
    listLinks: {
        parameters: {
            query: {
                /**
                 * @description The bucket whose links are listed.
                 * @example photos
                 */
                bucket: components["parameters"]["LinkedBucket"];
                /** @description Maximum number of entries on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next_page_token` of the previous page. The other parameters must be the same. */
                page_token?: components["parameters"]["PageToken"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of links. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "links": [
                     *         {
                     *           "id": "8sKq2LmVx0TzQ3v_9f-2KdLmN0pRsT1uVw",
                     *           "bucket": "photos",
                     *           "key": "2026/cat.jpg",
                     *           "created_at": "2026-11-20T10:50:00.000Z",
                     *           "created_by": "3kTf9ZpQw1Lm",
                     *           "expires_at": "2026-11-21T10:50:00.000Z",
                     *           "max_uses": 10,
                     *           "uses": 0,
                     *           "has_password": false
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["LinkPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    createLink: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 24 hours, the same request gets the response of the first one. A different request with the same key gets 400. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "bucket": "photos",
                 *       "key": "2026/cat.jpg",
                 *       "expires_in": 86400,
                 *       "max_uses": 10
                 *     }
                 */
                "application/json": components["schemas"]["NewLink"];
            };
        };
        responses: {
            /** @description The link. */
            201: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "8sKq2LmVx0TzQ3v_9f-2KdLmN0pRsT1uVw",
                     *       "bucket": "photos",
                     *       "key": "2026/cat.jpg",
                     *       "created_at": "2026-11-20T10:50:00.000Z",
                     *       "created_by": "3kTf9ZpQw1Lm",
                     *       "expires_at": "2026-11-21T10:50:00.000Z",
                     *       "max_uses": 10,
                     *       "uses": 0,
                     *       "has_password": false,
                     *       "url": "https://files.example.org/s/8sKq2LmVx0TzQ3v_9f-2KdLmN0pRsT1uVw?secret=0XcVb1NmK5jHgF3dSaP2oI"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedLink"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    listLinksHead: {
        parameters: {
            query: {
                /**
                 * @description The bucket whose links are listed.
                 * @example photos
                 */
                bucket: components["parameters"]["LinkedBucket"];
                /** @description Maximum number of entries on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next_page_token` of the previous page. The other parameters must be the same. */
                page_token?: components["parameters"]["PageToken"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of links. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["HeadInvalidRequest"];
            401: components["responses"]["HeadUnauthorized"];
            403: components["responses"]["HeadForbidden"];
            404: components["responses"]["HeadNotFound"];
            414: components["responses"]["HeadUriTooLong"];
            429: components["responses"]["HeadRateLimited"];
            500: components["responses"]["HeadInternal"];
            502: components["responses"]["HeadBadGateway"];
            503: components["responses"]["HeadUnavailable"];
        };
    };
    deleteLink: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: for 24 hours, the same request gets the response of the first one. A different request with the same key gets 400. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The id of a link.
                 * @example 8sKq2LmVx0TzQ3v_9f-2KdLmN0pRsT1uVw
                 */
                id: components["parameters"]["LinkId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link no longer opens anything. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
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
                 *       "expires_in": 3600
                 *     }
                 */
                "application/json": components["schemas"]["NewToken"];
            };
        };
        responses: {
            /** @description The temporary key. */
            201: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "token": "ost_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
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
                     *       "expires_at": "2026-11-20T11:50:00.000Z",
                     *       "key_id": "3kTf9ZpQw1Lm"
                     *     }
                     */
                    "application/json": components["schemas"]["Token"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    readChanges: {
        parameters: {
            query: {
                /**
                 * @description The bucket whose changes are read.
                 * @example photos
                 */
                bucket: components["parameters"]["FollowedBucket"];
                /** @description Returns the changes after this cursor. Absent: the changes from now on. */
                cursor?: components["parameters"]["Cursor"];
                /** @description Only keys that begin with this prefix. */
                prefix?: components["parameters"]["Prefix"];
                /** @description Maximum number of cursors that the page covers. */
                limit?: components["parameters"]["ChangesLimit"];
                /** @description Seconds to wait for a new change, at most. */
                wait?: components["parameters"]["Wait"];
                /** @description The `bucket_id` of an earlier response. Detects that the bucket was deleted and created again. */
                bucket_id?: components["parameters"]["BucketId"];
            };
            header?: {
                /** @description RFC 9110 §13.1.2: etags, or `*`. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, which covers the cursors after `from` up to `to`. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["NoStore"];
                    "Retry-After": components["headers"]["AskAgain"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
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
                    "application/json": components["schemas"]["ChangesPage"];
                };
            };
            /** @description There is no new change. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["NoStore"];
                    "Retry-After": components["headers"]["AskAgain"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            410: components["responses"]["CursorExpired"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    readChangesHead: {
        parameters: {
            query: {
                /**
                 * @description The bucket whose changes are read.
                 * @example photos
                 */
                bucket: components["parameters"]["FollowedBucket"];
                /** @description Returns the changes after this cursor. Absent: the changes from now on. */
                cursor?: components["parameters"]["Cursor"];
                /** @description Only keys that begin with this prefix. */
                prefix?: components["parameters"]["Prefix"];
                /** @description Maximum number of cursors that the page covers. */
                limit?: components["parameters"]["ChangesLimit"];
                /** @description Seconds to wait for a new change, at most. */
                wait?: components["parameters"]["Wait"];
                /** @description The `bucket_id` of an earlier response. Detects that the bucket was deleted and created again. */
                bucket_id?: components["parameters"]["BucketId"];
            };
            header?: {
                /** @description RFC 9110 §13.1.2: etags, or `*`. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, which covers the cursors after `from` up to `to`. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["NoStore"];
                    "Retry-After": components["headers"]["AskAgain"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description There is no new change. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["NoStore"];
                    "Retry-After": components["headers"]["AskAgain"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["HeadInvalidRequest"];
            401: components["responses"]["HeadUnauthorized"];
            403: components["responses"]["HeadForbidden"];
            404: components["responses"]["HeadNotFound"];
            410: components["responses"]["HeadCursorExpired"];
            414: components["responses"]["HeadUriTooLong"];
            429: components["responses"]["HeadRateLimited"];
            500: components["responses"]["HeadInternal"];
            502: components["responses"]["HeadBadGateway"];
            503: components["responses"]["HeadUnavailable"];
        };
    };
    getConfiguration: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The public settings. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
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
                     *           "wait": {
                     *             "rate": 20,
                     *             "burst": 50,
                     *             "concurrent": 5
                     *           },
                     *           "connect": {
                     *             "rate": 20,
                     *             "burst": 100,
                     *             "concurrent": 100
                     *           }
                     *         }
                     *       },
                     *       "session_seconds": 3600,
                     *       "version": "0.1.0"
                     *     }
                     */
                    "application/json": components["schemas"]["Configuration"];
                };
            };
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    getConfigurationHead: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The public settings. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            414: components["responses"]["HeadUriTooLong"];
            429: components["responses"]["HeadRateLimited"];
            500: components["responses"]["HeadInternal"];
            502: components["responses"]["HeadBadGateway"];
            503: components["responses"]["HeadUnavailable"];
        };
    };
    openSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["NoFields"];
            };
        };
        responses: {
            /** @description The key. Its text is not shown again. */
            201: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "api_key": "osk_3kTf9ZpQw1Lm_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx_000000",
                     *       "key_id": "3kTf9ZpQw1Lm",
                     *       "expires_at": "2026-11-20T11:50:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    endSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How many keys still worked. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "revoked": 2
                     *     }
                     */
                    "application/json": components["schemas"]["EndedSessions"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    listKeys: {
        parameters: {
            query?: {
                /** @description Maximum number of entries on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next_page_token` of the previous page. The other parameters must be the same. */
                page_token?: components["parameters"]["PageToken"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of keys. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
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
                    "application/json": components["schemas"]["KeyPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
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
                "application/json": components["schemas"]["NewKey"];
            };
        };
        responses: {
            /** @description The key and its text, which is not shown again. */
            201: {
                headers: {
                    Location: components["headers"]["Location"];
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
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
                    "application/json": components["schemas"]["KeyWithSecret"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    listKeysHead: {
        parameters: {
            query?: {
                /** @description Maximum number of entries on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next_page_token` of the previous page. The other parameters must be the same. */
                page_token?: components["parameters"]["PageToken"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of keys. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["HeadInvalidRequest"];
            401: components["responses"]["HeadUnauthorized"];
            403: components["responses"]["HeadForbidden"];
            414: components["responses"]["HeadUriTooLong"];
            429: components["responses"]["HeadRateLimited"];
            500: components["responses"]["HeadInternal"];
            502: components["responses"]["HeadBadGateway"];
            503: components["responses"]["HeadUnavailable"];
        };
    };
    getKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of an API key.
                 * @example 3kTf9ZpQw1Lm
                 */
                id: components["parameters"]["KeyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
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
                    "application/json": components["schemas"]["Key"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    getKeyHead: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of an API key.
                 * @example 3kTf9ZpQw1Lm
                 */
                id: components["parameters"]["KeyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["HeadInvalidRequest"];
            401: components["responses"]["HeadUnauthorized"];
            403: components["responses"]["HeadForbidden"];
            404: components["responses"]["HeadNotFound"];
            414: components["responses"]["HeadUriTooLong"];
            429: components["responses"]["HeadRateLimited"];
            500: components["responses"]["HeadInternal"];
            502: components["responses"]["HeadBadGateway"];
            503: components["responses"]["HeadUnavailable"];
        };
    };
    changeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of an API key.
                 * @example 3kTf9ZpQw1Lm
                 */
                id: components["parameters"]["KeyId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "weekly backup",
                 *       "expires_at": null
                 *     }
                 */
                "application/json": components["schemas"]["KeyChange"];
            };
        };
        responses: {
            /** @description The changed key. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
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
                    "application/json": components["schemas"]["Key"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of an API key.
                 * @example 3kTf9ZpQw1Lm
                 */
                id: components["parameters"]["KeyId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["NoFields"];
            };
        };
        responses: {
            /** @description The revoked key. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
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
                    "application/json": components["schemas"]["Key"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    rotateKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of an API key.
                 * @example 3kTf9ZpQw1Lm
                 */
                id: components["parameters"]["KeyId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "overlap_seconds": 3600
                 *     }
                 */
                "application/json": components["schemas"]["Rotation"];
            };
        };
        responses: {
            /** @description The key and its new text, which is not shown again. */
            201: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
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
                    "application/json": components["schemas"]["KeyWithSecret"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    listAuditRecords: {
        parameters: {
            query?: {
                /** @description Maximum number of entries on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next_page_token` of the previous page. The other parameters must be the same. */
                page_token?: components["parameters"]["PageToken"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
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
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    listAuditRecordsHead: {
        parameters: {
            query?: {
                /** @description Maximum number of entries on the page. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next_page_token` of the previous page. The other parameters must be the same. */
                page_token?: components["parameters"]["PageToken"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of records. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["HeadInvalidRequest"];
            401: components["responses"]["HeadUnauthorized"];
            403: components["responses"]["HeadForbidden"];
            414: components["responses"]["HeadUriTooLong"];
            429: components["responses"]["HeadRateLimited"];
            500: components["responses"]["HeadInternal"];
            502: components["responses"]["HeadBadGateway"];
            503: components["responses"]["HeadUnavailable"];
        };
    };
    getUsage: {
        parameters: {
            query: {
                /**
                 * @description The id of an API key.
                 * @example 3kTf9ZpQw1Lm
                 */
                key_id: components["parameters"]["UsedKey"];
                /** @description Number of days, including today. */
                days?: components["parameters"]["Days"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Requests by class, and requests that got 429. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
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
                     *           "wait": 0,
                     *           "connect": 0,
                     *           "limited": 0
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Usage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["Unavailable"];
        };
    };
    getUsageHead: {
        parameters: {
            query: {
                /**
                 * @description The id of an API key.
                 * @example 3kTf9ZpQw1Lm
                 */
                key_id: components["parameters"]["UsedKey"];
                /** @description Number of days, including today. */
                days?: components["parameters"]["Days"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Requests by class, and requests that got 429. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["NoStore"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["HeadInvalidRequest"];
            401: components["responses"]["HeadUnauthorized"];
            403: components["responses"]["HeadForbidden"];
            414: components["responses"]["HeadUriTooLong"];
            429: components["responses"]["HeadRateLimited"];
            500: components["responses"]["HeadInternal"];
            502: components["responses"]["HeadBadGateway"];
            503: components["responses"]["HeadUnavailable"];
        };
    };
}
