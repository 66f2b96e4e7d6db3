/** The text of a table without entries. */
import Box from '@cloudscape-design/components/box';
import type { ReactNode } from 'react';

export function Empty(props: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <Box textAlign="center" color="inherit" padding="m">
      <Box variant="strong" display="block">
        {props.title}
      </Box>
      <Box variant="div" color="text-body-secondary">
        {props.children}
      </Box>
    </Box>
  );
}
