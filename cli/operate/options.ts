/** The options of the operator's commands, as commander reads them. */

interface TableOptions {
  readonly table?: string;
  readonly auditTable?: string;
}

export interface CreateKeyOptions extends TableOptions {
  readonly name: string;
  readonly expiresInDays?: number;
  readonly tier?: string;
}

export interface RevokeKeyOptions extends TableOptions {
  readonly ratesTable?: string;
}

export interface SmokeOptions {
  readonly baseUrl?: string;
  readonly apiUrl?: string;
  readonly only: string;
}
