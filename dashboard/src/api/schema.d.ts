// Made by npm run openapi.
export interface paths {
    "/api/v2/storage/buckets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the buckets that the API key can see, in name order */
        get: operations["listBuckets"];
        put?: never;
        /**
         * Creates a bucket
         * @description Needs `create_bucket` there, not narrowed to a prefix.
         */
        post: operations["createBucket"];
        delete?: never;
        options?: never;
        /** Lists the buckets that the API key can see, in name order: the headers only */
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
         * @description Needs `delete_bucket` there, not narrowed to a prefix.
         */
        delete: operations["deleteBucket"];
        options?: never;
        /** Describes a bucket: the headers only */
        head: operations["getBucketHead"];
        patch?: never;
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
         * @description Shows what lies below the prefixes for which the API key has `list`.
         */
        get: operations["listObjects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /**
         * Lists objects in the order of the UTF-8 bytes of their keys: the headers only
         * @description Shows what lies below the prefixes for which the API key has `list`.
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
                 * @description The key, percent-encoded. Slashes may be sent as they are, which OpenAPI has no way to say: `%2F` and `/` are the same here.
                 * @example 2026/cat.jpg
                 */
                key: components["parameters"]["Key"];
            };
            cookie?: never;
        };
        /**
         * Downloads an object, or describes it
         * @description Metadata comes as `x-object-meta-<name>` headers. Needs `read`. The header fields of a 200 with `view=descriptor` are the validators only.
         */
        get: operations["getObject"];
        /**
         * Uploads or replaces an object
         * @description At most 4 MiB; larger ones by signed URL. `x-object-meta-<name>` headers are stored as metadata, at most 2048 bytes of names and values in visible ASCII. `Content-Type` is stored. Needs `write`.
         */
        put: operations["putObject"];
        post?: never;
        /**
         * Deletes an object
         * @description A delete is a version of its own. Needs `delete`.
         */
        delete: operations["deleteObject"];
        options?: never;
        /**
         * Downloads an object, or describes it: the headers only
         * @description Metadata comes as `x-object-meta-<name>` headers. Needs `read`. The header fields of a 200 with `view=descriptor` are the validators only.
         */
        head: operations["getObjectHead"];
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
         * Mints a short-lived URL that needs no API key
         * @description Downloads, uploads of up to 5 TiB, and tickets for the change channel. Needs `sign`, and `read`, `write` or `sync`. A ticket takes no Idempotency-Key.
         */
        post: operations["signUrl"];
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
         * Reads the changes of a bucket after a position
         * @description With `Upgrade: websocket` the same address is the change channel, which this document does not describe. Needs `sync` for the whole prefix.
         */
        get: operations["readChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /**
         * Reads the changes of a bucket after a position: the headers only
         * @description With `Upgrade: websocket` the same address is the change channel, which this document does not describe. Needs `sync` for the whole prefix.
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
        /** Says what a page must know before anybody has signed in */
        get: operations["getConfiguration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /** Says what a page must know before anybody has signed in: the headers only */
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
         * Makes an API key for the page itself
         * @description With all permissions, for at most 3600 s and never longer than the access token. Revoke it to sign out.
         */
        post: operations["openSession"];
        delete?: never;
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
         * Lists the API keys, each once, in an order without meaning
         * @description A page may be shorter than `limit` and still have a next one.
         */
        get: operations["listKeys"];
        put?: never;
        /** Makes an API key */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        /**
         * Lists the API keys, each once, in an order without meaning: the headers only
         * @description A page may be shorter than `limit` and still have a next one.
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
         * @description Those that are named; the others stay.
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
         * Revokes an API key, for ever
         * @description Again: the same answer, and nothing changes.
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
         * Gives an API key a new secret
         * @description The old secret works until the overlap ends; a second rotation ends it at once.
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
        /** Lists who changed which API key, newest first */
        get: operations["listAuditRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /** Lists who changed which API key, newest first: the headers only */
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
        /** Counts the requests of an API key, hour by hour */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        /** Counts the requests of an API key, hour by hour: the headers only */
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
         * @description Keys begin with it. Empty: all keys.
         * @example 2026/
         */
        Prefix: string;
        /**
         * @description Names one life of a bucket: one that is deleted and made again under the same name has another.
         * @example 8sKq2LmVx0Tz
         */
        BucketId: string;
        /**
         * @description A position in the sequence of changes of a bucket, which are numbered 1, 2, 3, …
         * @example 8
         */
        Position: number;
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
        /** @description The API key itself. Shown once, stored nowhere. */
        ApiKeyText: string;
        /**
         * @description A ULID: sorts by time.
         * @example 01KAG8Y2M4Q7T9V1X3Z5B7D9F1
         */
        AuditId: string;
        NewBucket: {
            name: components["schemas"]["BucketName"];
        };
        Bucket: {
            name: components["schemas"]["BucketName"];
            created_at: components["schemas"]["Time"];
            cursor: components["schemas"]["Position"];
            /** @description Objects; a few seconds late. */
            object_count: number;
            /** @description Bytes of their current versions; a few seconds late. */
            total_size: number;
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
            /** @description 1 for a new key, one more with each change of it. */
            version: number;
            cursor: components["schemas"]["Position"];
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
        };
        DeletedObject: {
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
            /** @description Of the key: a delete is a version of its own. */
            version: number;
            cursor: components["schemas"]["Position"];
            deleted_at: components["schemas"]["Time"];
        };
        ObjectPage: {
            objects: components["schemas"]["ObjectDescriptor"][];
            /** @description What the delimiter folded, each once. */
            prefixes: string[];
            cursor: components["schemas"]["Position"];
            bucket_id: components["schemas"]["BucketId"];
            /** @description The `page_token` of the next page. Absent on the last one. */
            next_page_token?: string;
        };
        Change: {
            cursor: components["schemas"]["Position"];
            /** @constant */
            type: "put";
            object: components["schemas"]["ObjectDescriptor"];
        } | {
            cursor: components["schemas"]["Position"];
            /** @constant */
            type: "delete";
            object: components["schemas"]["DeletedObject"];
        };
        ChangesPage: {
            bucket: components["schemas"]["BucketName"];
            bucket_id: components["schemas"]["BucketId"];
            from: components["schemas"]["Position"];
            to: components["schemas"]["Position"];
            head: components["schemas"]["Position"];
            /** @description There is more to be read at once. */
            has_more: boolean;
            /** @description Those of the numbers above `from` up to `to`, in order. */
            changes: components["schemas"]["Change"][];
        };
        /** Download */
        SignDownload: {
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
            /** @constant */
            method: "GET";
            /**
             * @description Seconds.
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
             * @description Seconds.
             * @default 300
             */
            expires_in: number;
            /**
             * @description The upload must have exactly this.
             * @example video/mp4
             */
            content_type?: string;
            /**
             * @description Only if there is no such object when it arrives.
             * @constant
             */
            if_none_match?: "*";
            /** @description Only if the object has this etag when it arrives. */
            if_match?: string;
            /** @description Bytes of the upload. */
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
             * @description Seconds.
             * @default 300
             */
            expires_in: number;
            /**
             * @description The upload must have exactly this.
             * @example video/mp4
             */
            content_type?: string;
            /**
             * @description Only if there is no such object when it arrives.
             * @constant
             */
            if_none_match?: "*";
            /** @description Only if the object has this etag when it arrives. */
            if_match?: string;
        };
        /** Upload in parts, further */
        SignPartsAgain: {
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
            /** @constant */
            method: "PUT";
            multipart: {
                /** @description Of an upload that was begun and has not ended: its URLs are signed again. */
                upload_id: string;
            };
            /**
             * @description Seconds.
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
             * @description Serves without an API key until it expires.
             */
            url: string;
            /** @constant */
            method: "GET";
            /** @description Headers that whoever uses the URL must send. */
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
             * @description Serves without an API key until it expires.
             */
            url: string;
            /** @constant */
            method: "PUT";
            /** @description Headers that whoever uses the URL must send. */
            headers: {
                [key: string]: string;
            };
            expires_at: components["schemas"]["Time"];
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
            /** @description Names the upload. */
            upload_id: string;
        };
        MultipartUpload: {
            /** @description Names the upload. */
            upload_id: string;
            bucket: components["schemas"]["BucketName"];
            key: components["schemas"]["ObjectKey"];
            /** @description Bytes of every part but the last. */
            part_size: number;
            parts: {
                /** @description Of the part. */
                number: number;
                /**
                 * Format: uri
                 * @description Serves without an API key until it expires.
                 */
                url: string;
            }[];
            complete: {
                /**
                 * Format: uri
                 * @description Serves without an API key until it expires.
                 */
                url: string;
                /** @constant */
                method: "POST";
                /** @description Headers that whoever uses the URL must send. */
                headers: {
                    [key: string]: string;
                };
            };
            abort: {
                /**
                 * Format: uri
                 * @description Serves without an API key until it expires.
                 */
                url: string;
                /** @constant */
                method: "DELETE";
                /** @description Headers that whoever uses the URL must send. */
                headers: {
                    [key: string]: string;
                };
            };
            expires_at: components["schemas"]["Time"];
        };
        SignedRequest: components["schemas"]["SignedDownload"] | components["schemas"]["SignedUpload"] | components["schemas"]["MultipartUpload"] | components["schemas"]["Ticket"];
        Ticket: {
            /**
             * Format: uri
             * @description Serves without an API key until it expires.
             */
            url: string;
            /** @constant */
            method: "SYNC";
            /** @description Headers that whoever uses the URL must send. */
            headers: {
                [key: string]: string;
            };
            expires_at: components["schemas"]["Time"];
            bucket: components["schemas"]["BucketName"];
            prefix?: components["schemas"]["Prefix"];
        };
        Permission: {
            buckets: string[];
            actions: ("read" | "write" | "delete" | "list" | "sync" | "sign" | "create_bucket" | "delete_bucket")[];
            prefix?: components["schemas"]["Prefix"];
        };
        NewKey: {
            /**
             * @description 1 to 100 characters without control characters; white space around them is dropped.
             * @example nightly backup
             */
            name: string;
            /** @description They add up. */
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
             * @description 1 to 100 characters without control characters; white space around them is dropped.
             * @example nightly backup
             */
            name?: string;
            /** @description They add up. */
            permissions?: components["schemas"]["Permission"][];
            /**
             * @description The rate limits that the key has.
             * @example default
             */
            tier?: string;
            /**
             * @description As in a new key; null removes the expiry.
             * @example 2027-01-31T12:00:00Z
             */
            expires_at?: string | null;
        };
        Rotation: {
            /**
             * @description How long the old secret still works.
             * @default 86400
             */
            overlap_seconds: number;
        };
        NoFields: Record<string, never>;
        Key: {
            id: components["schemas"]["ApiKeyId"];
            /** @description What people call it. */
            name: string;
            permissions: components["schemas"]["Permission"][];
            /** @description The rate limits that the key has. */
            tier: string;
            /** @enum {string} */
            state: "active" | "expired" | "revoked";
            created_at: components["schemas"]["Time"];
            /** @description The permissions in plain words. */
            summary: string[];
            /** @description Who made it. */
            created_by?: string;
            expires_at?: components["schemas"]["Time"];
            revoked_at?: components["schemas"]["Time"];
            /** @description Who revoked it. */
            revoked_by?: string;
            /** @description Until then the previous secret works too. */
            rotating_until?: components["schemas"]["Time"];
            /** @description To the hour. Absent: never. */
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
                /** @description Requests of class `connect`. */
                connect: number;
                /** @description Requests that were refused with 429. */
                limited: number;
            };
        };
        KeyPage: {
            keys: components["schemas"]["Key"][];
            /** @description The `page_token` of the next page. Absent on the last one. */
            next_page_token?: string;
        };
        MadeKey: {
            key: components["schemas"]["Key"];
            api_key: components["schemas"]["ApiKeyText"];
        };
        Session: {
            api_key: components["schemas"]["ApiKeyText"];
            key_id: components["schemas"]["ApiKeyId"];
            expires_at: components["schemas"]["Time"];
        };
        AuditRecord: {
            id: components["schemas"]["AuditId"];
            at: components["schemas"]["Time"];
            /** @description The name by which the issuer knows the person. */
            actor: string;
            /** @description The `sub` of the token. */
            actor_id: string;
            /** @enum {string} */
            action: "create" | "change" | "revoke" | "rotate" | "session";
            key_id: components["schemas"]["ApiKeyId"];
            /** @description What was set or changed, by the names of the key’s fields. Never a secret. */
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
            /** @description Oldest first, without a gap; the present hour is in it. */
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
                /** @description Requests of class `connect`. */
                connect: number;
                /** @description Requests that were refused with 429. */
                limited: number;
            }[];
        };
        Configuration: {
            /**
             * Format: uri
             * @description Who signs in the administrators: an OpenID Connect issuer.
             */
            issuer: string;
            /** @description The public client of the issuer, without a secret. */
            client_id: string;
            scopes: string[];
            /** @description Further query parameters of the authorization request. */
            authorize_parameters: {
                [key: string]: string;
            };
            /** @description Where the storage interface begins. */
            api_base: string;
            /**
             * Format: uri
             * @description Where the change channel is opened.
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
                    connect: {
                        /** @description Requests per second. */
                        rate: number;
                        /** @description Requests at once. */
                        burst: number;
                    };
                };
            };
            /** @description How long a session lasts at most. */
            session_seconds: number;
            /** @description Of the service. */
            version: string;
            /**
             * Format: uri
             * @description The percent-encoded address to come back to is to be put behind it. Absent: the issuer’s own end_session_endpoint.
             */
            sign_out_url?: string;
        };
        Error: {
            error: {
                /**
                 * @description What programs read. Never changes.
                 * @enum {string}
                 */
                code: "invalid_request" | "unauthorized" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "cursor_expired" | "precondition_failed" | "payload_too_large" | "range_not_satisfiable" | "rate_limited" | "internal" | "unavailable";
                /** @description What people read. */
                message: string;
                /** @description To be quoted when the failure is reported. */
                request_id: string;
                /** @description What a program may act upon; depends on the code. */
                details?: {
                    /** @description Of an invalid request: the field, header or parameter. */
                    field?: string;
                    /** @description Of an invalid request: the rule that it breaks. */
                    rule?: string;
                    /** @description The action that the API key lacks. */
                    action?: string;
                    /** @description The bucket that the refusal is about. */
                    bucket?: string;
                    /** @description The object that the refusal is about. */
                    key?: string;
                    /** @description Bytes of the object. */
                    size?: number;
                    oldest?: components["schemas"]["Position"];
                    head?: components["schemas"]["Position"];
                    /**
                     * @description Which of the conflicts, or why a position has expired.
                     * @enum {string}
                     */
                    reason?: "revoked" | "expired" | "bucket_replaced";
                    /**
                     * @description The class of requests whose limit is exceeded.
                     * @enum {string}
                     */
                    class?: "read" | "write" | "list" | "sign" | "connect";
                    /** @description Seconds, as in Retry-After. */
                    retry_after?: number;
                    /** @description The methods that the path answers. */
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
        /** @description `not_found`: there is nothing under this path. */
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
        /** @description `cursor_expired`: the position is older than the retention. */
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
        /** @description `internal`: something failed on our side; quote the request_id. */
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
        /** @description `unavailable`: the service cannot answer at the moment; try again after Retry-After seconds. */
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
        /** @description The address is longer than API Gateway, or CloudFront, takes. */
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
        /** @description `internal`: a function broke off, and the gateway answers in its place. */
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
        /** @description `not_found`: there is nothing under this path. */
        HeadNotFound: {
            headers: {
                "Cache-Control": components["headers"]["NotKept"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description `cursor_expired`: the position is older than the retention. */
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
        /** @description `internal`: something failed on our side; quote the request_id. */
        HeadInternal: {
            headers: {
                "Cache-Control": components["headers"]["NotKept"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description `unavailable`: the service cannot answer at the moment; try again after Retry-After seconds. */
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
        /** @description The address is longer than API Gateway, or CloudFront, takes. */
        HeadUriTooLong: {
            headers: {
                "Cache-Control": components["headers"]["NotKept"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description `internal`: a function broke off, and the gateway answers in its place. */
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
         * @description The key, percent-encoded. Slashes may be sent as they are, which OpenAPI has no way to say: `%2F` and `/` are the same here.
         * @example 2026/cat.jpg
         */
        Key: components["schemas"]["ObjectKey"];
        /**
         * @description The id of an API key.
         * @example 3kTf9ZpQw1Lm
         */
        KeyId: components["schemas"]["ApiKeyId"];
        /** @description Entries of the page at most. */
        Limit: number;
        /** @description Numbers that the page covers at most. */
        ChangesLimit: number;
        /** @description The `next_page_token` of the page before, with the same other parameters. */
        PageToken: string;
        /** @description Only keys that begin with it. */
        Prefix: components["schemas"]["Prefix"];
        /** @description Keys that contain it behind the prefix are folded into `prefixes`. */
        Delimiter: components["schemas"]["Prefix"];
        /** @description Only keys behind it; it need not exist. */
        StartAfter: components["schemas"]["Prefix"];
        /** @description An older version, as long as it is kept. */
        Version: number;
        /** @description Answers the descriptor instead of the bytes. */
        View: "descriptor";
        /**
         * @description The bucket to follow.
         * @example photos
         */
        FollowedBucket: components["schemas"]["BucketName"];
        /** @description Your position: the changes after it are answered. From now on when it is absent. */
        Cursor: components["schemas"]["Position"];
        /** @description Of an earlier answer: a bucket made again under the same name is told apart. */
        BucketId: components["schemas"]["BucketId"];
        /** @description Seconds to wait for something new. */
        Wait: number;
        /**
         * @description The id of an API key.
         * @example 3kTf9ZpQw1Lm
         */
        UsedKey: components["schemas"]["ApiKeyId"];
        /** @description So many days, today included. */
        Days: number;
        /** @description RFC 9110 §13.1.1: etags, or `*`. */
        IfMatch: string;
        /** @description RFC 9110 §13.1.2: etags, or `*`. */
        IfNoneMatch: string;
        /** @description RFC 9110 §13.1.3; ignored beside If-None-Match. */
        IfModifiedSince: string;
        /** @description RFC 9110 §13.1.4; ignored beside If-Match. */
        IfUnmodifiedSince: string;
        /** @description RFC 9110 §13.1.5: the etag, or the exact Last-Modified. */
        IfRange: string;
        /** @description RFC 9110 §14.2: one range of bytes. Several, another unit and what is malformed are ignored. */
        Range: string;
        /** @description RFC 9530: sha-256 or sha-512 of the body, which is verified. */
        ContentDigest: string;
        /** @description Stored with the object, and answered with it. */
        CacheControl: string;
        /** @description Stored with the object, and answered with it. */
        ContentDisposition: string;
        /** @description Stored with the object, and answered with it. */
        ContentEncoding: string;
        /** @description Stored with the object, and answered with it. */
        ContentLanguage: string;
        /** @description Makes a retry safe: within 24 hours the same request is answered as the first one was. Another request under the same key is 400. */
        IdempotencyKey: string;
    };
    requestBodies: never;
    headers: {
        /** @description Not kept. */
        NoStore: "no-store";
        /** @description Not kept. The gateway’s own refusals do not say so. */
        NotKept: "no-store";
        /** @description As stored. */
        CacheControl: string;
        /** @description As stored. */
        ContentDisposition: string;
        /** @description As stored. */
        ContentEncoding: string;
        /** @description As stored. */
        ContentLanguage: string;
        /** @description Of the version; strong. */
        ETag: string;
        /** @description `updated_at` in whole seconds. */
        LastModified: string;
        /** @description RFC 9110 §14.3. */
        AcceptRanges: "bytes";
        /** @description Which bytes these are, of how many. */
        ContentRange: string;
        /** @description RFC 9530, of the whole object; where the checksum is known. */
        ReprDigest: string;
        /** @description Stored bytes are never guessed at. */
        NoSniff: "nosniff";
        /** @description Stored bytes are never run as a page of this origin. */
        Sandbox: "sandbox; default-src 'none'";
        /** @description Of the key. */
        Version: number;
        /** @description The position in the sequence of changes of the bucket. */
        Position: components["schemas"]["Position"];
        /** @description Where to find it. */
        Location: string;
        /** @description RFC 6750. */
        WwwAuthenticate: string;
        /** @description Seconds. */
        RetryAfter: number;
        /** @description What is left of the limit that the request counted for. */
        RateLimit: string;
        /** @description The limit that the request counted for. */
        RateLimitPolicy: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listBuckets: {
        parameters: {
            query?: {
                /** @description Entries of the page at most. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next_page_token` of the page before, with the same other parameters. */
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
                /** @description Makes a retry safe: within 24 hours the same request is answered as the first one was. Another request under the same key is 400. */
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
                    "x-object-cursor": components["headers"]["Position"];
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
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
                /** @description Entries of the page at most. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next_page_token` of the page before, with the same other parameters. */
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
                    "x-object-cursor": components["headers"]["Position"];
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
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
                /** @description Makes a retry safe: within 24 hours the same request is answered as the first one was. Another request under the same key is 400. */
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
            /** @description It is gone. */
            204: {
                headers: {
                    "x-object-cursor": components["headers"]["Position"];
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
                    "x-object-cursor": components["headers"]["Position"];
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
    listObjects: {
        parameters: {
            query?: {
                /** @description Only keys that begin with it. */
                prefix?: components["parameters"]["Prefix"];
                /** @description Keys that contain it behind the prefix are folded into `prefixes`. */
                delimiter?: components["parameters"]["Delimiter"];
                /** @description Only keys behind it; it need not exist. */
                start_after?: components["parameters"]["StartAfter"];
                /** @description Entries of the page at most. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next_page_token` of the page before, with the same other parameters. */
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
            /** @description A page of objects and folded prefixes. */
            200: {
                headers: {
                    "x-object-cursor": components["headers"]["Position"];
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
                /** @description Only keys that begin with it. */
                prefix?: components["parameters"]["Prefix"];
                /** @description Keys that contain it behind the prefix are folded into `prefixes`. */
                delimiter?: components["parameters"]["Delimiter"];
                /** @description Only keys behind it; it need not exist. */
                start_after?: components["parameters"]["StartAfter"];
                /** @description Entries of the page at most. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next_page_token` of the page before, with the same other parameters. */
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
            /** @description A page of objects and folded prefixes. */
            200: {
                headers: {
                    "x-object-cursor": components["headers"]["Position"];
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
    getObject: {
        parameters: {
            query?: {
                /** @description An older version, as long as it is kept. */
                version?: components["parameters"]["Version"];
                /** @description Answers the descriptor instead of the bytes. */
                view?: components["parameters"]["View"];
            };
            header?: {
                /** @description RFC 9110 §14.2: one range of bytes. Several, another unit and what is malformed are ignored. */
                Range?: components["parameters"]["Range"];
                /** @description RFC 9110 §13.1.5: the etag, or the exact Last-Modified. */
                "If-Range"?: components["parameters"]["IfRange"];
                /** @description RFC 9110 §13.1.1: etags, or `*`. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description RFC 9110 §13.1.2: etags, or `*`. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /** @description RFC 9110 §13.1.3; ignored beside If-None-Match. */
                "If-Modified-Since"?: components["parameters"]["IfModifiedSince"];
                /** @description RFC 9110 §13.1.4; ignored beside If-Match. */
                "If-Unmodified-Since"?: components["parameters"]["IfUnmodifiedSince"];
            };
            path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                bucket: components["parameters"]["Bucket"];
                /**
                 * @description The key, percent-encoded. Slashes may be sent as they are, which OpenAPI has no way to say: `%2F` and `/` are the same here.
                 * @example 2026/cat.jpg
                 */
                key: components["parameters"]["Key"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of it; with `view=descriptor` the descriptor. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["LastModified"];
                    "x-object-version": components["headers"]["Version"];
                    "x-object-cursor": components["headers"]["Position"];
                    "Accept-Ranges": components["headers"]["AcceptRanges"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["Sandbox"];
                    "Repr-Digest": components["headers"]["ReprDigest"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Content-Disposition": components["headers"]["ContentDisposition"];
                    "Content-Encoding": components["headers"]["ContentEncoding"];
                    "Content-Language": components["headers"]["ContentLanguage"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ObjectDescriptor"] | unknown;
                    "*/*": unknown;
                };
            };
            /** @description The bytes of the range. */
            206: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["LastModified"];
                    "x-object-version": components["headers"]["Version"];
                    "x-object-cursor": components["headers"]["Position"];
                    "Content-Range": components["headers"]["ContentRange"];
                    "Accept-Ranges": components["headers"]["AcceptRanges"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["Sandbox"];
                    "Repr-Digest": components["headers"]["ReprDigest"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Content-Disposition": components["headers"]["ContentDisposition"];
                    "Content-Encoding": components["headers"]["ContentEncoding"];
                    "Content-Language": components["headers"]["ContentLanguage"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description The client has it already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["LastModified"];
                    "x-object-version": components["headers"]["Version"];
                    "x-object-cursor": components["headers"]["Position"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description More than 10 MB (4 MiB where the deployment does not stream): `Location` serves the bytes without an API key for 60 s. */
            307: {
                headers: {
                    Location: components["headers"]["Location"];
                    "Cache-Control": components["headers"]["NoStore"];
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["LastModified"];
                    "x-object-version": components["headers"]["Version"];
                    "x-object-cursor": components["headers"]["Position"];
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
                /** @description RFC 9110 §13.1.4; ignored beside If-Match. */
                "If-Unmodified-Since"?: components["parameters"]["IfUnmodifiedSince"];
                /** @description RFC 9530: sha-256 or sha-512 of the body, which is verified. */
                "Content-Digest"?: components["parameters"]["ContentDigest"];
                /** @description Stored with the object, and answered with it. */
                "Cache-Control"?: components["parameters"]["CacheControl"];
                /** @description Stored with the object, and answered with it. */
                "Content-Disposition"?: components["parameters"]["ContentDisposition"];
                /** @description Stored with the object, and answered with it. */
                "Content-Encoding"?: components["parameters"]["ContentEncoding"];
                /** @description Stored with the object, and answered with it. */
                "Content-Language"?: components["parameters"]["ContentLanguage"];
                /** @description Makes a retry safe: within 24 hours the same request is answered as the first one was. Another request under the same key is 400. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                bucket: components["parameters"]["Bucket"];
                /**
                 * @description The key, percent-encoded. Slashes may be sent as they are, which OpenAPI has no way to say: `%2F` and `/` are the same here.
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
            /** @description It was replaced. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["LastModified"];
                    "x-object-version": components["headers"]["Version"];
                    "x-object-cursor": components["headers"]["Position"];
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
            /** @description It is new. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["LastModified"];
                    "x-object-version": components["headers"]["Version"];
                    "x-object-cursor": components["headers"]["Position"];
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
                /** @description RFC 9110 §13.1.4; ignored beside If-Match. */
                "If-Unmodified-Since"?: components["parameters"]["IfUnmodifiedSince"];
                /** @description Makes a retry safe: within 24 hours the same request is answered as the first one was. Another request under the same key is 400. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                bucket: components["parameters"]["Bucket"];
                /**
                 * @description The key, percent-encoded. Slashes may be sent as they are, which OpenAPI has no way to say: `%2F` and `/` are the same here.
                 * @example 2026/cat.jpg
                 */
                key: components["parameters"]["Key"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            200: {
                headers: {
                    "x-object-version": components["headers"]["Version"];
                    "x-object-cursor": components["headers"]["Position"];
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
                /** @description An older version, as long as it is kept. */
                version?: components["parameters"]["Version"];
                /** @description Answers the descriptor instead of the bytes. */
                view?: components["parameters"]["View"];
            };
            header?: {
                /** @description RFC 9110 §14.2: one range of bytes. Several, another unit and what is malformed are ignored. */
                Range?: components["parameters"]["Range"];
                /** @description RFC 9110 §13.1.5: the etag, or the exact Last-Modified. */
                "If-Range"?: components["parameters"]["IfRange"];
                /** @description RFC 9110 §13.1.1: etags, or `*`. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description RFC 9110 §13.1.2: etags, or `*`. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /** @description RFC 9110 §13.1.3; ignored beside If-None-Match. */
                "If-Modified-Since"?: components["parameters"]["IfModifiedSince"];
                /** @description RFC 9110 §13.1.4; ignored beside If-Match. */
                "If-Unmodified-Since"?: components["parameters"]["IfUnmodifiedSince"];
            };
            path: {
                /**
                 * @description The bucket.
                 * @example photos
                 */
                bucket: components["parameters"]["Bucket"];
                /**
                 * @description The key, percent-encoded. Slashes may be sent as they are, which OpenAPI has no way to say: `%2F` and `/` are the same here.
                 * @example 2026/cat.jpg
                 */
                key: components["parameters"]["Key"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of it; with `view=descriptor` the descriptor. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["LastModified"];
                    "x-object-version": components["headers"]["Version"];
                    "x-object-cursor": components["headers"]["Position"];
                    "Accept-Ranges": components["headers"]["AcceptRanges"];
                    "X-Content-Type-Options": components["headers"]["NoSniff"];
                    "Content-Security-Policy": components["headers"]["Sandbox"];
                    "Repr-Digest": components["headers"]["ReprDigest"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    "Content-Disposition": components["headers"]["ContentDisposition"];
                    "Content-Encoding": components["headers"]["ContentEncoding"];
                    "Content-Language": components["headers"]["ContentLanguage"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The client has it already. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Last-Modified": components["headers"]["LastModified"];
                    "x-object-version": components["headers"]["Version"];
                    "x-object-cursor": components["headers"]["Position"];
                    "Cache-Control": components["headers"]["CacheControl"];
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
            412: components["responses"]["HeadPreconditionFailed"];
            414: components["responses"]["HeadUriTooLong"];
            429: components["responses"]["HeadRateLimited"];
            500: components["responses"]["HeadInternal"];
            502: components["responses"]["HeadBadGateway"];
            503: components["responses"]["HeadUnavailable"];
        };
    };
    signUrl: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: within 24 hours the same request is answered as the first one was. Another request under the same key is 400. */
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
            /** @description What was asked for. */
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
    readChanges: {
        parameters: {
            query: {
                /**
                 * @description The bucket to follow.
                 * @example photos
                 */
                bucket: components["parameters"]["FollowedBucket"];
                /** @description Your position: the changes after it are answered. From now on when it is absent. */
                cursor?: components["parameters"]["Cursor"];
                /** @description Only keys that begin with it. */
                prefix?: components["parameters"]["Prefix"];
                /** @description Numbers that the page covers at most. */
                limit?: components["parameters"]["ChangesLimit"];
                /** @description Seconds to wait for something new. */
                wait?: components["parameters"]["Wait"];
                /** @description Of an earlier answer: a bucket made again under the same name is told apart. */
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
            /** @description A page, which covers the numbers above `from` up to `to`. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
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
            /** @description The head is still the same. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["NoStore"];
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
                 * @description The bucket to follow.
                 * @example photos
                 */
                bucket: components["parameters"]["FollowedBucket"];
                /** @description Your position: the changes after it are answered. From now on when it is absent. */
                cursor?: components["parameters"]["Cursor"];
                /** @description Only keys that begin with it. */
                prefix?: components["parameters"]["Prefix"];
                /** @description Numbers that the page covers at most. */
                limit?: components["parameters"]["ChangesLimit"];
                /** @description Seconds to wait for something new. */
                wait?: components["parameters"]["Wait"];
                /** @description Of an earlier answer: a bucket made again under the same name is told apart. */
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
            /** @description A page, which covers the numbers above `from` up to `to`. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["NoStore"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The head is still the same. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
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
    getConfiguration: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Public. */
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
            /** @description Public. */
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
            /** @description The key, once. */
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
    listKeys: {
        parameters: {
            query?: {
                /** @description Entries of the page at most. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next_page_token` of the page before, with the same other parameters. */
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
            /** @description The key, and its text, once. */
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
                    "application/json": components["schemas"]["MadeKey"];
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
                /** @description Entries of the page at most. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next_page_token` of the page before, with the same other parameters. */
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
            /** @description The key, and its new text, once. */
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
                    "application/json": components["schemas"]["MadeKey"];
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
                /** @description Entries of the page at most. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next_page_token` of the page before, with the same other parameters. */
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
                /** @description Entries of the page at most. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next_page_token` of the page before, with the same other parameters. */
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
                /** @description So many days, today included. */
                days?: components["parameters"]["Days"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Requests by class, and those that were refused with 429. */
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
                /** @description So many days, today included. */
                days?: components["parameters"]["Days"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Requests by class, and those that were refused with 429. */
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
