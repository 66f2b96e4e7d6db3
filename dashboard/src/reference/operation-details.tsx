/** The call, parameters, bodies and responses of one operation. */
import Box from '@cloudscape-design/components/box';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import { SERVICE_ROOT } from '../api/service-root';
import { CodeLines } from '../parts/code-lines';
import { useNarrow } from '../parts/use-narrow';
import { curlOf } from './curl';
import type { Operation, Parameter, Response } from './openapi';
import { Prose } from './prose';
import { typeText } from './schema-type-text';

export function OperationDetails({ operation }: { readonly operation: Operation }) {
  const { description, hasHead, parameters, body, responses } = operation;
  const isNarrow = useNarrow();
  return (
    <SpaceBetween size="m">
      {description !== '' && <Prose text={description} />}
      {hasHead && <Prose text="`HEAD` returns the same headers, without the body." />}
      <CodeLines text={curlOf(operation, SERVICE_ROOT)} what={`curl line of ${operation.id}`} />
      {parameters.length > 0 && (
        <Table
          variant="embedded"
          wrapLines
          items={[...parameters]}
          trackBy={({ place, name }) => `${place} ${name}`}
          ariaLabels={{ tableLabel: `Parameters of ${operation.id}` }}
          header={<Box variant="h3">Parameters</Box>}
          columnDefinitions={isNarrow ? NARROW_PARAMETERS : WIDE_PARAMETERS}
        />
      )}
      {body && (
        <>
          <Box variant="h3">Body, {body.types.join(' or ')}</Box>
          <Schema schema={body.schema} what={`the body of ${operation.id}`} />
        </>
      )}
      <Table
        variant="embedded"
        wrapLines
        items={[...responses]}
        trackBy="status"
        ariaLabels={{ tableLabel: `Responses of ${operation.id}` }}
        header={<Box variant="h3">Responses</Box>}
        columnDefinitions={responseColumns(operation, isNarrow)}
      />
    </SpaceBetween>
  );
}

type ParameterColumn = TableProps.ColumnDefinition<Parameter>;

function Name({ name, isRequired }: Parameter) {
  return (
    <>
      <span className="code">{name}</span> {isRequired && <Box variant="small">required</Box>}
    </>
  );
}

const WIDE_PARAMETERS: ParameterColumn[] = [
  { id: 'name', header: 'Name', isRowHeader: true, minWidth: 150, cell: Name },
  {
    id: 'place',
    header: 'In',
    minWidth: 80,
    cell: ({ place }) => <span className="nowrap">{place}</span>,
  },
  {
    id: 'type',
    header: 'Value',
    minWidth: 180,
    cell: ({ schema }) => <span className="text">{typeText(schema)}</span>,
  },
  {
    id: 'description',
    header: 'Meaning',
    minWidth: 220,
    cell: ({ description }) => <Prose text={description} />,
  },
];

const NARROW_PARAMETERS: ParameterColumn[] = [
  {
    id: 'name',
    header: 'Parameter',
    isRowHeader: true,
    cell: (parameter) => (
      <SpaceBetween size="xxs">
        <div>
          <Name {...parameter} /> <Box variant="small">in {parameter.place}</Box>
        </div>
        <Box variant="small">
          <span className="text">{typeText(parameter.schema)}</span>
        </Box>
        <Prose text={parameter.description} />
      </SpaceBetween>
    ),
  },
];

function responseColumns(
  operation: Operation,
  isNarrow: boolean,
): TableProps.ColumnDefinition<Response>[] {
  const meaning = (response: Response) => (
    <>
      <Prose text={response.description} />
      {response.schema !== undefined && (
        <Schema schema={response.schema} what={`response ${response.status} of ${operation.id}`} />
      )}
    </>
  );
  if (isNarrow) {
    return [
      {
        id: 'response',
        header: 'Response',
        isRowHeader: true,
        cell: (response) => (
          <>
            <Box variant="strong">{response.status}</Box>
            {meaning(response)}
          </>
        ),
      },
    ];
  }
  return [
    {
      id: 'status',
      header: 'Status',
      isRowHeader: true,
      minWidth: 90,
      cell: ({ status }) => status,
    },
    { id: 'description', header: 'Meaning', minWidth: 300, cell: meaning },
  ];
}

function Schema(props: { readonly schema: unknown; readonly what: string }) {
  return (
    <ExpandableSection
      variant="footer"
      headerText="Schema"
      headingTagOverride="h4"
      headerAriaLabel={`Schema of ${props.what}`}
    >
      <pre className="code">{JSON.stringify(props.schema, null, 2)}</pre>
    </ExpandableSection>
  );
}
