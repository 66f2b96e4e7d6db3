/** The options of `stowage serve`, as commander reads them. */
export interface ServeOptions {
  readonly host: string;
  readonly port: number;
  readonly memory?: boolean;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly origin?: readonly string[];
  readonly maxConnections?: number;
  readonly oidcIssuer?: string;
  readonly oidcClientId?: string;
  readonly oidcAudience?: string;
  readonly oidcScopes: string;
  readonly adminClaim?: string;
  /** Days. */
  readonly retention: number;
  /** false: API keys have no rate limits. */
  readonly rateLimits: boolean;
  readonly metricsPort?: number;
  readonly logRequests?: boolean;
  readonly quiet?: boolean;
}
