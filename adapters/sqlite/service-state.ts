import type { ServiceState } from '../../core/service-state';
import type { Database } from './database';

/** The ServiceState port. */
export class SqliteServiceState implements ServiceState {
  constructor(private readonly database: Database) {}

  async load(name: string): Promise<string | undefined> {
    const row = this.database.get('SELECT value FROM service_state WHERE name = ?', name);
    return row && String(row.value);
  }

  async save(name: string, value: string): Promise<void> {
    await this.database.write((tx) =>
      tx.run('INSERT OR REPLACE INTO service_state VALUES (?, ?)', [name, value]),
    );
  }

  once(name: string, initial: string): Promise<string> {
    return this.database.write((tx) => {
      const row = tx.get('SELECT value FROM service_state WHERE name = ?', [name]);
      if (row) return String(row.value);
      tx.run('INSERT INTO service_state VALUES (?, ?)', [name, initial]);
      return initial;
    });
  }
}
