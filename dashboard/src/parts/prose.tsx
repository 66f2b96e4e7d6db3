/** A description with `code` in it, as OpenAPI documents have them. */
import Box from '@cloudscape-design/components/box';

export function Prose({ text }: { readonly text: string }) {
  const parts = text.split('`');
  return (
    <Box variant="div">
      <span className="text">
        {parts.map((part, index) =>
          index % 2 === 1 ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: a text that never changes has nothing else
            <code key={index}>{part}</code>
          ) : (
            part
          ),
        )}
      </span>
    </Box>
  );
}
