/** Reports changes below a folder soon. Some may be lost, so comparisons are still necessary. */
import { type FSWatcher, watch } from 'node:fs';
import path from 'node:path';
import { pathOf } from './local-files';

/** Systems whose watchers see everything below a folder. Elsewhere each folder has its own. */
const IS_RECURSIVE = process.platform === 'darwin' || process.platform === 'win32';

export class FolderWatch {
  readonly #watchers = new Map<string, FSWatcher>();
  #isLimited = false;

  constructor(
    private readonly root: string,
    private readonly changed: (name: string) => void,
    private readonly limited: (error: unknown) => void,
  ) {}

  /**
   * Watches folders that are not watched yet, by their names; empty for the folder itself. Returns
   * whether there were any: earlier changes in them were not reported.
   */
  add(folders: Iterable<string>): boolean {
    const before = this.#watchers.size;
    for (const folder of folders) {
      if (this.#watchers.has(folder) || (IS_RECURSIVE && folder !== '')) continue;
      this.#watch(folder);
    }
    return this.#watchers.size > before;
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #watch(folder: string): void {
    try {
      const options = { recursive: IS_RECURSIVE, persistent: false };
      const watcher = watch(pathOf(this.root, folder), options, (_event, file) => {
        if (file === null) this.changed(folder);
        else this.changed(path.posix.join(folder, file.split(path.sep).join('/')));
      });
      watcher.on('error', () => {
        this.#end(folder);
        this.changed(folder);
      });
      this.#watchers.set(folder, watcher);
    } catch (error) {
      const { code } = error as { code?: unknown };
      // The folder has been removed.
      if (code === 'ENOENT' || code === 'ENOTDIR' || this.#isLimited) return;
      this.#isLimited = true;
      this.limited(error);
    }
  }

  /** As when the folder is removed: another one of this name gets a watcher of its own. */
  forget(folder: string): void {
    for (const name of [...this.#watchers.keys()]) {
      if (name === folder || name.startsWith(`${folder}/`)) this.#end(name);
    }
  }

  #end(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }
}
