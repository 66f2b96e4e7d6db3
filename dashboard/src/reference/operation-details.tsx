/** The parameters, bodies and responses of one operation. */
import Box from '@cloudscape-design/components/box';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table from '@cloudscape-design/components/table';
import { Prose } from '../parts/prose';
import type { Operation } from './openapi';
import { typeText } from './schema-type-text';

export function OperationDetails({ operation }: { readonly operation: Operation }) {
  const { description, parameters, body, responses } = operation;
  return (
    <SpaceBetween size="m">
      {description !== '' && <Prose text={description} />}
      {parameters.length > 0 && (
        <Table
          variant="embedded"
          wrapLines
          items={[...parameters]}
          trackBy={({ place, name }) => `${place} ${name}`}
          ariaLabels={{ tableLabel: `Parameters of ${operation.id}` }}
          header={<Box variant="h3">Parameters</Box>}
          columnDefinitions={[
            {
              id: 'name',
              header: 'Name',
              isRowHeader: true,
              cell: ({ name, isRequired }) => (
                <>
                  <span className="code">{name}</span>
                  {isRequired && <Box variant="small"> required</Box>}
                </>
              ),
            },
            { id: 'place', header: 'In', cell: ({ place }) => place },
            {
              id: 'type',
              header: 'Value',
              cell: ({ schema }) => <span className="text">{typeText(schema)}</span>,
            },
            {
              id: 'description',
              header: 'Meaning',
              cell: (parameter) => <Prose text={parameter.description} />,
            },
          ]}
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
        columnDefinitions={[
          { id: 'status', header: 'Status', isRowHeader: true, cell: ({ status }) => status },
          {
            id: 'description',
            header: 'Meaning',
            cell: (response) => (
              <>
                <Prose text={response.description} />
                {response.schema !== undefined && (
                  <Schema
                    schema={response.schema}
                    what={`response ${response.status} of ${operation.id}`}
                  />
                )}
              </>
            ),
          },
        ]}
      />
    </SpaceBetween>
  );
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
