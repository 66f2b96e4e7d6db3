/** Files that are dragged from the desktop into the page. */
import type { Page } from 'playwright-core';

/** Drops a file of the disk on the page. A script cannot create such a File itself. */
export async function drop(page: Page, file: string): Promise<void> {
  await page.evaluate(() => {
    const input = document.createElement('input');
    input.type = 'file';
    input.id = 'desktop';
    document.body.append(input);
  });
  await page.locator('#desktop').setInputFiles(file);
  await page.evaluate(() => {
    const input = document.getElementById('desktop') as HTMLInputElement;
    const dataTransfer = new DataTransfer();
    for (const dropped of input.files ?? []) dataTransfer.items.add(dropped);
    input.remove();
    const zone = document.querySelector('.drop');
    const init = { bubbles: true, cancelable: true, dataTransfer };
    zone?.dispatchEvent(new DragEvent('dragover', init));
    zone?.dispatchEvent(new DragEvent('drop', init));
  });
}

/** Returns whether `url` is the signed URL of a part. */
export const isPart = (url: URL) => url.searchParams.has('partNumber');
