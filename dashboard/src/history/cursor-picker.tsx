/** The choice of a cursor: by a slider, by its number, or by a time. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import ColumnLayout from '@cloudscape-design/components/column-layout';
import DatePicker from '@cloudscape-design/components/date-picker';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Slider from '@cloudscape-design/components/slider';
import SpaceBetween from '@cloudscape-design/components/space-between';
import TimeInput from '@cloudscape-design/components/time-input';
import { useCallback, useState } from 'react';
import { Failure } from '../parts/failure';
import { countText, timeText } from '../parts/format';
import { useAction } from '../parts/use-action';
import { useLoad } from '../parts/use-load';
import { useSession } from '../session/session-context';
import { cursorAt, type Span, timeAt } from './past';

export function CursorPicker(props: {
  readonly bucket: string;
  readonly span: Span;
  readonly cursor: number;
  readonly choose: (cursor: number) => void;
}) {
  const { bucket, span, cursor, choose } = props;
  const clamp = (value: number) => Math.min(span.last, Math.max(span.first, value));
  return (
    <SpaceBetween size="m">
      <FormField
        label={`Cursor ${countText(cursor)} of ${countText(span.last)}`}
        description={<When bucket={bucket} cursor={cursor} isNow={cursor === span.last} />}
        stretch
      >
        <Slider
          value={cursor}
          min={span.first}
          // A slider needs two ends.
          max={Math.max(span.last, span.first + 1)}
          valueFormatter={countText}
          ariaLabel="Cursor"
          onChange={({ detail }) => choose(clamp(detail.value))}
        />
      </FormField>
      <ColumnLayout columns={2}>
        <FormField label="Cursor by its number">
          <SpaceBetween direction="horizontal" size="xs">
            <Input
              value={String(cursor)}
              type="number"
              inputMode="numeric"
              step={1}
              onChange={({ detail }) => choose(clamp(Math.trunc(Number(detail.value) || 0)))}
            />
            <Button
              iconName="angle-left"
              ariaLabel="One change back"
              disabled={cursor <= span.first}
              onClick={() => choose(clamp(cursor - 1))}
            />
            <Button
              iconName="angle-right"
              ariaLabel="One change forward"
              disabled={cursor >= span.last}
              onClick={() => choose(clamp(cursor + 1))}
            />
          </SpaceBetween>
        </FormField>
        <ByTime bucket={bucket} span={span} choose={choose} />
      </ColumnLayout>
    </SpaceBetween>
  );
}

function When(props: {
  readonly bucket: string;
  readonly cursor: number;
  readonly isNow: boolean;
}) {
  const { bucket, cursor, isNow } = props;
  const { storage } = useSession();
  const load = useCallback(
    (signal: AbortSignal) => timeAt(storage, bucket, cursor, signal),
    [storage, bucket, cursor],
  );
  const { value } = useLoad(load);
  const time = value === undefined ? '' : timeText(value);
  const now = isNow ? 'The newest change' : '';
  const text = [now, time].filter((part) => part !== '').join(', ');
  return (
    <span role="status">{text || 'Before the first change that is kept, or between two'}</span>
  );
}

function ByTime(props: {
  readonly bucket: string;
  readonly span: Span;
  readonly choose: (cursor: number) => void;
}) {
  const { bucket, span, choose } = props;
  const { storage } = useSession();
  const [date, setDate] = useState('');
  const [time, setTime] = useState('');
  const at = Date.parse(`${date}T${time === '' ? '23:59:59' : time}`);
  const { isBusy, error, run } = useAction(async () => {
    const signal = AbortSignal.timeout(30_000);
    choose(await cursorAt(storage, bucket, { span, time: at }, signal));
  });
  return (
    <FormField label="Cursor at a time" description="In your time zone.">
      <SpaceBetween size="xs">
        <SpaceBetween direction="horizontal" size="xs">
          <DatePicker
            value={date}
            placeholder="YYYY/MM/DD"
            ariaLabel="Date"
            openCalendarAriaLabel={() => 'Choose a date'}
            previousMonthAriaLabel="Previous month"
            nextMonthAriaLabel="Next month"
            todayAriaLabel="Today"
            onChange={({ detail }) => setDate(detail.value)}
          />
          <TimeInput
            value={time}
            format="hh:mm"
            placeholder="hh:mm"
            ariaLabel="Time"
            onChange={({ detail }) => setTime(detail.value)}
          />
          <Button disabled={Number.isNaN(at)} loading={isBusy} onClick={run}>
            Go there
          </Button>
        </SpaceBetween>
        {error !== undefined && <Failure what="The time could not be found" error={error} />}
        {date === '' && <Box variant="small">Without a time: the end of the day.</Box>}
      </SpaceBetween>
    </FormField>
  );
}
