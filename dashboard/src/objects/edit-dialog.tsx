/** The dialog that changes the content headers and the metadata of an object. */
import AttributeEditor from '@cloudscape-design/components/attribute-editor';
import Box from '@cloudscape-design/components/box';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import { useCallback, useState } from 'react';
import type { StowageClient } from '../../../client/client';
import type { NewContent } from '../../../client/commits';
import { shownText } from '../../../core/hidden';
import { Failure } from '../parts/failure';
import { FormDialog } from '../parts/form-dialog';
import { Text } from '../parts/text';
import { useLoad } from '../parts/use-load';
import { useSession } from '../session/session-context';

const HEADERS = [
  { name: 'contentType', label: 'Content type', example: 'image/jpeg' },
  { name: 'cacheControl', label: 'Cache-Control', example: 'max-age=3600' },
  { name: 'contentDisposition', label: 'Content-Disposition', example: 'inline' },
  { name: 'contentEncoding', label: 'Content-Encoding', example: 'gzip' },
  { name: 'contentLanguage', label: 'Content-Language', example: 'en' },
] as const;

type HeaderName = (typeof HEADERS)[number]['name'];
type Headers = Readonly<Record<HeaderName, string>>;
type Metadata = readonly { readonly name: string; readonly value: string }[];

interface Content {
  readonly etag: string;
  readonly headers: Headers;
  readonly metadata: Metadata;
}

interface EditDialogProps {
  readonly bucket: string;
  readonly objectKey: string;
  readonly changed: () => void;
  readonly close: () => void;
}

export function EditDialog(props: EditDialogProps) {
  const { bucket, objectKey: key, close } = props;
  const { client } = useSession();
  const load = useCallback(
    (signal: AbortSignal) => contentOf(client, { bucket, key }, signal),
    [client, bucket, key],
  );
  const { value, error } = useLoad(load);
  if (value) return <EditForm {...props} content={value} />;
  return (
    <FormDialog title="Edit metadata and headers" failure="" close={close}>
      {error === undefined ? (
        <Spinner />
      ) : (
        <Failure what="The object could not be read" error={error} />
      )}
    </FormDialog>
  );
}

function EditForm(props: EditDialogProps & { readonly content: Content }) {
  const { bucket, objectKey: key, changed, close, content } = props;
  const { client } = useSession();
  const [headers, setHeaders] = useState(content.headers);
  const [metadata, setMetadata] = useState(content.metadata);
  const [showsError, setShowsError] = useState(false);
  const problem = metadataError(metadata);
  const validate = () => {
    setShowsError(true);
    return problem === undefined;
  };
  const act = async () => {
    const ifMatch = content.etag;
    await client.patch(bucket, key, { ...changesOf(content, headers, metadata), ifMatch });
    close();
    changed();
  };
  const changeAt = (index: number, change: Partial<Metadata[number]>) =>
    setMetadata(metadata.map((item, at) => (at === index ? { ...item, ...change } : item)));
  return (
    <FormDialog
      title="Edit metadata and headers"
      size="large"
      submit={{ text: 'Save', validate, act }}
      failure="It was not changed"
      close={close}
    >
      <SpaceBetween size="m">
        <Box variant="p">
          A new version of <Text code>{key}</Text> with the same bytes. A field that is emptied
          stays as it was.
        </Box>
        {HEADERS.map(({ name, label, example }) => (
          <FormField key={name} label={label}>
            <Input
              value={headers[name]}
              placeholder={example}
              spellcheck={false}
              onChange={({ detail }) => setHeaders({ ...headers, [name]: detail.value })}
            />
          </FormField>
        ))}
        <FormField label="Metadata" errorText={showsError && problem} stretch>
          <AttributeEditor
            items={metadata}
            addButtonText="Add metadata"
            removeButtonText="Remove"
            removeButtonAriaLabel={({ name }) => `Remove ${shownText(name)}`}
            empty="No metadata."
            definition={[
              {
                label: 'Name',
                control: ({ name }, index) => (
                  <Input
                    value={name}
                    ariaLabel={`Name of metadata ${index + 1}`}
                    onChange={({ detail }) => changeAt(index, { name: detail.value })}
                  />
                ),
              },
              {
                label: 'Value',
                control: ({ value }, index) => (
                  <Input
                    value={value}
                    ariaLabel={`Value of metadata ${index + 1}`}
                    onChange={({ detail }) => changeAt(index, { value: detail.value })}
                  />
                ),
              },
            ]}
            onAddButtonClick={() => setMetadata([...metadata, { name: '', value: '' }])}
            onRemoveButtonClick={({ detail }) =>
              setMetadata(metadata.filter((_, index) => index !== detail.itemIndex))
            }
          />
        </FormField>
      </SpaceBetween>
    </FormDialog>
  );
}

/** Reads the content headers by HEAD: the descriptor has only the content type. */
async function contentOf(
  client: StowageClient,
  { bucket, key }: { readonly bucket: string; readonly key: string },
  signal: AbortSignal,
): Promise<Content> {
  const { content_type, etag, metadata } = await client.describe(bucket, key, { signal });
  const { headers } = await client.head(bucket, key, { signal });
  const stored = (name: string) => headers.get(name) ?? '';
  return {
    etag,
    headers: {
      contentType: content_type,
      // The default of the service when no Cache-Control is stored.
      cacheControl: stored('cache-control').replace(/^private, no-cache$/, ''),
      contentDisposition: stored('content-disposition'),
      contentEncoding: stored('content-encoding'),
      contentLanguage: stored('content-language'),
    },
    metadata: Object.entries(metadata).map(([name, value]) => ({ name, value })),
  };
}

/** Returns the fields that differ from before. */
export function changesOf(before: Content, headers: Headers, metadata: Metadata): NewContent {
  const changed = HEADERS.filter(
    ({ name }) => headers[name] !== '' && headers[name] !== before.headers[name],
  );
  const isSame = JSON.stringify(metadata) === JSON.stringify(before.metadata);
  return {
    ...Object.fromEntries(changed.map(({ name }) => [name, headers[name]])),
    ...(!isSame && {
      metadata: Object.fromEntries(metadata.map(({ name, value }) => [name.toLowerCase(), value])),
    }),
  };
}

function metadataError(metadata: Metadata): string | undefined {
  const names = metadata.map(({ name }) => name.toLowerCase());
  if (names.includes('')) return 'Each metadata needs a name.';
  return new Set(names).size < names.length ? 'Two metadata have the same name.' : undefined;
}
