/** Shows an object: a picture, a text, a PDF, a sound or a video. */
import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import Spinner from '@cloudscape-design/components/spinner';
import { useCallback, useState } from 'react';
import type { ObjectDescriptor } from '../../../client/resources';
import { shownText } from '../../../core/hidden';
import { Failure } from '../parts/failure';
import { sizeText } from '../parts/format';
import { useLoad } from '../parts/use-load';
import { useSession } from '../session/session-context';
import { beginningOf, frameUrl, showingUrl, TEXT_BYTES } from './content';
import { type PreviewKind, previewKind } from './preview-kind';

export function Preview({ object }: { readonly object: ObjectDescriptor }) {
  const kind = previewKind(object);
  if (kind === undefined) return null;
  return (
    <Container header={<Header variant="h2">Preview</Header>}>
      <Content key={`${object.key} ${object.version}`} object={object} kind={kind} />
    </Container>
  );
}

interface ContentProps {
  readonly object: ObjectDescriptor;
  readonly kind: PreviewKind;
}

function Content({ object, kind }: ContentProps) {
  const { client } = useSession();
  // The parent gives this component a new key when the object changes.
  const [shown] = useState(object);
  const load = useCallback(
    (signal: AbortSignal) => {
      if (kind === 'text') return beginningOf(client, shown, signal);
      return (kind === 'pdf' ? frameUrl : showingUrl)(client, shown, signal);
    },
    [client, shown, kind],
  );
  const { value, error, reload } = useLoad(load);
  if (error !== undefined) {
    return <Failure what="The preview could not be read" error={error} retry={reload} />;
  }
  if (value === undefined) {
    return (
      <Box textAlign="center" padding="l">
        <Spinner /> Reading the preview …
      </Box>
    );
  }
  return kind === 'text' ? (
    <TextPreview object={object} text={value} />
  ) : (
    <MediaPreview object={object} kind={kind} url={value} />
  );
}

function TextPreview({
  object,
  text,
}: {
  readonly object: ObjectDescriptor;
  readonly text: string;
}) {
  return (
    <>
      {/* Focusable, so that a keyboard can scroll it (WCAG 2.1.1). */}
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
        tabIndex={0}
        className="preview-scroll"
        aria-label={`Content of ${shownText(object.key)}`}
      >
        <pre className="preview-text">{text}</pre>
      </section>
      {object.size > TEXT_BYTES && (
        <Box variant="small">
          The first {sizeText(TEXT_BYTES)} of {sizeText(object.size)}.
        </Box>
      )}
    </>
  );
}

function MediaPreview({ object, kind, url }: ContentProps & { readonly url: string }) {
  const [isBroken, setBroken] = useState(false);
  if (isBroken) return <Box variant="p">The browser cannot show this content.</Box>;
  const broken = () => setBroken(true);
  const name = shownText(object.key);
  switch (kind) {
    case 'picture':
      return <img className="preview" src={url} alt={name} onError={broken} />;
    case 'audio':
      // biome-ignore lint/a11y/useMediaCaption: stored content has no captions of its own
      return <audio controls src={url} aria-label={name} onError={broken} />;
    case 'video':
      return (
        // biome-ignore lint/a11y/useMediaCaption: stored content has no captions of its own
        <video
          className="preview"
          controls
          preload="metadata"
          src={url}
          aria-label={name}
          onError={broken}
        />
      );
    default:
      // No sandbox: Chromium shows no PDF in one. The frame has the origin of the store.
      return <iframe className="preview-frame" src={url} title={`Content of ${name}`} />;
  }
}
