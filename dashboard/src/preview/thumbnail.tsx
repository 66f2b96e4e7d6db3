/** A small picture of an object in a grid, read when it comes into view. */
import Icon from '@cloudscape-design/components/icon';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Entry } from '../objects/entries';
import { useLoad } from '../parts/use-load';
import { useSession } from '../session/session-context';
import { showingUrl } from './content';
import { previewKind } from './preview-kind';

/** Bytes. A larger picture would be sent whole for a few hundred pixels. */
const LARGEST = 4 * 1024 * 1024;

export function Thumbnail({ bucket, entry }: { readonly bucket: string; readonly entry: Entry }) {
  const object = entry.kind === 'object' ? entry.object : undefined;
  const isPicture = object && object.size <= LARGEST && previewKind(object) === 'picture';
  return (
    <div className="thumbnail">
      {isPicture ? (
        <Picture key={object.version} bucket={bucket} objectKey={object.key} />
      ) : (
        <Icon name={entry.kind === 'folder' ? 'folder' : 'file'} size="large" />
      )}
    </div>
  );
}

function Picture({
  bucket,
  objectKey: key,
}: {
  readonly bucket: string;
  readonly objectKey: string;
}) {
  const { client } = useSession();
  const place = useRef<HTMLDivElement>(null);
  const isSeen = useSeen(place);
  const load = useCallback(
    async (signal: AbortSignal) =>
      isSeen ? showingUrl(client, { bucket, key }, signal) : undefined,
    [client, bucket, key, isSeen],
  );
  const { value: url, error } = useLoad(load);
  const [isBroken, setBroken] = useState(false);
  return (
    <div ref={place}>
      {url !== undefined && !isBroken && error === undefined ? (
        // The name stands above it.
        <img src={url} alt="" onError={() => setBroken(true)} />
      ) : (
        <Icon name="file" size="large" />
      )}
    </div>
  );
}

/** Whether the element has been in view. */
function useSeen(place: { readonly current: Element | null }): boolean {
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      setSeen(true);
      observer.disconnect();
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [place]);
  return isSeen;
}
