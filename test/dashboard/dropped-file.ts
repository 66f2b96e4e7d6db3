/** Files on their way from the desktop into the page, and from there into the store. */
import type { Page } from 'playwright-core';

/** As if dragged from the desktop: the file is one of the disk, which a page cannot make up. */
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

/** Whether it is the signed URL of a part. */
export const isPart = (url: URL) => url.searchParams.has('partNumber');
