/** A description of an OpenAPI document, with its `code` marked. */
import Box from '@cloudscape-design/components/box';

export function Prose({ text }: { readonly text: string }) {
  const parts = text.split('`');
  return (
    <Box variant="div">
      <span className="text">
        {parts.map((part, index) =>
          index % 2 === 1 ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other key
            <code key={index}>{part}</code>
          ) : (
            part
          ),
        )}
      </span>
    </Box>
  );
}
