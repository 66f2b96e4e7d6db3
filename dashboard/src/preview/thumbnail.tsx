/** A small picture of an object in the grid, loaded when it comes into view. */
import Icon from '@cloudscape-design/components/icon';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { ObjectDescriptor } from '../../../client/resources';
import { useLoad } from '../parts/use-load';
import { useSession } from '../session/session-context';
import { showingUrl } from './content';
import { previewKind } from './preview-kind';

/** Largest size in bytes: the whole picture is downloaded, for a few hundred pixels. */
const LARGEST = 4 * 1024 * 1024;

export function Thumbnail({ object }: { readonly object: ObjectDescriptor }) {
  const isPicture = object.size <= LARGEST && previewKind(object) === 'picture';
  if (!isPicture) return <Icon name="file" size="large" />;
  return <Picture key={object.version} bucket={object.bucket} objectKey={object.key} />;
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
        // Decorative: the name stands above it.
        <img src={url} alt="" onError={() => setBroken(true)} />
      ) : (
        <Icon name="file" size="large" />
      )}
    </div>
  );
}

/** Returns whether the element has been in view. */
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
