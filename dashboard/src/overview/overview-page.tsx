/** The first page: what the service holds, how it is used, and what needs a look. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { useCallback } from 'react';
import { SERVICE_ROOT } from '../api/service-root';
import { allPages } from '../parts/all-pages';
import { CodeLines } from '../parts/code-lines';
import { Failure } from '../parts/failure';
import { countText, plural, sizeText } from '../parts/format';
import { goTo, hrefOf } from '../parts/navigation';
import { Text } from '../parts/text';
import { useLoad } from '../parts/use-load';
import { useSession, useSignedIn } from '../session/session-context';
import { readAllUsage } from '../usage/all-usage';
import { BucketTable } from './bucket-table';
import { concernsOf, firstSteps, readConsumers, requestsToday, totalOf } from './overview';

export function OverviewPage() {
  const storage = useStorageFacts();
  const use = useUseFacts();
  const { buckets, consumers } = storage.value ?? {};
  const { keys, usage } = use.value ?? {};
  const isNew = buckets?.items.length === 0;
  const hasFailed = storage.error !== undefined || use.error !== undefined;
  return (
    <SpaceBetween size="l">
      <Header
        variant="h1"
        actions={
          <Button
            iconName="refresh"
            ariaLabel="Read the overview again"
            loading={(storage.isLoading && storage.value !== undefined) || use.isLoading}
            onClick={() => {
              storage.reload();
              use.reload();
            }}
          />
        }
      >
        Overview
      </Header>
      {storage.error !== undefined && (
        <Failure
          what="The buckets could not be read"
          error={storage.error}
          retry={storage.reload}
        />
      )}
      {use.error !== undefined && (
        <Failure what="The usage could not be read" error={use.error} retry={use.reload} />
      )}
      {isNew && <Start isOpen />}
      <Numbers storage={storage.value} use={use.value} />
      {!hasFailed && keys && usage && consumers && (
        <Health concerns={concernsOf({ keys, usage, consumers }, Date.now())} />
      )}
      {!isNew && storage.error === undefined && (
        <BucketTable
          buckets={buckets?.items ?? []}
          consumers={consumers}
          isLoading={storage.isLoading && storage.value === undefined}
        />
      )}
      {!isNew && <Start isOpen={false} />}
    </SpaceBetween>
  );
}

function useStorageFacts() {
  const { storage } = useSession();
  const { epoch } = useSignedIn();
  // biome-ignore lint/correctness/useExhaustiveDependencies: after another sign-in it is read again
  const load = useCallback(
    async (signal: AbortSignal) => {
      const buckets = await allPages((next) => storage.buckets(next, signal), signal);
      return { buckets, consumers: await readConsumers(storage, buckets.items, signal) };
    },
    [storage, epoch],
  );
  return useLoad(load);
}

function useUseFacts() {
  const { admin } = useSession();
  const { epoch } = useSignedIn();
  // biome-ignore lint/correctness/useExhaustiveDependencies: after another sign-in it is read again
  const load = useCallback(
    async (signal: AbortSignal) => {
      const { items: keys } = await allPages((next) => admin.keys(next, signal), signal);
      return { keys, usage: await readAllUsage(admin, keys, 1, signal) };
    },
    [admin, epoch],
  );
  return useLoad(load);
}

function Numbers(props: {
  readonly storage: ReturnType<typeof useStorageFacts>['value'];
  readonly use: ReturnType<typeof useUseFacts>['value'];
}) {
  const { storage, use } = props;
  const items = storage?.buckets.items;
  const more = storage?.buckets.isComplete === false ? '+' : '';
  const shown = (value: number | undefined, text: (value: number) => string) =>
    value === undefined ? '–' : `${text(value)}${more}`;
  const requests = use && requestsToday(use.usage, Date.now());
  const active = use?.keys.filter(({ state }) => state === 'active').length;
  return (
    <Container>
      <KeyValuePairs
        columns={4}
        minColumnWidth={140}
        items={[
          { label: 'Buckets', value: <Figure text={shown(items?.length, countText)} /> },
          {
            label: 'Objects',
            value: <Figure text={shown(items && totalOf(items, 'object_count'), countText)} />,
          },
          {
            label: 'Stored',
            value: <Figure text={shown(items && totalOf(items, 'total_size'), sizeText)} />,
          },
          {
            label: 'Requests today (UTC)',
            value: (
              <>
                <Figure text={requests === undefined ? '–' : countText(requests)} />
                {active !== undefined && (
                  <Link href={hrefOf({ page: 'usage' })} fontSize="body-s">
                    by {plural(active, 'active key')}
                  </Link>
                )}
              </>
            ),
          },
        ]}
      />
    </Container>
  );
}

function Figure({ text }: { readonly text: string }) {
  return (
    <Box fontSize="heading-xl" fontWeight="bold">
      {text}
    </Box>
  );
}

/** Most concerns that are listed: more cannot be read at a glance. */
const MOST_CONCERNS = 8;

function Health({ concerns }: { readonly concerns: ReturnType<typeof concernsOf> }) {
  const left = concerns.length - MOST_CONCERNS;
  return (
    <Container header={<Header variant="h2">Health</Header>}>
      {concerns.length === 0 ? (
        <StatusIndicator type="success">
          <Text>The service responds, and nothing needs attention</Text>
        </StatusIndicator>
      ) : (
        <SpaceBetween size="xs">
          {concerns.slice(0, MOST_CONCERNS).map(({ text, href, isError }) => (
            <div key={text}>
              <StatusIndicator type={isError ? 'error' : 'warning'} wrapText>
                <Text>{text}</Text> <Link href={href}>Look</Link>
              </StatusIndicator>
            </div>
          ))}
          {left > 0 && <Box variant="small">And {countText(left)} more.</Box>}
        </SpaceBetween>
      )}
    </Container>
  );
}

function Start({ isOpen }: { readonly isOpen: boolean }) {
  return (
    <ExpandableSection
      variant="container"
      defaultExpanded={isOpen}
      headerText="Start with curl"
      headingTagOverride="h2"
      headerActions={<Button onClick={() => goTo({ page: 'keys' })}>API keys</Button>}
    >
      <SpaceBetween size="s">
        <Box variant="p">
          Create a key, then a bucket; upload a file, list it, read it, and see every change. The{' '}
          <Link href={hrefOf({ page: 'reference' })}>API reference</Link> has the rest.
        </Box>
        <CodeLines text={firstSteps(SERVICE_ROOT)} what="First steps with curl" />
      </SpaceBetween>
    </ExpandableSection>
  );
}
