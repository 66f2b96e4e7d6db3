/** Lines for a terminal, with a button that copies them. */
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import SpaceBetween from '@cloudscape-design/components/space-between';

export function CodeLines(props: { readonly text: string; readonly what: string }) {
  const { text, what } = props;
  return (
    <SpaceBetween size="xxs">
      {/* Focusable, so that a keyboard can scroll it on narrow pages. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region has to be reachable */}
      <section className="lines" tabIndex={0} aria-label={what}>
        <pre>{text}</pre>
      </section>
      <CopyToClipboard
        variant="button"
        copyButtonText="Copy"
        copyButtonAriaLabel={`Copy: ${what}`}
        textToCopy={text}
        copySuccessText="Copied"
        copyErrorText="The browser did not allow copying: select the text instead"
      />
    </SpaceBetween>
  );
}
