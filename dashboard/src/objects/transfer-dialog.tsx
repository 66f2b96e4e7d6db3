/** The dialog that copies or moves objects and folders to another folder or bucket. */
import Box from '@cloudscape-design/components/box';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useCallback, useState } from 'react';
import { countText } from '../jobs/job';
import { useJobQueue } from '../jobs/job-queue-context';
import { Failure } from '../parts/failure';
import { FormDialog } from '../parts/form-dialog';
import { hiddenNote } from '../parts/hidden-note';
import { useLoad } from '../parts/use-load';
import { useSession } from '../session/session-context';
import { type Entry, keysOf, parentOf, prefixesOf } from './entries';
import { problemOf, relocationsOf } from './relocations';

export function TransferDialog(props: {
  readonly bucket: string;
  readonly how: 'copy' | 'move';
  readonly entries: readonly Entry[];
  readonly close: () => void;
}) {
  const { bucket, how, entries, close } = props;
  const { client } = useSession();
  const jobs = useJobQueue();
  const keys = keysOf(entries);
  const prefixes = prefixesOf(entries);
  const [toBucket, setToBucket] = useState(bucket);
  const [folder, setFolder] = useState(parentOf(keys[0] ?? prefixes[0] ?? ''));
  const [showsError, setShowsError] = useState(false);
  const load = useCallback(
    async (signal: AbortSignal) => {
      const names: string[] = [];
      for await (const { name } of client.buckets.list({ signal })) names.push(name);
      return names;
    },
    [client],
  );
  const { value: buckets = [bucket], isLoading, error, reload } = useLoad(load);
  const relocations = relocationsOf(keys, prefixes, folder);
  const problem = problemOf(relocations, bucket === toBucket);
  const validate = () => {
    setShowsError(true);
    return problem === undefined;
  };
  const act = async () => {
    jobs.start({ kind: how, bucket, toBucket, relocations });
    close();
  };
  const verb = how === 'copy' ? 'Copy' : 'Move';
  const options = buckets.map((name) => ({ value: name, label: name }));
  return (
    <FormDialog
      title={`${verb} ${countText(keys.length, prefixes.length)}`}
      submit={{ text: verb, validate, act }}
      failure="It did not begin"
      close={close}
    >
      <SpaceBetween size="m">
        <FormField label="Bucket">
          <Select
            selectedOption={{ value: toBucket, label: toBucket }}
            options={options}
            filteringType={options.length > 10 ? 'auto' : 'none'}
            // An open list would close when its options arrive.
            disabled={isLoading}
            onChange={({ detail }) => setToBucket(detail.selectedOption.value ?? bucket)}
          />
        </FormField>
        <FormField
          label="Folder"
          description="For example 2026/may/. Leave it empty for the top of the bucket."
          constraintText={hiddenNote(folder)}
          errorText={showsError && problem}
        >
          <Input
            value={folder}
            spellcheck={false}
            autoComplete={false}
            onChange={({ detail }) => setFolder(detail.value)}
          />
        </FormField>
        {error !== undefined && (
          <Failure what="The other buckets could not be read" error={error} retry={reload} />
        )}
        <Box variant="small">An object that exists there is left as it is.</Box>
      </SpaceBetween>
    </FormDialog>
  );
}
