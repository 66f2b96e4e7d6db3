/** The properties of an object, with buttons that copy those that programs need. */
import Container from '@cloudscape-design/components/container';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ObjectDescriptor } from '../../../client/resources';
import { shownText } from '../../../core/hidden';
import { SERVICE_ROOT } from '../api/service-root';
import { countText, sizeText, timeText } from '../parts/format';
import { Text } from '../parts/text';

export function ObjectDetails({ object }: { readonly object: ObjectDescriptor }) {
  const metadata = Object.entries(object.metadata);
  const sum = object.checksum_sha256;
  return (
    <Container header={<Header variant="h2">Details</Header>}>
      <SpaceBetween size="l">
        <KeyValuePairs
          columns={3}
          items={[
            { label: 'Key', value: <Copied what="key" text={object.key} /> },
            { label: 'Size', value: exactSize(object.size) },
            { label: 'Type', value: <Text code>{object.content_type}</Text> },
            { label: 'Version', value: countText(object.version) },
            { label: 'Cursor', value: countText(object.cursor) },
            { label: 'Created', value: timeText(object.created_at) },
            { label: 'Changed', value: timeText(object.updated_at) },
            { label: 'ETag', value: <Copied what="ETag" text={object.etag} /> },
            {
              label: 'SHA-256',
              value: sum === undefined ? 'not known' : <Copied what="SHA-256" text={sum} />,
            },
            {
              label: 'URL, which needs an API key',
              value: <Copied what="URL" text={urlOf(object)} />,
            },
            ...(object.expires_at === undefined
              ? []
              : [{ label: 'Expires', value: timeText(object.expires_at) }]),
          ]}
        />
        {metadata.length > 0 && (
          <>
            <Header variant="h3">Metadata</Header>
            <KeyValuePairs
              columns={3}
              items={metadata.map(([name, value]) => ({
                label: shownText(name),
                value: <Text>{value}</Text>,
              }))}
            />
          </>
        )}
      </SpaceBetween>
    </Container>
  );
}

function Copied({ what, text }: { readonly what: string; readonly text: string }) {
  return (
    <CopyToClipboard
      variant="inline"
      copyButtonAriaLabel={`Copy the ${what}`}
      textToCopy={text}
      textToDisplay={<Text code>{text}</Text>}
      copySuccessText="Copied"
      copyErrorText="The browser did not allow copying: select the text instead"
    />
  );
}

function exactSize(size: number): string {
  return size < 1024 ? sizeText(size) : `${sizeText(size)} (${countText(size)} bytes)`;
}

function urlOf({ bucket, key }: ObjectDescriptor): string {
  const path = key.split('/').map(encodeURIComponent).join('/');
  return `${SERVICE_ROOT}api/v2/storage/objects/${encodeURIComponent(bucket)}/${path}`;
}
