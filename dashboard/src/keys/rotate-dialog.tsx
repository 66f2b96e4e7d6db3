/** The dialog that creates a new secret; the old one stays valid for a chosen time. */
import FormField from '@cloudscape-design/components/form-field';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import type { ApiKey } from '../api/admin';
import { Confirmation } from '../parts/confirmation';

const OVERLAPS = [
  { value: '0', label: 'Not at all: the old secret expires now' },
  { value: '3600', label: 'One hour' },
  { value: '86400', label: 'One day' },
  { value: '604800', label: '7 days' },
  { value: '2592000', label: '30 days' },
] as const;

export function RotateDialog(props: {
  readonly subject: ApiKey;
  readonly rotate: (overlapSeconds: number) => Promise<void>;
  readonly close: () => void;
}) {
  const { subject } = props;
  const [overlap, setOverlap] = useState<string>('86400');
  return (
    <Confirmation
      title={`New secret for “${subject.name}”`}
      confirm="Create a new secret"
      act={() => props.rotate(Number(overlap))}
      // The dialog with the new secret follows.
      done={() => undefined}
      close={props.close}
    >
      <SpaceBetween size="m">
        <span>
          The key keeps its id and its permissions. Put the new secret wherever the old one is used,
          while both work.
          {subject.rotating_until !== undefined &&
            ' The secret before the current one expires at once.'}
        </span>
        <FormField label="How long the old secret still works">
          <Select
            selectedOption={OVERLAPS.find(({ value }) => value === overlap) ?? null}
            options={OVERLAPS}
            onChange={({ detail }) => setOverlap(detail.selectedOption.value ?? overlap)}
          />
        </FormField>
      </SpaceBetween>
    </Confirmation>
  );
}
