/** The page that shows the interface of the service, from its OpenAPI document. */
import Badge from '@cloudscape-design/components/badge';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import { Fragment, useState } from 'react';
import { StowageError } from '../../../client/errors';
import { SERVICE_ROOT } from '../api/service-root';
import { Empty } from '../parts/empty';
import { Failure } from '../parts/failure';
import { useLoad } from '../parts/use-load';
import { byTag, type Operation, type Reference, readReference } from './openapi';
import { OperationDetails } from './operation-details';
import { Prose } from './prose';

const DOCUMENT = new URL('openapi.json', SERVICE_ROOT).href;

async function load(signal: AbortSignal): Promise<Reference> {
  const response = await fetch(DOCUMENT, { signal }).catch((cause: unknown) => {
    throw new StowageError('network', 'no response', { cause });
  });
  if (!response.ok)
    throw new Error(`The OpenAPI document could not be read (status ${response.status}).`);
  return readReference(await response.json());
}

export function ReferencePage() {
  const { value, error, reload } = useLoad(load);
  const [search, setSearch] = useState('');
  const shown = value ? value.operations.filter((operation) => fits(operation, search)) : [];
  return (
    <SpaceBetween size="l">
      <Header
        variant="h1"
        description={value && `Version ${value.version}`}
        actions={
          <Button href={DOCUMENT} external iconAlign="right" target="_blank">
            openapi.json
          </Button>
        }
      >
        API reference
      </Header>
      {error !== undefined && (
        <Failure what="The reference could not be read" error={error} retry={reload} />
      )}
      {!value && error === undefined && (
        <Box textAlign="center" padding="l">
          <Spinner /> Reading the reference …
        </Box>
      )}
      {value && (
        <SpaceBetween size="l">
          <Input
            type="search"
            value={search}
            placeholder="Find by method, path or words"
            ariaLabel="Find operations"
            onChange={({ detail }) => setSearch(detail.value)}
          />
          {shown.length === 0 && <Empty title="No operation fits">Change the search text.</Empty>}
          {byTag(shown).map(([tag, operations]) => (
            <Container key={tag} header={<Header variant="h2">{tag}</Header>}>
              {operations.map((operation) => (
                <Section key={operation.id} operation={operation} />
              ))}
            </Container>
          ))}
          <Container header={<Header variant="h2">About the interface</Header>}>
            <Prose text={value.description} />
          </Container>
        </SpaceBetween>
      )}
    </SpaceBetween>
  );
}

/** The details are rendered only once they are opened: most never are. */
function Section({ operation }: { readonly operation: Operation }) {
  const { method, path, summary } = operation;
  const [wasOpened, setOpened] = useState(false);
  return (
    <ExpandableSection
      headerText={
        <>
          <Badge>{method}</Badge> <Path path={path} />
        </>
      }
      headerDescription={summary.replaceAll('`', '')}
      onChange={() => setOpened(true)}
    >
      {wasOpened && <OperationDetails operation={operation} />}
    </ExpandableSection>
  );
}

/** Lets a long path wrap before each segment. The copied text stays the same. */
function Path({ path }: { readonly path: string }) {
  const [first = '', ...parts] = path.split('/');
  let at = first;
  return (
    <span className="code">
      {first}
      {parts.map((part) => {
        at += `/${part}`;
        return (
          <Fragment key={at}>
            <wbr />/{part}
          </Fragment>
        );
      })}
    </span>
  );
}

function fits({ method, path, summary, description }: Operation, search: string): boolean {
  const text = `${method} ${path} ${summary} ${description}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
